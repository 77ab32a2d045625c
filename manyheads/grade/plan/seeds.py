"""What imported names stand for, and whether code seeds a generator that all code shares."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from manyheads.grade.plan.code import Code
from manyheads.grade.plan.owners import Owner

_SEEDING = frozenset(
    {
        "random.seed",
        "random.setstate",
        "numpy.random.seed",
        "numpy.random.set_state",
        "torch.manual_seed",
        "torch.random.manual_seed",
        "torch.set_rng_state",
        "torch.seed",
    }
)


def modules_of(code: Code, owners: Mapping[str, Owner]) -> dict[str, str]:
    r"""What each name stands for that the code imports, or takes from another cell's import.

    >>> modules_of(Code.of("import numpy as np\nfrom contextlib import suppress"), {})
    {'np': 'numpy', 'suppress': 'contextlib.suppress'}
    """
    found: dict[str, str] = {}
    for owner in owners.values():
        if owner.final.kind == "import":
            found |= dict(_paths(ast.parse(owner.final.text)))
    return found | (dict(_paths(code.tree)) if code.tree else {})


def _paths(tree: ast.AST) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.split(".")[0]
                yield alias.asname or root, alias.name if alias.asname else root
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module or ''}.{alias.name}"


def seeds_globally(code: Code, owners: Mapping[str, Owner] | None = None) -> bool:
    r"""Whether the code seeds `random`, NumPy's or torch's global generator.

    >>> seeds_globally(Code.of("import torch\ntorch.manual_seed(7)"))
    True
    >>> seeds_globally(Code.of("import torch\ndraw = torch.Generator().manual_seed(7)"))
    False
    """
    modules = modules_of(code, owners or {})
    nodes = ast.walk(code.tree) if code.tree else ()
    return any(isinstance(n, ast.Call) and _path(n.func, modules) in _SEEDING for n in nodes)


def _path(node: ast.AST, modules: Mapping[str, str]) -> str:
    if isinstance(node, ast.Name):
        return modules.get(node.id, "")
    if isinstance(node, ast.Attribute):
        start = _path(node.value, modules)
        return f"{start}.{node.attr}" if start else ""
    return ""
