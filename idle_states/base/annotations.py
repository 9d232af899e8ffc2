"""The types of fields, resolved with the names that modules import for type checkers alone.

`dataclass` asks for them where somebody wants a class's signature: no command does.
"""

import ast
import sys
from inspect import getsource
from types import SimpleNamespace
from typing import Annotated, Any, ForwardRef, get_type_hints


def types_of(kind: Any) -> dict[str, Any]:
    """The types of the arguments that make an object of a dataclass; as written where a name is
    unknown, and where Python 3.11 cannot evaluate them (array[int])."""
    names: dict[str, Any] = {}
    modules = [each.__module__ for each in kind.__mro__]
    for module in modules:
        names = _names(module) | names
        aliases = (each for each in names.values() if isinstance(each, ForwardRef))
        modules += {str(alias.__forward_module__) for alias in aliases} - {*modules, "None"}
    types: dict[str, Any] = {}
    for each in kind.__dataclass_fields__.values():
        if each.init:
            marks = getattr(each.type, "__metadata__", ())
            # of options' own Annotated one of typing
            annotation = Annotated[(each.type.__origin__, *marks)] if marks else each.type
            alone = SimpleNamespace(__annotations__={each.name: annotation})
            try:
                types |= get_type_hints(alone, names, include_extras=True)
            except (NameError, TypeError):
                types[each.name] = each.type
    return types


def _names(module: str) -> dict[str, Any]:
    """The names of a module, with those below its `if TYPE_CHECKING:`."""
    names = dict(vars(sys.modules[module]))
    try:
        lines = ast.parse(getsource(sys.modules[module])).body
    except (OSError, TypeError):
        return names
    blocks = (each for each in lines if isinstance(each, ast.If))
    for block in (each for each in blocks if ast.unparse(each.test) == "TYPE_CHECKING"):
        for line in block.body:
            try:
                exec(compile(ast.Module([line], []), module, "exec"), names)
            except ImportError:
                continue  # of a module that only type checkers have
    return names
