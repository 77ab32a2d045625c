"""Whether code seeds a generator that all code of a process shares."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from manyheads.build.cell_code import Code
from manyheads.build.imports import dotted, imported
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
    """What each name stands for that the code imports, or takes from another cell's import."""
    found: dict[str, str] = {}
    for owner in owners.values():
        if owner.final.kind == "import":
            found |= imported(ast.parse(owner.final.text))
    return found | (imported(code.tree) if code.tree else {})


def seeds_globally(code: Code, owners: Mapping[str, Owner] | None = None) -> bool:
    r"""Whether the code seeds `random`, NumPy's or torch's global generator.

    >>> seeds_globally(Code.of("import torch\ntorch.manual_seed(3)"))
    True
    >>> seeds_globally(Code.of("import torch\ndraw = torch.Generator().manual_seed(3)"))
    False
    """
    modules = modules_of(code, owners or {})
    nodes = ast.walk(code.tree) if code.tree else ()
    return any(isinstance(n, ast.Call) and dotted(n.func, modules) in _SEEDING for n in nodes)
