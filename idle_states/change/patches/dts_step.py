"""One patch of device-tree source: its edits of the text, and what they make of the boards."""

from collections.abc import Mapping

from ...base.model.findings import Faulty, Finding, Location, Unreadable
from ...base.model.idle_tree import folder_of, name_of
from ...tables.devicetree.board_builds import BuiltBoard
from ...tables.devicetree.patching.edit import with_name, with_node, with_property, without_node
from ...tables.devicetree.patching.source import DtsText, EditRefused
from .description import Patch
from .dts_boards import Meant, as_on, has_node, path_on, place_on, strayed, value_on
from .dts_edits import NAME, DtsEdit, NodeEdit, PropertyEdit, RenameEdit, shown
from .dts_progress import Progress, some, tables_between
from .faults import cannot_patch
from .plan import MADE, PRESENT, PatchStep, ValueChange

_MOST_STRAYED = 3


class Step:
    """One patch, applied to what those before it made."""

    def __init__(self, progress: Progress, patch: Patch) -> None:
        self.progress = progress
        self.tree = progress.tree
        self.patch = patch
        self.texts: dict[str, str] = {}
        self.meant = Meant()
        self.changes: list[ValueChange] = []

    def made(self) -> PatchStep:
        """Raises Faulty (IS934), Unreadable."""
        paths = {edit.file: self.path(edit) for edit in self.patch.dts}
        self.texts = {path: self.progress.text(path) for path in paths.values()}
        before = dict(self.texts)
        boards = self.progress.boards(sorted(before))
        for edit in self.patch.dts:
            path = paths[edit.file]
            try:
                if isinstance(edit, PropertyEdit):
                    self.edit_property(edit, path, boards)
                elif isinstance(edit, RenameEdit):
                    self.rename(edit, path, boards)
                else:
                    self.edit_node(edit, path, boards)
            except EditRefused as refused:
                raise self.refusal(refused, path, edit) from None
        after = {path: text for path, text in self.texts.items() if text != before[path]}
        if not self.changes:
            return PatchStep(self.patch, PRESENT)
        built = self.verified(boards, {**self.progress.texts, **after})
        self.progress.texts |= after
        self.progress.built |= built
        return PatchStep(
            self.patch,
            MADE,
            "",
            tuple(self.changes),
            {path: before[path] for path in after},
            after,
            tuple(tables_between(boards, built)),
        )

    def path(self, edit: DtsEdit) -> str:
        found = self.tree.path(edit.file)
        if not found:
            raise self.faulty(f"expected a file {edit.file} in the tree, found none", edit.where)
        return found

    def edit_property(
        self, edit: PropertyEdit, path: str, boards: Mapping[str, BuiltBoard]
    ) -> None:
        source = self.source(path)
        node = source.node(edit.node)
        own = self.as_it_was(node.path)
        key = own, edit.property
        if key in self.meant.values:
            if shown(edit.property, self.meant.values[key]) != shown(edit.property, edit.before):
                message = (
                    f"expected an edit of {edit.node} from what the one before makes of its "
                    f"{edit.property}"
                )
                raise self.faulty(message, edit.where)
        elif self.is_there(edit, own, boards):
            return
        self.meant.values[key] = edit.after
        writers = node.writers(edit.property)
        place = writers[-1].start if writers else node.definition.start
        self.texts[path] = with_property(source, node, edit.property, edit.after)
        self.change(path, source, place, edit.node, edit.property, edit)

    def is_there(self, edit: PropertyEdit, path: str, boards: Mapping[str, BuiltBoard]) -> bool:
        """Tells whether every board with the node has the new value. Raises Faulty where one has
        neither the new nor the old."""
        having = {name: board for name, board in boards.items() if has_node(board, path)}
        if not having:
            raise self.faulty(
                f"expected a board with {edit.node}, found none of {some(list(boards))}", edit.where
            )
        states = set()
        others: dict[str, list[str]] = {}
        for name, board in having.items():
            found = value_on(board, path, edit.property)
            if found == as_on(board, edit.property, edit.after):
                states.add(True)
            elif found == as_on(board, edit.property, edit.before):
                states.add(False)
            else:
                others.setdefault(repr(found), []).append(name)
        for names in others.values():
            board = having[names[0]]
            found = value_on(board, path, edit.property)
            if isinstance(found, tuple):
                found = tuple(str(one).rpartition("/")[2] for one in found)
            value = "another value" if isinstance(found, bytes) else shown(edit.property, found)
            raise self.faulty(
                f"{self.patch.name}: expected {edit.property} of {edit.node} "
                f"{shown(edit.property, edit.before)} or, patched, "
                f"{shown(edit.property, edit.after)}, found {value} on {some(names)}",
                place_on(board, path, edit.property),
                board,
            )
        return states == {True}

    def edit_node(self, edit: NodeEdit, path: str, boards: Mapping[str, BuiltBoard]) -> None:
        source = self.source(path)
        there = edit.node in source.label2path or any(
            block.path == edit.node for block in source.all_blocks()
        )
        if edit.properties is None:
            try:
                node = source.node(edit.node)
            except EditRefused:
                if any(edit.node in board.labels for board in boards.values()):
                    raise
                # gone already
                return
            self.meant.gone.append(self.as_it_was(node.path))
            place = node.definition.start
            self.texts[path] = without_node(source, node)
            self.change(path, source, place, edit.node, "row", edit)
            return
        if there:
            node = source.node(edit.node)
            for name, value in edit.properties.items():
                same = PropertyEdit(edit.file, edit.node, name, value, value, edit.where)
                self.is_there(same, self.as_it_was(node.path), boards)
            return
        beside = source.node(edit.beside)
        parent = beside.path if edit.place == "in" else folder_of(beside.path)
        place = beside.definition.start
        label = "" if edit.node.startswith("/") else edit.node
        self.texts[path] = with_node(
            source, beside, edit.name, label, edit.properties, place=edit.place
        )
        self.meant.new[f"{parent}/{edit.name}"] = edit.properties
        self.change(path, source, place, edit.node, "row", edit)

    def rename(self, edit: RenameEdit, path: str, boards: Mapping[str, BuiltBoard]) -> None:
        source = self.source(path)
        try:
            node = source.node(edit.node)
        except EditRefused:
            # called by its name, which may be the new one already
            node = source.node(edit.after)
        names = {
            name: name_of(path_on(board, node.path))
            for name, board in boards.items()
            if has_node(board, node.path)
        }
        if not names:
            message = f"expected a board with {edit.node}, found none of {some(list(boards))}"
            raise self.faulty(message, edit.where)
        others = [name for name, own in names.items() if own not in (edit.before, edit.after)]
        if others:
            own = names[others[0]]
            message = f"expected {edit.node} to be {edit.before} or, patched, {edit.after}"
            raise self.faulty(
                f"{self.patch.name}: {message}, found {own} on {some(others)}", edit.where
            )
        if set(names.values()) == {edit.after}:
            return
        place = node.definition.start
        self.texts[path] = with_name(source, node, edit.after)
        self.meant.named[node.path] = edit.after
        self.change(path, source, place, edit.node, NAME, edit)

    def as_it_was(self, path: str) -> str:
        """The path of a node before the patch gave it, or one above it, another name."""
        for old, name in self.meant.named.items():
            new = f"{folder_of(old)}/{name}"
            if f"{path}/".startswith(f"{new}/"):
                return old + path[len(new) :]
        return path

    def source(self, path: str) -> DtsText:
        return DtsText(self.texts[path], (self.tree.root / path).as_posix())

    def change(
        self, path: str, source: DtsText, place: int, node: str, name: str, edit: DtsEdit
    ) -> None:
        where = source.location(place, place + 1)
        if isinstance(edit, PropertyEdit):
            before, after = (shown(name, value) for value in (edit.before, edit.after))
        elif isinstance(edit, RenameEdit):
            before, after = edit.before, edit.after
        else:
            before, after = ("present", "") if edit.properties is None else ("", "added")
        table = path.rpartition("/")[2].partition(".")[0]
        self.changes.append(
            ValueChange(path, where.line or 0, where.column or 0, table, node, name, before, after)
        )

    def verified(
        self, boards: Mapping[str, BuiltBoard], texts: Mapping[str, str]
    ) -> dict[str, BuiltBoard]:
        """The boards after the edits. Raises Faulty with the boards that are not as meant."""
        building, built = self.tree.building(texts), dict[str, BuiltBoard]()
        reasons: dict[str, tuple[list[str], Location, dict[str, str]]] = {}
        for name, board in boards.items():
            try:
                built[name] = building.board(name)
            except Unreadable as error:
                first = error.findings[0]
                reason = reasons.setdefault(first.message, ([], first.location, error.texts))
                reason[0].append(name)
                continue
            for number, one in enumerate(strayed(board, built[name], self.meant)):
                if number < _MOST_STRAYED:
                    texts_of = built[name].source.texts
                    reasons.setdefault(one.message, ([], one.where, texts_of))[0].append(name)
        if reasons:
            findings = [
                self.finding(f"{self.patch.name}: {message}, on {some(names)}", where)
                for message, (names, where, _) in reasons.items()
            ]
            shown_texts = {f: t for _, _, more in reasons.values() for f, t in more.items()}
            raise Faulty(findings, shown_texts)
        return built

    def refusal(self, refused: EditRefused, path: str, edit: DtsEdit) -> Faulty:
        source = self.source(path)
        if refused.start == refused.end:
            return self.faulty(f"{self.patch.name}: {source.file}: {refused.message}", edit.where)
        where = source.location(refused.start, refused.end, edit.node)
        finding = self.finding(f"{self.patch.name}: {refused.message}", where)
        return Faulty([finding], {source.file: source.text})

    def finding(self, message: str, where: Location) -> Finding:
        return cannot_patch(message, where, self.patch.name)

    def faulty(self, message: str, where: Location, board: BuiltBoard | None = None) -> Faulty:
        texts = board.source.texts if board else {}
        return Faulty([self.finding(message, where)], texts)
