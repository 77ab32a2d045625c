"""What a cell's code reads and binds, as far as its text tells."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from manyheads.build.names import defined_names, reads
from manyheads.build.standalone import foreign_names

BUILTIN = frozenset(dir(builtins))
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


@dataclass(frozen=True)
class Code:
    r"""A code cell's text, taken apart.

    `tree` is None for text that is no Python even once IPython's magics are translated; such a
    cell reads and binds nothing that can be known. `magic` tells that there were magics.

    >>> code = Code.of("import numpy as np\nheads = np.arange(H)")
    >>> sorted(code.binds), sorted(code.imports), sorted(code.free)
    (['heads', 'np'], ['np'], ['H'])
    """

    text: str
    tree: ast.Module | None
    magic: bool = False
    imports: dict[str, str] = field(default_factory=dict)
    stars: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str) -> Code:
        """The code of a cell that holds `text`."""
        tree, magic = _parsed(text)
        if tree is None:
            return cls(text, None, magic)
        found = list(_imports(tree))
        imports = {name: statement for name, statement in found if name != "*"}
        stars = tuple(statement for name, statement in found if name == "*")
        return cls(text, tree, magic, imports, stars)

    @cached_property
    def assigned(self) -> frozenset[str]:
        """Names that the cell sets at its top level by other means than an import."""
        if self.tree is None:
            return frozenset()
        declared = [sub.names for sub in ast.walk(self.tree) if isinstance(sub, ast.Global)]
        names = frozenset(defined_names(ast.unparse(self.tree))).union(*declared)
        return names - (_names(self.tree, ast.Del) - _names(self.tree, ast.Store))

    @property
    def binds(self) -> frozenset[str]:
        """Names that the cell sets at its top level."""
        return self.assigned | frozenset(self.imports)

    @cached_property
    def free(self) -> frozenset[str]:
        """Names, builtins too, that the cell may take from outside it."""
        if self.tree is None:
            return frozenset()
        unset = set(foreign_names(ast.unparse(self.tree))) - {"*"}
        return frozenset(unset | ((self.reads & BUILTIN) - self.binds))

    @cached_property
    def reads(self) -> frozenset[str]:
        """All names that the cell reads at its top level or from within its functions."""
        return frozenset() if self.tree is None else frozenset(reads(self.tree))

    @property
    def builtins(self) -> frozenset[str]:
        """The builtins among the names that the cell takes from outside it."""
        return self.free & BUILTIN

    @cached_property
    def read_by_functions(self) -> frozenset[str]:
        """Names of the notebook that the cell's functions and classes read when they are used."""
        if self.tree is None:
            return frozenset()
        found = (reads(node) for node in self.tree.body if isinstance(node, _SCOPES))
        return frozenset().union(*found)

    @cached_property
    def read_by_classes(self) -> frozenset[str]:
        """Names that class bodies read; Python looks them up past a dictionary's `__missing__`."""
        if self.tree is None:
            return frozenset()
        classes = (node for node in ast.walk(self.tree) if isinstance(node, ast.ClassDef))
        return frozenset().union(*map(reads, classes))


def _parsed(text: str) -> tuple[ast.Module | None, bool]:
    """The text's syntax tree, and whether IPython had to translate it first."""
    try:
        return ast.parse(text), False
    except (RecursionError, MemoryError):  # nested too deep for Python's own parser
        return None, True
    except (SyntaxError, ValueError):
        pass
    from IPython.core.inputtransformer2 import TransformerManager

    try:
        translate = TransformerManager().transform_cell  # type: ignore[no-untyped-call]
        return ast.parse(translate(text)), True
    except (SyntaxError, ValueError):
        return None, True


def _imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Each name that an import binds at the top level, with a statement that binds it alone."""
    for node in _top_level(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.split(".")[0]
                yield name, ast.unparse(ast.Import([alias]))
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                one = ast.ImportFrom(node.module, [alias], node.level)
                yield alias.asname or alias.name, ast.unparse(one)


def _names(tree: ast.AST, context: type[ast.expr_context]) -> set[str]:
    """Names that stand alone somewhere to be set, or to be deleted."""
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
    return {node.id for node in nodes if isinstance(node.ctx, context)}


def _top_level(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes outside of functions and classes."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, _SCOPES):
            yield from _top_level(child)
