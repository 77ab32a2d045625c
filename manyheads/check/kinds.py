"""Sentences for results of the wrong kind: None, a list, a generator, whole numbers, and others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from manyheads.check.engine import Outcome
from manyheads.check.exercise import Exercise, Finding, Trial
from manyheads.check.words import shape

# kind: cause id, what was returned, what it means, one next probe
KINDS: dict[str, tuple[str, str, str, str]] = {
    "none": (
        "returns-none",
        "nothing (None)",
        "A function without `return` gives None, and so does one that ends by printing. "
        "Did you forget `return`, or is the stub still in place?",
        "does the last line that runs in your function begin with `return`?",
    ),
    "stub": (
        "returns-stub",
        "the three dots `...`",
        "The dots stand where your code goes, so nothing has been computed yet.",
        "which names does your function have to work with before you write anything?",
    ),
    "array": (
        "returns-numpy",
        "a NumPy array",
        "Working in NumPy is fine, but the next step of attention expects a torch tensor; "
        "the numbers were not looked at.",
        "what does type(out) print, and which torch function takes an array?",
    ),
    "size": (
        "returns-shape",
        "a shape (torch.Size)",
        "A shape says how large a tensor is; the tensor itself, with its numbers, is asked for.",
        "which of your names holds numbers, and which holds sizes?",
    ),
    "list": (
        "returns-list",
        "a list",
        "The pieces lie side by side in Python; the exercise asks for one tensor with a head axis.",
        "what is out[0].shape, and which axis do the other pieces have to line up along?",
    ),
    "tuple": (
        "returns-tuple",
        "a tuple",
        "The exercise asks for one tensor, so that the heads can be worked on together.",
        "what does len(out) print, and which axis of one tensor would have that length?",
    ),
    "dict": (
        "returns-dict",
        "a dictionary",
        "Attention works on tensors, by axis; it looks up no names.",
        "which axis of a tensor would take the place of the dictionary's keys?",
    ),
    "generator": (
        "returns-generator",
        "a generator",
        "A generator (from `yield`, map or zip, or a for in round brackets) has computed nothing "
        "yet; its values come only when somebody asks for them, once.",
        "what does type(out) print, and which line of yours makes it that?",
    ),
    "coroutine": (
        "returns-coroutine",
        "a coroutine",
        "A function written with `async def` computes nothing until it is awaited.",
        "what changes if the function is defined with a plain `def`?",
    ),
    "function": (
        "returns-function",
        "a function or method, not its result",
        "A name without round brackets is the function itself; it was never called.",
        "is there a call in your return line that lacks its ()?",
    ),
    "text": (
        "returns-text",
        "text (a string)",
        "Text can be read, but nothing can be computed with it.",
        "what does type(out) print, and which name of yours holds the tensor?",
    ),
    "number": (
        "returns-number",
        "a single number",
        "A whole tensor is asked for, with every number of the input in it.",
        "which step of yours turns many numbers into one?",
    ),
    "exception": (
        "returns-exception",
        "an exception object",
        "An exception stops the program only when it is raised; here it was returned.",
        "which word has to stand before the exception for it to be raised?",
    ),
    "integers": (
        "returns-integers",
        "a tensor of whole numbers",
        "The input holds floating-point numbers, and whatever stood after the point is lost.",
        "compare out.dtype with the dtype of what you were given.",
    ),
    "booleans": (
        "returns-booleans",
        "a tensor of True and False",
        "A comparison gives True and False; the numbers themselves are asked for.",
        "compare out.dtype with the dtype of what you were given.",
    ),
    "complex": (
        "returns-complex",
        "a tensor of complex numbers",
        "Complex numbers can be a tool on the way; the result has to be real again.",
        "compare out.dtype with the dtype of what you were given.",
    ),
    "unreadable": (
        "returns-unreadable",
        "a tensor whose numbers can't be read",
        "It may be sparse, without data (device meta), or a tensor class of its own; "
        "an ordinary tensor is asked for.",
        "what do type(out), out.layout and out.device print?",
    ),
    "other": (
        "returns-other",
        "an object that isn't a tensor",
        "The next step of attention expects a torch tensor.",
        "what does type(out) print?",
    ),
}


def strange(exercise: Exercise, trial: Trial) -> Finding | None:
    """The finding on a result of a kind that the exercise doesn't ask for, else None."""
    got = trial.got
    if got.kind not in KINDS or (trial.want.kind == "tuple" and got.kind in ("tuple", "list")):
        return None
    cause, what, meaning, probe = KINDS[got.kind]
    lines = [f"Called with {trial.case.says}, it returned {what}{_more(got)}.", meaning]
    headline = f"returned {what}; this exercise asks for {exercise.returns}"
    if got.kind == "tuple" and len(got.parts) == 1:
        cause, probe = "trailing-comma", "what is the last character of your return line?"
        lines[1] = "A tuple of one comes from a comma at the end of a line: `out,` is not `out`."
    return Finding(cause, headline, tuple(lines), probe)


def contents(outcome: Outcome) -> str:
    """What lies in a list or tuple: "3 tensors of shape (2, 5, 4)", "2 tensors and 1 None"."""
    if not outcome.parts:
        return "nothing"
    counts = Counter(_name(part) for part in outcome.parts)
    return " and ".join(f"{count} x {name}" for name, count in counts.items())


def _name(part: Outcome) -> str:
    if part.array is not None:
        return f"tensor {shape(part.array.shape)}"
    return "None" if part.kind == "none" else part.typename


def _more(got: Outcome) -> str:
    extra: dict[str, Callable[[], str]] = {
        "list": lambda: f" holding {contents(got)}",
        "tuple": lambda: f" holding {contents(got)}",
        "integers": lambda: f" ({got.typename})",
        "booleans": lambda: f" ({got.typename})",
        "complex": lambda: f" ({got.typename})",
        "other": lambda: f" ({got.typename})",
    }
    return extra.get(got.kind, lambda: "")()
