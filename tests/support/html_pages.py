"""Pages to test: how they are made, and what is in them."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

from idle_states.cli import main
from tests.support import DATA

TRACE = str(DATA / "traces/mt8196-teo.slice.txt.gz")
COMMANDS = {
    "show": ["show", "power10", "--kernel", "6.1", "--platform", "rainier"],
    "show-x86": ["show", "--platform", "skx", "--kernel", "6.1,7.0"],
    "show-tree": ["show", str(DATA / "trees/powernv9.dtb"), "--kernel", "4.11"],
    "show-machine": ["show", str(DATA / "why/powernv9-no-level-2.tar.gz")],
    "why": ["why", str(DATA / "why/arm64-disabled.tar.gz")],
    "select": ["select", "power9-dd1@84368bbf8", "--kernel", "4.11"],
    "select-kernels": [
        *("select", "power9", "--kernel", "4.11,6.1,6.6,6.12"),
        *("--next-timer", "500", "--idle", "100"),
    ],
    "kernels": ["kernels", "6.6", "--table", "power9"],
    "prove": ["prove", "power10", "--kernel", "6.1", "--latency-limit", "5us", "--periods"],
    "replay": [
        *("replay", TRACE, "--table", "power9", "--table", "power9-dd1@84368bbf8"),
        *("--governor", "menu", "--kernel", "6.1", "--power", "implied"),
    ],
    "replay-recording": [
        *("replay", str(DATA / "recordings/powernv9-menu.txt.gz"), "--governor", "menu"),
        *("--governor", "ladder"),
    ],
    "check": ["check", str(DATA / "faulty.yaml"), "--kernel", "4.11,6.1,7.3"],
    "audit": [
        *("audit", str(DATA / "trees/powernv9.dtb")),
        *("--governor", "menu", "--kernel", "4.11,6.1", "--notes"),
    ],
    "fleet": ["audit", str(DATA / "trees"), "--kernel", "6.1,6.12", "--summary"],
    "simulate": [
        *("simulate", "busy-waker", "--table", "power9", "--table", "power10"),
        *("--topology", "cpus=4", "--duration", "20ms", "--runs", "2"),
        *("--sequence", "--power", "assumed"),
    ],
    "fit": [
        *("fit", str(DATA / "measured/power9-cede.txt"), "--quantile", "99"),
        *("--table", "pseries-dedicated", "--residency", "10"),
    ],
    "tune": [
        *("tune", "power9", "--trace", TRACE, "--kernel", "6.1"),
        *("--power", "implied", "--governor", "none"),
    ],
}
VOID = {"meta", "link", "br"}


def make(name: str, into: Path) -> Path:
    """Returns the page that a command writes; its output goes to a file beside the page."""
    page = into / f"{name}.html"
    text = into / f"{name}.txt"
    assert main([*COMMANDS[name], "--html", str(page), "--output", str(text)]) in (0, 1)
    return page


def make_all(into: Path) -> None:
    for name in COMMANDS:
        make(name, into)


@dataclass
class Node:
    tag: str
    attributes: dict[str, str | None]
    parts: list["Node | str"] = field(default_factory=list)

    @property
    def children(self) -> list["Node"]:
        return [part for part in self.parts if isinstance(part, Node)]

    def all(self, tag: str, class_: str | None = None) -> list["Node"]:
        """Below this one, in order."""
        found = []
        for child in self.children:
            if child.tag == tag and class_ in (None, child.attributes.get("class")):
                found.append(child)
            found += child.all(tag, class_)
        return found

    @property
    def text(self) -> str:
        return "".join(part if isinstance(part, str) else part.text for part in self.parts)

    def outline(self) -> list[object]:
        return [self.tag, sorted(self.attributes), *(child.outline() for child in self.children)]

    def rows(self) -> list[list[str]]:
        """Returns the rows of a table, its head first."""
        return [[cell.text for cell in row.children] for row in self.all("tr")]


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.top = Node("", {})
        self.open = [self.top]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, dict(attrs))
        assert len(node.attributes) == len(attrs), f"an attribute twice on {tag}"
        self.open[-1].parts.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].parts.append(Node(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"expected </{self.open[-1].tag}>, found </{tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].parts.append(data)


def parse(text: str) -> Node:
    """Asserts that every element is closed where it should be."""
    parser = _Parser()
    parser.feed(text)
    parser.close()
    assert len(parser.open) == 1, f"never closed: {parser.open[-1].tag}"
    return parser.top
