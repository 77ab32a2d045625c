"""The measurements as docs/performance.md, and the floors they are held to."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from bench.parts.usage import Usage

FASTER = 30.0  # times, in wall time, start-up included
BEYOND = 0.100  # seconds of processor time a notebook, beyond the cells' own
UNEXPLAINED = "no reason"
MEMORY = "## Memory\n"
GROWTH = 1.10  # of usual memory, from the smallest class to the largest


@dataclass(frozen=True)
class Round:
    """A class graded by one worker, what it costs for a class of one, the cells' own seconds.

    Processor time is compared with one worker at work: two share caches, and slow down each other
    and whatever they run.
    """

    one: Usage
    start: Usage
    own: Sequence[float]  # for each notebook

    @property
    def own_mean(self) -> float:
        """The cells' own seconds a notebook."""
        return sum(self.own) / len(self.own)

    @property
    def notebook(self) -> float:
        """Seconds of processor time a notebook, start-up taken off."""
        return (self.one.processor - self.start.processor) / (len(self.own) - 1)

    @property
    def beyond(self) -> float:
        """The same without the cells' own."""
        return self.notebook - self.own_mean


def middle_of(rounds: Sequence[Round]) -> Round:
    """The round of which as many others were better as were worse."""
    return sorted(rounds, key=lambda one: one.beyond)[len(rounds) // 2]


@dataclass(frozen=True)
class Held:
    """Bytes that all processes of a run held together.

    The most of them depends on which two submissions happen to run at once.
    """

    usual: int
    most: int


@dataclass(frozen=True)
class Measured:
    """What one run saw; `round` is the middle one of several."""

    submissions: int
    lessons: Sequence[str]
    nbgrader: Usage
    round: Round
    two: Usage
    cells: int
    differing: Sequence[str]

    @property
    def unexplained(self) -> int:
        """How many scores differ from nbgrader's without one of the documented reasons."""
        return sum(words.endswith(UNEXPLAINED) for words in self.differing)

    @property
    def ratio(self) -> float:
        """How many times faster than nbgrader, in wall time with two workers."""
        return self.nbgrader.wall / self.two.wall


def verdicts(measured: Measured) -> list[str]:
    """The floors that were missed, in words."""
    checks = {
        f"{measured.ratio:.1f} times faster, not {FASTER:g}": measured.ratio >= FASTER,
        f"{1e3 * measured.round.beyond:.0f} ms a notebook beyond the cells' own": (
            measured.round.beyond <= BEYOND
        ),
        f"{measured.unexplained} scores differ for no reason": not measured.unexplained,
    }
    return [words for words, reached in checks.items() if not reached]


def growth(memory: Mapping[int, Held]) -> list[str]:
    """That memory grew, if it did, in words; by class size."""
    low, high = min(memory), max(memory)
    times = memory[high].usual / memory[low].usual
    words = f"memory grew {times:.2f} times from {low} to {high} submissions"
    return [words] if times > GROWTH else []


def put(root: Path, *, times: str = "", memory: str = "") -> None:
    """Write a part of docs/performance.md anew; the other part stays."""
    page = root / "docs" / "performance.md"
    above, title, below = page.read_text(encoding="utf-8").partition(MEMORY)
    page.write_text(f"{times or above}{memory or title + below}", encoding="utf-8")


def times(measured: Measured) -> str:
    """The first part of docs/performance.md."""
    part = measured.round
    own = f"{1e3 * part.own_mean:.0f} ms"
    return f"""\
# Performance of grading

Written by `python -m bench.grading`, its last part by `python -m bench.memory` (both are parts of
`make bench`); every number of a part is from one run.

{measured.submissions} generated submissions, honest and varied, to {", ".join(measured.lessons)}.
Machine: {_machine()}. Versions: {_versions()}.

## Against nbgrader

Start-up is included, feedback pages are not: `nbgrader autograde` writes none either.

| | wall s | processor s | submissions a minute | times as fast |
|---|---|---|---|---|
{_row("stock `nbgrader autograde`, one lesson after the other", measured.nbgrader, measured)}
{_row("`manyheads grade --workers 1`", part.one, measured)}
{_row("`manyheads grade --workers 2`", measured.two, measured)}

Automatic scores compared: {measured.cells} cells, {len(measured.differing)} differ, of these
{measured.unexplained} without one of the reasons in [running-a-class.md](running-a-class.md).
{_differing(measured)}

## Where the time goes

The middle one of three rounds with one worker, one after the other.

| processor time | |
|---|---|
| start-up of one worker (a class of one) | {part.start.processor:.1f} s |
| a notebook, one worker at work, start-up taken off | {1e3 * part.notebook:.0f} ms |
| of that the cells' own: plain `exec` when all is loaded, students' figures drawn | {own} |
| beyond the cells' own | {1e3 * part.beyond:.0f} ms |
| share of the whole run that is the students' own code | {_share(measured)} % |

"""


def held(memory: Mapping[int, Held]) -> str:
    """The last part of docs/performance.md, by class size."""
    rows = (f"| {size:,} | {one.usual >> 20} | {one.most >> 20} |" for size, one in memory.items())
    return f"""\
{MEMORY}
All processes of a run with two workers together (shared pages counted once); 200 submissions are
handed in again and again. What is usual is the middle one of all looks since the size before.

| submissions | usual MiB | most MiB up to there |
|---|---|---|
{chr(10).join(rows)}
"""


def _differing(measured: Measured) -> str:
    return "".join(f"\n- {words}" for words in measured.differing)


def _row(what: str, used: Usage, measured: Measured) -> str:
    pace, times = 60 * measured.submissions / used.wall, measured.nbgrader.wall / used.wall
    return f"| {what} | {used.wall:.1f} | {used.processor:.1f} | {pace:.0f} | {times:.1f} |"


def _share(measured: Measured) -> int:
    return round(100 * sum(measured.round.own) / measured.two.processor)


def _machine() -> str:
    return f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}"


def _versions() -> str:
    names = ("nbgrader", "torch", "numpy", "ipython")
    return ", ".join([f"Python {platform.python_version()}", *(f"{n} {version(n)}" for n in names)])
