"""The Python reference: modules, classes and functions, of their sources; nothing is imported."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import idle_states

from .prose import fenced, inline, markdown

FOLDER = "reference/python"
ROOT = Path(idle_states.__file__).parent
_ROOM = re.compile(r"^\| `(?P<path>[\w/]+)(?P<kind>\.py|/)` \| (?P<holds>.+) \|$", re.MULTILINE)
_LEFT_OUT = "cli"
_RULE = re.compile(r"is\d{3}_")


def pages(architecture: str) -> Iterator[tuple[str, str]]:
    """(path, Markdown): the rooms in the order of docs/architecture.md, whose text is given."""
    values, rooms = list[tuple[str, str]](), list[tuple[str, str]]()
    for found in _ROOM.finditer(architecture):
        if found["path"] != _LEFT_OUT:
            (rooms if found["kind"] == "/" else values).append((found["path"], found["holds"]))
    rows = [f"| [{path}]({Path(path).name}.md) | {holds} |" for path, holds in rooms]
    yield (
        f"{FOLDER}/index.md",
        "# Python reference\n\nA stage is a pure function from one frozen value to the next; what "
        "a command drives takes a frozen request ([architecture](../../architecture.md#requests)). "
        "What stays the same between versions: [policy](../../policy.md#python).\n\n"
        "| room | holds |\n| --- | --- |\n| [values](values.md) | what all rooms may know |\n"
        + "\n".join(rows)
        + "\n",
    )
    yield f"{FOLDER}/values.md", _page("Values", [ROOT / f"{path}.py" for path, _ in values])
    for path, _ in rooms:
        files = sorted((ROOT / path).rglob("*.py"))
        name = ".".join(("idle_states", *Path(path).parts))
        yield f"{FOLDER}/{Path(path).name}.md", _page(name, files)


def _page(title: str, files: list[Path]) -> str:
    parts = [f"# {inline(title)}"]
    for file in files:
        if not _RULE.match(file.name):
            parts += _module(file)
    return "\n\n".join(parts) + "\n"


def _module(file: Path) -> Iterator[str]:
    tree = ast.parse(file.read_text("utf-8"))
    pieces = [part for node in tree.body for part in _definition(node)]
    text = ast.get_docstring(tree) or ""
    if not pieces and not text:
        return
    parts = file.relative_to(ROOT.parent).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    yield f"## {inline(name)} {{: #{name.replace('.', '-')} }}"
    if text:
        yield markdown(text)
    yield from pieces


def _definition(node: ast.stmt) -> Iterator[str]:
    """A public class with its public methods, or a function; only what says what it does."""
    if isinstance(node, ast.FunctionDef) and _is_public(node.name):
        yield _signature(node)
        yield markdown(ast.get_docstring(node) or "")
    elif isinstance(node, ast.ClassDef) and _is_public(node.name):
        text = ast.get_docstring(node)
        yield fenced(_class(node), "python")
        yield markdown(text or "")
        for inner in node.body:
            documented = isinstance(inner, ast.FunctionDef) and ast.get_docstring(inner)
            if documented and isinstance(inner, ast.FunctionDef) and _is_public(inner.name):
                yield _signature(inner, f"{node.name}.")
                yield markdown(ast.get_docstring(inner) or "")


def _is_public(name: str) -> bool:
    return not name.startswith("_")


def _signature(node: ast.FunctionDef, owner: str = "") -> str:
    is_property = any(
        isinstance(mark, ast.Name) and mark.id in ("property", "cached_property")
        for mark in node.decorator_list
    )
    returns = ast.unparse(node.returns).strip("'\"") if node.returns else ""
    if is_property:
        return fenced(f"{owner}{node.name}: {returns}", "python")
    if node.args.args and node.args.args[0].arg in ("self", "cls"):
        node.args.args[0].annotation = None
    text = f"{owner}{node.name}({ast.unparse(node.args)})"
    result = f" -> {returns}" if returns else ""
    if len(text + result) > 90:
        text = f"{owner}{node.name}(\n    {_broken(ast.unparse(node.args))}\n)"
    return fenced(text + result, "python")


def _broken(arguments: str) -> str:
    """A line for each argument; a comma within brackets ends none."""
    lines, depth = [""], 0
    for char in arguments:
        depth += (char in "([{") - (char in ")]}")
        if char == "," and depth == 0:
            lines[-1] += ","
            lines.append("")
        else:
            lines[-1] += char
    return "\n    ".join(line.strip() for line in lines)


def _class(node: ast.ClassDef) -> str:
    """Its head, and the fields of a dataclass."""
    bases = ", ".join(ast.unparse(base) for base in node.bases)
    lines = [f"class {node.name}({bases}):" if bases else f"class {node.name}:"]
    for inner in node.body:
        target = inner.target if isinstance(inner, ast.AnnAssign) else None
        if isinstance(inner, ast.AnnAssign) and isinstance(target, ast.Name):
            value = f" = {ast.unparse(inner.value)}" if inner.value else ""
            field = f"    {target.id}: {_type(inner.annotation)}"
            if _is_public(target.id):
                lines.append(f"{field}{value}" if len(field + value) <= 100 else field)
    return "\n".join(lines)


def _type(annotation: ast.expr) -> str:
    """Returns an annotation's type; the options it carries are in the reference of commands."""
    if isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value) == "Annotated":
        assert isinstance(annotation.slice, ast.Tuple)
        annotation = annotation.slice.elts[0]
    return ast.unparse(annotation).strip("'\"")
