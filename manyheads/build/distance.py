"""What a test can't do from a distance, found in its text.

A test is run by the judge, in a process of its own; a student's plain values come to it as copies,
everything else as a stand-in that can be called and read. A test that needs more has to run in the
student's process, where its verdict can be forged.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from manyheads.build.imports import dotted

OPT_OUT_TAG = "runs-with-student"

# Builtins that reach into the process in which they are called.
_HERE = {
    "globals": "looks into globals()",
    "locals": "looks into locals()",
    "exec": "runs text by exec()",
    "eval": "runs text by eval()",
    "get_ipython": "asks IPython",
    "open": "opens files",
    "input": "reads input()",
    "__import__": "imports by name",
}
_HERE_WITHOUT_ARGUMENTS = {"vars": "looks into vars()", "dir": "looks into dir()"}
# Modules of which any use is about one process.
_MODULES_HERE = {
    "__main__": "looks into __main__",
    "os": "uses os",
    "pathlib": "uses files",
    "glob": "uses files",
    "shutil": "uses files",
    "tempfile": "uses files",
    "subprocess": "starts a process",
    "inspect": "inspects code",
    "dis": "inspects code",
    "gc": "walks objects by gc",
    "weakref": "keeps weak references",
    "pickle": "pickles objects",
    "doctest": "runs doctests of the notebook",
    "ipytest": "runs ipytest",
    "IPython": "uses IPython",
    "nbgrader": "uses nbgrader",
    "monkeypatch": "patches",
}
# Modules whose objects can't be carried from one process to another.
_MODULES_OF_OBJECTS = {"pandas", "polars", "xarray", "sympy", "networkx", "sqlite3", "PIL"}
_MODULES_OF_OBJECTS |= {"matplotlib", "seaborn", "plotly", "altair", "tensorflow", "jax"}
# What is about one process, wherever it comes from.
_MEMBERS_HERE = {
    "unittest.main": "lets unittest collect tests of the notebook",
    "unittest.mock.patch": "patches names",
    "pytest.main": "lets pytest collect tests of the notebook",
    "contextlib.redirect_stdout": "captures what is printed",
    "contextlib.redirect_stderr": "captures what is printed",
    "sys.stdout": "captures what is printed",
    "sys.stderr": "captures what is printed",
    "sys.stdin": "replaces sys.stdin",
    "sys.modules": "looks into sys.modules",
    "sys._getframe": "walks frames",
    "numpy.load": "reads files",
    "numpy.loadtxt": "reads files",
    "numpy.genfromtxt": "reads files",
    "numpy.fromfile": "reads files",
    "torch.load": "reads files",
    "typing.get_type_hints": "inspects annotations",
}
_GRADIENTS = frozenset({"backward", "grad", "requires_grad_", "zero_grad", "retain_grad"})
_PARAMETERS = frozenset({"parameters", "named_parameters"})
_RAISES = frozenset({"raises", "assertRaises", "assertRaisesRegex", "assert_raises", "suppress"})
_READABLE = frozenset({"__name__", "__doc__", "__version__"})
# Classes whose instances arrive as copies of the same class, so that isinstance() may be asked.
_CARRIED = {"Tensor", "Parameter", "Size", "ndarray", "generic", "number", "integer", "floating"}
_CARRIED |= {"bool_", "str_", "int32", "int64", "float32", "float64", "complexfloating", "NoneType"}
_CARRIED |= {"Number", "Complex", "Real", "Rational", "Integral", "Callable", "List", "Tuple"}
_CARRIED |= {"Sequence", "MutableSequence", "Mapping", "MutableMapping", "Set", "Dict"}
_CARRIED |= {"Iterable", "Collection", "Sized", "Hashable"}
_CONSTANT_TYPES = frozenset(
    name for name, value in vars(builtins).items() if isinstance(value, type)
) - {"object", "type", "super", "property", "classmethod", "staticmethod"}


@dataclass(frozen=True)
class Obstacle:
    """What can't be done from a distance: the line of the cell, and what the test does there."""

    line: int
    what: str


def obstacles(
    tree: ast.Module, students: Collection[str], modules: Mapping[str, str]
) -> list[Obstacle]:
    r"""All that the test does and can't do from a distance, in the order of its lines.

    `students` are the names that it takes from the student's process; `modules` tells of the names
    that are imported what they stand for, as `numpy` or `contextlib.redirect_stdout`.

    >>> obstacles(ast.parse("squares(3)\ndel squares"), {"squares"}, {})
    [Obstacle(line=2, what='deletes squares')]
    """
    test = _Test(frozenset(students), modules)
    found = {Obstacle(getattr(node, "lineno", 1), what) for node, what in test.look_at(tree)}
    return sorted(found, key=lambda one: (one.line, one.what))


Findings = Iterator[tuple[ast.AST, str]]


class _Test:
    """A test's text, and the names that it takes from outside."""

    def __init__(self, students: frozenset[str], modules: Mapping[str, str]) -> None:
        self.students, self.modules = students, modules

    def look_at(self, tree: ast.Module) -> Findings:
        """Every obstacle with its node."""
        for node in ast.walk(tree):
            for look in _ANYWHERE.get(type(node), ()):
                yield from ((node, what) for what in look(self, node))
            if self.students:
                for look in _WITH_STUDENTS.get(type(node), ()):
                    yield from ((node, what) for what in look(self, node))

    def name(self, node: ast.AST | None) -> str:
        """The student's name at the root of `a`, `a.b` or `a[0].c`, or an empty string."""
        while isinstance(node, ast.Attribute | ast.Subscript):
            node = node.value
        return node.id if isinstance(node, ast.Name) and node.id in self.students else ""

    def names(self, node: ast.AST | None) -> list[str]:
        """The student's names that stand in a name or in a tuple of names."""
        parts = node.elts if isinstance(node, ast.Tuple) else [node]
        return [name for part in parts if (name := self.name(part))]

    def path(self, node: ast.AST) -> str:
        """What a name or an attribute of the test stands for, if it is imported."""
        return dotted(node, self.modules)


def _named(test: _Test, node: ast.Name) -> Iterator[str]:
    if node.id in _HERE and node.id not in test.students | set(test.modules):
        yield _HERE[node.id]
    yield from _imported(test, node)


def _imported(test: _Test, node: ast.Name | ast.Attribute) -> Iterator[str]:
    path = test.path(node)
    if path and isinstance(node, ast.Name) and path.split(".")[0] in _MODULES_HERE:
        yield _MODULES_HERE[path.split(".")[0]]
    if path in _MEMBERS_HERE:
        yield _MEMBERS_HERE[path]


def _called(_: _Test, node: ast.Call) -> Iterator[str]:
    function = node.func.id if isinstance(node.func, ast.Name) else ""
    if function in _HERE_WITHOUT_ARGUMENTS and not node.args:
        yield _HERE_WITHOUT_ARGUMENTS[function]


def _awaited(_: _Test, __: ast.AST) -> Iterator[str]:
    yield "awaits"


def _objects(test: _Test, node: ast.Name) -> Iterator[str]:
    module = test.path(node).split(".")[0]
    if module in _MODULES_OF_OBJECTS:
        yield f"uses objects of {module}"


def _attribute(test: _Test, node: ast.Attribute) -> Iterator[str]:
    owner = test.name(node)
    if isinstance(node.ctx, ast.Store | ast.Del) and owner:
        yield f"changes {owner}.{node.attr}"
    elif owner and node.attr.startswith("__") and node.attr not in _READABLE:
        yield f"looks into {owner}.{node.attr}"
    if node.attr in _GRADIENTS:
        yield f"takes gradients by .{node.attr}"
    if node.attr in _PARAMETERS:
        yield f"reads .{node.attr}"


def _subscript(test: _Test, node: ast.Subscript) -> Iterator[str]:
    if isinstance(node.ctx, ast.Store | ast.Del) and test.name(node):
        yield f"changes the content of {test.name(node)}"


def _deleted(test: _Test, node: ast.Delete) -> Iterator[str]:
    names = [target.id for target in node.targets if isinstance(target, ast.Name)]
    yield from (f"deletes {name}" for name in names if name in test.students)


def _asked(test: _Test, node: ast.Call) -> Iterator[str]:
    function = node.func.id if isinstance(node.func, ast.Name) else ""
    function = node.func.attr if isinstance(node.func, ast.Attribute) else function
    if function in ("isinstance", "issubclass") and len(node.args) == 2:
        yield from (
            f"asks {function}(..., {ast.unparse(kind)})"
            for kind in _kinds(node.args[1])
            if not _is_carried(kind)
        )
    if function in ("setattr", "delattr", "id") and node.args and test.name(node.args[0]):
        yield f"calls {function}({test.name(node.args[0])})"
    if function in _RAISES:
        yield from (f"catches {name}" for argument in node.args for name in test.names(argument))


def _kinds(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.Tuple):
        return [kind for part in node.elts for kind in _kinds(part)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_kinds(node.left), *_kinds(node.right)]
    return [node]


def _is_carried(kind: ast.expr) -> bool:
    """Whether the class's instances arrive as instances of that class."""
    if isinstance(kind, ast.Name):
        return kind.id in _CONSTANT_TYPES | _CARRIED
    if isinstance(kind, ast.Call):  # type(None), type(x)
        return isinstance(kind.func, ast.Name) and kind.func.id == "type"
    return isinstance(kind, ast.Constant) or (
        isinstance(kind, ast.Attribute) and kind.attr in _CARRIED
    )


def _compared(test: _Test, node: ast.Compare) -> Iterator[str]:
    sides = [node.left, *node.comparators]
    for operator, left, right in zip(node.ops, sides, sides[1:], strict=False):
        same = _same_everywhere(test, left) or _same_everywhere(test, right)
        if isinstance(operator, ast.Is | ast.IsNot) and not same:
            yield f"asks {ast.unparse(left)} is {ast.unparse(right)}"


def _same_everywhere(test: _Test, node: ast.expr) -> bool:
    """Whether an object is one and the same in every process: None, a builtin type, a dtype."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.Name) and node.id in _CONSTANT_TYPES:
        return True
    return bool(test.path(node))


def _inherited(test: _Test, node: ast.ClassDef) -> Iterator[str]:
    yield from (f"derives a class of {name}" for base in node.bases if (name := test.name(base)))


def _caught(test: _Test, node: ast.ExceptHandler) -> Iterator[str]:
    yield from (f"catches {name}" for name in test.names(node.type))


Look = Callable[[_Test, Any], Iterator[str]]
_ANYWHERE: Mapping[type[ast.AST], tuple[Look, ...]] = {
    ast.Name: (_named, _objects),
    ast.Attribute: (_imported,),
    ast.Call: (_called,),
}
_WITH_STUDENTS: Mapping[type[ast.AST], tuple[Look, ...]] = {
    ast.Attribute: (_attribute,),
    ast.Subscript: (_subscript,),
    ast.Delete: (_deleted,),
    ast.Call: (_asked,),
    ast.Compare: (_compared,),
    ast.ClassDef: (_inherited,),
    ast.ExceptHandler: (_caught,),
    ast.Await: (_awaited,),
    ast.AsyncFor: (_awaited,),
    ast.AsyncWith: (_awaited,),
}
