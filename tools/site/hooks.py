"""The hooks that MkDocs calls (mkdocs.yml): they add the pages that are made of the program and of
files beside docs/, and say where they stand in the navigation."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from tools.site import commands, links, live, python, rule_pages, schemas

ROOT = Path(__file__).resolve().parents[2]
BESIDE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
"""Files of the repository that are pages of the site."""
_pages: list[tuple[str, str]] = []
"""The pages that are made, of the build that goes on."""


def made() -> Iterator[tuple[str, str]]:
    """(path, Markdown) of each page that is not in docs/."""
    for name, page in BESIDE.items():
        yield page, _linked((ROOT / name).read_text("utf-8"))
    yield from live.pages()
    yield from commands.pages()
    yield from rule_pages.pages()
    yield from schemas.pages()
    yield from python.pages((ROOT / "docs/architecture.md").read_text("utf-8"))


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Puts what a folder has in place of its name: `rules/` in the navigation."""
    folder2pages: dict[str, list[str]] = {}
    _pages[:] = made()
    for path, _ in _pages:
        folder, _, _ = path.rpartition("/")
        folder2pages.setdefault(f"{folder}/", []).append(path)
    config.nav = _filled(config.nav, folder2pages)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for path, content in (*_pages, *live.made()):
        files.append(File.generated(config, path, content=content))
    return files


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    return links.linked(page.file.src_uri, html)


def _filled(nav: Any, folder2pages: dict[str, list[str]]) -> Any:
    if isinstance(nav, list):
        return [_filled(entry, folder2pages) for entry in nav]
    if isinstance(nav, dict):
        return {title: _filled(entry, folder2pages) for title, entry in nav.items()}
    return folder2pages.get(nav, nav) if nav.endswith("/") else nav


def _linked(text: str) -> str:
    """A file of the repository's top as a page: with its pictures, and links to pages."""
    for name, page in BESIDE.items():
        text = text.replace(f"]({name}", f"]({page}")
    text = live.MARK.sub(lambda found: live.frame(found[1]), text)
    return text.replace("](docs/", "](")
