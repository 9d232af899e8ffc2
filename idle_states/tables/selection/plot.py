"""select as a picture: a row for each kernel or table, a band for each range of idle lengths.

matplotlib draws it, an optional extra. Bands differ in hatching and carry the state's number, so
that they can be told apart without colour. The same selections give the same bytes of SVG.
"""

import io
import os
from collections.abc import Sequence
from typing import Any

from ...base.extras import package
from ...base.model.findings import Location
from ...base.wording import joined
from ...base.workers import variable
from .selection import Mapped, TableSelection
from .words import circumstances

_HATCHES = ("", "//", "..", "\\\\", "xx", "--", "oo", "||", "++", "**")
_FIRST_US = 0.5
_COLUMNS_INCHES = 11.0


def picture(selections: Sequence[TableSelection], form: str) -> bytes:
    """form: svg or png. Raises Unreadable where matplotlib is not installed."""
    matplotlib, figure_class, patch = _matplotlib()
    names = list(dict.fromkeys(name for s in selections for name in s.names))
    rows = [(s, mapped) for mapped in range(len(_shown(selections[0]))) for s in selections]
    last_us = 2 * max(
        (r.first_ns / 1000 for s in selections for m in _shown(s) for r in m.ranges), default=1
    )
    settings = {"svg.hashsalt": "idle-states", "svg.fonttype": "none", "hatch.linewidth": 0.6}
    with matplotlib.rc_context(settings):
        figure = figure_class(figsize=(_COLUMNS_INCHES, 1.6 + 0.45 * len(rows)))
        axes = figure.add_subplot()
        for place, (selection, number) in enumerate(rows):
            _row(axes, place, selection, _shown(selection)[number], names, max(last_us, 10.0))
        axes.set_xscale("log")
        axes.set_xlim(_FIRST_US, max(last_us, 10.0))
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set_ylim(len(rows) - 0.5, -0.5)
        governors = list(dict.fromkeys(s.governor for s in selections))
        labels = [
            (f"{s.governor}, " if len(governors) > 1 else "")
            + _label(s, _shown(s)[number], len(selections) > 1)
            for s, number in rows
        ]
        axes.set_yticks(range(len(rows)), labels, fontsize=8)
        axes.set_xlabel("idle length in us, every idle period alike")
        first = selections[0]
        axes.set_title(f"Selected by {joined(governors)}, HZ {first.hz}", loc="left")
        handles = [
            patch(facecolor=_shade(i), hatch=_hatch(i), edgecolor="black", label=f"{i} {name}")
            for i, name in enumerate(names)
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=5, fontsize=8)
        figure.set_layout_engine("constrained")
        stream = io.BytesIO()
        metadata = {"Date": None} if form == "svg" else {"Software": None}
        figure.savefig(stream, format=form, metadata=metadata, dpi=150)
    return stream.getvalue()


def _shown(selection: TableSelection) -> list[Mapped]:
    """Maps over the idle's length."""
    return [mapped for mapped in selection.maps if mapped.idle_ns is None]


def _row(
    axes: Any,
    place: int,
    selection: TableSelection,
    mapped: Mapped,
    names: list[str],
    last_us: float,
) -> None:
    for r in mapped.ranges:
        left = max(r.first_ns / 1000, _FIRST_US)
        right = last_us if r.last_ns is None else (r.last_ns + 1) / 1000
        if right <= left:
            continue
        states = [names.index(name) for name in selection.taken(r.states) if name in names]
        height = 0.8 / max(1, len(states))
        for layer, state in enumerate(sorted(states)):
            axes.barh(
                place - 0.4 + (layer + 0.5) * height,
                right - left,
                height,
                left,
                color=_shade(state),
                hatch=_hatch(state),
                edgecolor="black",
                linewidth=0.6,
            )
        if right / left > 1.2:
            text = "+".join(str(state) for state in sorted(states))
            box = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
            middle = (left * right) ** 0.5
            axes.text(middle, place, text, ha="center", va="center", fontsize=7, bbox=box)


def _label(selection: TableSelection, mapped: Mapped, several: bool) -> str:
    whose = f"{selection.table or 'states'} {selection.release.name}\n" if several else ""
    return whose + circumstances(mapped)


def _shade(state: int) -> str:
    """Grey, lighter with depth, so that hatching stays visible."""
    return str(round(min(0.55 + 0.05 * state, 0.95), 2))


def _hatch(state: int) -> str:
    return _HATCHES[state % len(_HATCHES)]


def require() -> None:
    """Raises Unreadable where matplotlib is not installed."""
    _matplotlib()


def _matplotlib() -> tuple[Any, Any, Any]:
    """Imports matplotlib with its built-in settings: an empty file is its configuration."""
    with variable("MATPLOTLIBRC", os.devnull):
        matplotlib, figure, patches = (
            package("plot", module, Location("--plot"))
            for module in ("matplotlib", "matplotlib.figure", "matplotlib.patches")
        )
    return matplotlib, figure.Figure, patches.Patch
