"""The names a piece of code defines, reads and binds."""

from __future__ import annotations

import ast
import symtable


def defined_names(code: str) -> set[str]:
    r"""Names that code defines at its top level; imported ones are not its own.

    >>> sorted(defined_names("import torch\nD = 12\ndef f(x):\n    y = x"))
    ['D', 'f']
    """
    table = _scopes(ast.parse(code))
    return {s.get_name() for s in table.get_symbols() if s.is_assigned() and not s.is_imported()}


def reads(node: ast.AST) -> set[str]:
    """Names an expression or definition takes from the module it stands in.

    >>> sorted(reads(ast.parse("[f(x) for x in xs]").body[0]))
    ['f', 'xs']
    """
    top = _scopes(node)
    found = {s.get_name() for s in top.get_symbols() if s.is_referenced()}
    inner = list(top.get_children())
    while inner:
        table = inner.pop()
        inner.extend(table.get_children())
        found |= {s.get_name() for s in table.get_symbols() if s.is_global() and s.is_referenced()}
    return found


def _scopes(node: ast.AST) -> symtable.SymbolTable:
    text = ast.unparse(node)
    if any(isinstance(sub, ast.ListComp | ast.SetComp | ast.DictComp) for sub in ast.walk(node)):
        text = ast.unparse(_AsGenerators().visit(ast.parse(text)))  # of a tree that no one else has
    return symtable.symtable(text, "cell", "exec")


class _AsGenerators(ast.NodeTransformer):
    """Writes comprehensions as generators, which read the same names.

    From Python 3.12 a comprehension is inlined, and its variables look like the module's.
    """

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp) -> ast.AST:
        return self.generic_visit(ast.GeneratorExp(node.elt, node.generators))

    visit_SetComp = visit_ListComp  # noqa: N815  ast's name

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        both = ast.Tuple([node.key, node.value], ast.Load())
        return self.generic_visit(ast.GeneratorExp(both, node.generators))


def bound_by(node: ast.AST) -> set[str]:
    """Names an assignment's target binds.

    >>> sorted(bound_by(ast.parse("a, (b, *c), d[0] = x").body[0].targets[0]))
    ['a', 'b', 'c']
    """
    if isinstance(node, ast.Name):
        return {node.id}
    if isinstance(node, ast.Starred):
        return bound_by(node.value)
    if isinstance(node, ast.Tuple | ast.List):
        return set().union(*map(bound_by, node.elts))
    return set()


def walrus(node: ast.AST) -> set[str]:
    """Names bound by := anywhere in an expression."""
    return {sub.target.id for sub in ast.walk(node) if isinstance(sub, ast.NamedExpr)}


def captured(pattern: ast.pattern) -> set[str]:
    """Names a match pattern binds."""
    return {
        name
        for sub in ast.walk(pattern)
        for name in (getattr(sub, "name", None), getattr(sub, "rest", None))
        if isinstance(name, str)
    }
