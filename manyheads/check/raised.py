"""Sentences for a learner's function that raises, and its traceback cut down to their own lines."""

from __future__ import annotations

import sysconfig
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from manyheads.check.engine import takes
from manyheads.check.exercise import Exercise, Finding, Trial

PACKAGE = str(Path(__file__).resolve().parents[1])
MOST_FRAMES = 4

# start of the message: cause id, meaning, probe
BY_MESSAGE: tuple[tuple[str, str, str, str], ...] = (
    (
        "view size is not compatible",
        "view-cannot-span",
        "A view keeps the data where it lies. After two axes have changed places, neighbours in "
        "the tensor are no longer neighbours in memory, and some shapes can't be had as a view.",
        "what do .is_contiguous() and .stride() print just before that line?",
    ),
    (
        "mat1 and mat2 shapes cannot be multiplied",
        "shapes-do-not-meet",
        "In a @ b the last axis of a has to be as long as the first axis of b's rows: [B, T, D] "
        "meets [D, width].",
        "print the shapes on both sides of that @. Which matrix is the wrong way round, or cut?",
    ),
    (
        "Expected size for first two dimensions of batch2",
        "shapes-do-not-meet",
        "In a @ b the last axis of a has to be as long as the first axis of b's rows: [B, T, D] "
        "meets [D, width].",
        "print the shapes on both sides of that @. Which of the two belongs on the left?",
    ),
    (
        "split_with_sizes expects",
        "split-sizes-do-not-fit",
        "The sizes of a split have to add up to the axis that is cut, and that axis is the first "
        "one (dim=0) unless you say which.",
        "add up your sizes. Along which axis, and how long is it?",
    ),
    (
        "shape '",
        "sizes-do-not-multiply",
        "A reshape keeps every number, so the sizes you ask for have to multiply to the number of "
        "elements that there are.",
        "multiply the sizes of x, then the sizes you ask for. Which factor is too many or too few?",
    ),
)
BY_TYPE: dict[str, tuple[str, str]] = {
    "NameError": (
        "Python doesn't know a name: it is misspelt, or the cell that defines or imports it "
        "has not been run.",
        "which name does the last line of the traceback quote, and where is it defined?",
    ),
    "UnboundLocalError": (
        "A name is used before your function has given it a value.",
        "on which line does that name first get a value, and does that line always run?",
    ),
    "AttributeError": (
        "The object has no such attribute or method: it is misspelt, or the object is not what "
        "it seems.",
        "print type(...) of the object to the left of the dot, one line earlier.",
    ),
    "TypeError": (
        "A value of the wrong type reached an operation or a call.",
        "print the type of every value on the line that the traceback shows.",
    ),
    "IndexError": (
        "An axis or an index was used that isn't there.",
        "print the shape one line earlier: how many axes are there, and how long is each?",
    ),
    "ImportError": (
        "A module could not be imported in this environment.",
        "is the module's name spelt as in its documentation? torch and einops are installed.",
    ),
    "SystemExit": (
        "exit() and quit() end a program. The check has stopped that here, so your notebook goes "
        "on.",
        "which value should be returned at the line where exit() stands?",
    ),
}
ANY = (
    "Your function stopped before it returned anything, so no numbers were compared.",
    "print the shape of each value on the line that the traceback shows, one line earlier.",
)


def certain(exercise: Exercise, fn: Callable[..., Any], trial: Trial) -> Finding | None:
    """The finding on an error that has one reading only, else None."""
    error = trial.got.error
    if isinstance(error, TypeError) and not takes(fn, exercise.arguments):
        return _finding(
            exercise,
            trial,
            "wrong-arguments",
            f"The check calls it with {exercise.arguments} values, in the order of the "
            "exercise's text; your `def` line takes another number of them.",
            "count the names between the brackets of your `def` line.",
        )
    if isinstance(error, NotImplementedError):
        meaning = "NotImplementedError says that there is nothing here yet; a line still raises it."
        probe = "is there a `raise` left over from the stub?"
        return _finding(exercise, trial, "not-written-yet", meaning, probe)
    if isinstance(error, RecursionError):
        meaning = "The function calls itself, and never comes to an end."
        probe = "does the name of your own function occur inside its body?"
        return _finding(exercise, trial, "calls-itself", meaning, probe)
    return None


def likely(exercise: Exercise, trial: Trial) -> Finding:
    """The finding on any other error: read by its message, then by its class."""
    error = trial.got.error
    message = _message(error)
    for start, cause, meaning, probe in BY_MESSAGE:
        if isinstance(error, RuntimeError) and message.startswith(start):
            return _finding(exercise, trial, cause, meaning, probe)
    for ancestor in type(error).__mro__:
        if ancestor.__name__ in BY_TYPE:
            return _finding(exercise, trial, "raises", *BY_TYPE[ancestor.__name__])
    return _finding(exercise, trial, "raises", *ANY)


def own_lines(error: BaseException | None) -> str:
    """The traceback's frames in the learner's own code, and its last line.

    >>> own_lines(ValueError("D=10"))
    'ValueError: D=10'
    """
    if error is None:
        return ""
    try:
        told = traceback.TracebackException.from_exception(error, compact=True)
        frames = [frame for frame in told.stack if not _is_library(frame.filename)]
        last = "".join(told.format_exception_only()).rstrip()
    except Exception:  # an exception class of the learner's may misbehave in any of its methods
        return type(error).__name__
    return "\n".join([*_frames(frames), last])


def last_line(error: BaseException) -> str:
    """The last line of an error's traceback.

    >>> last_line(KeyError("x"))
    "KeyError: 'x'"
    """
    return own_lines(error).splitlines()[-1]


def _frames(frames: Sequence[traceback.FrameSummary]) -> list[str]:
    lines = []
    for frame in frames[-MOST_FRAMES:]:
        lines.append(f"in {frame.name}, line {frame.lineno}:")
        if frame.line:
            lines.append(f"    {frame.line.strip()}")
    return lines


def _is_library(filename: str) -> bool:
    path = str(Path(filename).resolve()) if not filename.startswith("<frozen") else ""
    paths = sysconfig.get_paths()
    libraries = (PACKAGE, paths["stdlib"], paths["platlib"], paths["purelib"])
    return not path or path.startswith(libraries)


def _message(error: BaseException | None) -> str:
    try:
        return str(error)
    except Exception:
        return ""


def _finding(exercise: Exercise, trial: Trial, cause: str, meaning: str, probe: str) -> Finding:
    name = trial.got.typename
    headline = f"stopped with {name}"
    lines = (f"Called with {trial.case.says}, {exercise.name} raised {name}.", meaning)
    return Finding(cause, headline, lines, probe, own_lines(trial.got.error))
