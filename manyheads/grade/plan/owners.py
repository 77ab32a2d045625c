"""Who owns each name that a test reads: the judge's own environment, or the student's notebook.

The last cell of the instructor's notebook above the test that binds a name says whose it is. A
student's notebook has no say in it, so a learner's variable called `x`, `np` or `len` moves no
verdict.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from manyheads.build.cell_code import BUILTIN, Code

Kind = Literal["import", "star", "test", "given", "builtin", "student"]
Role = Literal["solution", "test", "given", "plain"]

# What makes another run of given code give other values.
_DRAWS = {"rand", "randn", "randint", "random", "rand_like", "randn_like", "randperm", "integers"}
_DRAWS |= {"choice", "choices", "shuffle", "sample", "permutation", "normal", "uniform"}
_DRAWS |= {"standard_normal", "urandom", "uuid4", "time", "now", "today"}
_SEEDS = frozenset({"seed", "manual_seed", "default_rng", "RandomState", "Random"})
# Given code that does this works in the student's process alone.
_OUTSIDE = frozenset({"open", "get_ipython", "globals", "locals", "exec", "eval", "input"})


@dataclass(frozen=True)
class Owner:
    """Who owns a name.

    `import`: `text` is a statement that binds it; `star`: a `from ... import *` that may bind it,
    `otherwise` tells who owns it if it doesn't. `test`: the judge's namespace of the earlier test
    `text`. `given`: the judge runs the given cell at `place`. `builtin`, and `student`: a name of
    the student's process.
    """

    kind: Kind
    text: str = ""
    place: int = -1
    otherwise: Owner | None = None

    @property
    def final(self) -> Owner:
        """The owner behind all star imports."""
        return self if self.otherwise is None else self.otherwise.final


STUDENT = Owner("student")
BUILTIN_OWNER = Owner("builtin")


@dataclass(frozen=True)
class Place:
    """One code cell of the instructor's notebook: its role, its `grade_id` if any, its code."""

    role: Role
    name: str
    code: Code


@dataclass(frozen=True)
class Owners:
    """The code cells of the instructor's notebook, asked who owns a name at one of them.

    `apart` are the places of tests that run in the student's process.

    >>> plain = Place("plain", "", Code.of("import math"))
    >>> cells = (plain, Place("solution", "f", Code.of("f = 1")))
    >>> [Owners(cells).of(name, 2).kind for name in ("math", "f", "len", "other")]
    ['import', 'student', 'builtin', 'student']
    """

    places: Sequence[Place]
    apart: set[int] = field(default_factory=set)

    def of(self, name: str, before: int) -> Owner:
        """Who owns `name` in the code cell number `before`."""
        for place in range(before - 1, -1, -1):
            cell = self.places[place]
            if name in cell.code.binds and not self._passed_over(name, place):
                return self._bound_by(cell, name, place)
            if cell.code.stars and not name.startswith("_"):
                return Owner("star", cell.code.stars[-1], place, self.of(name, place))
        return BUILTIN_OWNER if name in BUILTIN else STUDENT

    def free(self, place: int) -> dict[str, Owner]:
        """The owner of each name that the code cell at `place` may take from outside."""
        return {name: self.of(name, place) for name in sorted(self.places[place].code.free)}

    def given_below(self, owners: Mapping[str, Owner]) -> Iterator[int]:
        """The given cells that these owners need, directly or through other given cells."""
        for owner in owners.values():
            if owner.final.kind == "given":
                yield owner.final.place
                yield from self.given_below(self.free(owner.final.place))

    def _passed_over(self, name: str, place: int) -> bool:
        """Whether a test that runs with the student only puts a student's name back."""
        return place in self.apart and any(
            cell.role == "solution" and name in cell.code.binds for cell in self.places[:place]
        )

    def _bound_by(self, cell: Place, name: str, place: int) -> Owner:
        if name in cell.code.imports:
            return Owner("import", cell.code.imports[name], place)
        if cell.role == "test":
            return Owner("test", cell.name, place)
        if cell.role == "given" and self._trusted(place):
            return Owner("given", cell.name, place)
        return STUDENT

    def _trusted(self, place: int) -> bool:
        """Whether the judge can run a given cell itself and get what the student's process has.

        It may need imports and such given code only. A class stays the student's, since objects
        of another class of that name are other objects; so does what is drawn without a seed.
        """
        code = self.places[place].code
        if code.tree is None or code.magic or _outside(code.tree):
            return False
        kinds = ("import", "given", "builtin")
        return all(owner.final.kind in kinds for owner in self.free(place).values())


def _outside(tree: ast.Module) -> bool:
    used = set(_words(tree))
    if any(isinstance(node, ast.ClassDef) for node in ast.walk(tree)) or used & _OUTSIDE:
        return True
    return bool(used & _DRAWS) and not used & _SEEDS


def _words(tree: ast.AST) -> Iterator[str]:
    """Names and attributes that code reads."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
