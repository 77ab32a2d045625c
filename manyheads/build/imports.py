"""What the names that code imports stand for."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping


def imported(tree: ast.AST) -> dict[str, str]:
    r"""What each name stands for that an import anywhere in the code binds.

    >>> imported(ast.parse("import numpy as np\nfrom contextlib import suppress"))
    {'np': 'numpy', 'suppress': 'contextlib.suppress'}
    """
    return dict(_imported(tree))


def modules(tree: ast.AST) -> Iterator[str]:
    r"""The modules that code imports, wherever in it; what comes from a package may be one, too.

    >>> list(modules(ast.parse("import numpy.testing as t\nfrom torch import nn")))
    ['numpy.testing', 'torch', 'torch.nn']
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{a.name}" for a in node.names if a.name != "*")


def dotted(node: ast.AST, modules: Mapping[str, str]) -> str:
    """What a name or `np.random.seed` stands for; an empty string if its start is no import.

    >>> dotted(ast.parse("np.random.seed").body[0].value, {"np": "numpy"})
    'numpy.random.seed'
    """
    if isinstance(node, ast.Name):
        return modules.get(node.id, "")
    if isinstance(node, ast.Attribute):
        start = dotted(node.value, modules)
        return f"{start}.{node.attr}" if start else ""
    return ""


def _imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.split(".")[0]
                yield alias.asname or root, alias.name if alias.asname else root
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module or ''}.{alias.name}"
