"""The questions of a lesson, read from `lessons/<lesson>.yaml` when one is first asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from manyheads.check.values import normal
from manyheads.errors import LessonTextError, UnknownLessonError

FOLDER = Path(__file__).parent / "lessons"


@dataclass(frozen=True)
class Choice:
    """One answer of a multiple choice, and what it is told."""

    right: bool
    says: str


@dataclass(frozen=True)
class Mistake:
    """A wrong value that somebody may well give, and what it is told."""

    value: Any
    says: str


@dataclass(frozen=True)
class Question:
    """One question: `kind` is choice, value, predict, text or function."""

    kind: str
    says: str = ""
    right: Any = None
    otherwise: str = ""
    choices: Mapping[str, Choice] = field(default_factory=dict)
    mistakes: tuple[Mistake, ...] = ()


@dataclass(frozen=True)
class Lesson:
    """A lesson's title and its questions, in the lesson's order."""

    id: str
    title: str
    questions: Mapping[str, Question]


# The same safe loader in C, where PyYAML has it: a learner waits for the first answer.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

FIELDS = {
    "choice": ({"choices"}, {"says"}),
    "value": ({"right", "says", "otherwise"}, {"mistakes"}),
    "predict": ({"says"}, set()),
    "text": (set(), {"says"}),
    "function": (set(), set()),
}


def load(lesson: str) -> Lesson:
    """The questions of `lesson`.

    Raises UnknownLessonError when there is no file for it, and LessonTextError, with every
    fault and its place, when the file breaks the schema.
    """
    return _read(FOLDER, lesson if isinstance(lesson, str) else str(lesson))


@cache
def _read(folder: Path, lesson: str) -> Lesson:
    path = folder / f"{lesson}.yaml"
    known = sorted(file.stem for file in folder.glob("*.yaml"))
    if lesson not in known:
        names = ", ".join(known) or "none"
        raise UnknownLessonError(f"No lesson is called {lesson!r}. With questions: {names}.")
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=LOADER)  # noqa: S506 - a safe one
    except yaml.YAMLError as error:
        raise LessonTextError(f"{path.name} can't be read as YAML: {error}") from error
    faults = list(_faults(data))
    if faults:
        raise LessonTextError("\n".join(f"{path.name}: {fault}" for fault in faults))
    questions = {name: _question(fields) for name, fields in data["questions"].items()}
    return Lesson(lesson, data["title"], questions)


def _question(fields: dict[str, Any]) -> Question:
    choices = {key.lower(): Choice(**c) for key, c in fields.get("choices", {}).items()}
    mistakes = tuple(Mistake(**mistake) for mistake in fields.get("mistakes", ()))
    return Question(**{**fields, "choices": choices, "mistakes": mistakes})


def _faults(data: Any) -> list[str]:
    if not isinstance(data, dict) or set(data) != {"title", "questions"}:
        return ["expected exactly the keys title and questions"]
    if not isinstance(data["title"], str) or not isinstance(data["questions"], dict):
        return ["title must be text, questions a mapping of ids"]
    return [
        f"questions.{name}: {fault}"
        for name, fields in data["questions"].items()
        for fault in _question_faults(fields)
    ]


def _question_faults(fields: Any) -> list[str]:
    kind = fields.get("kind") if isinstance(fields, dict) else None
    if kind not in FIELDS:
        return [f"kind must be one of {', '.join(FIELDS)}; it is {kind!r}"]
    needed, optional = FIELDS[kind]
    given = set(fields) - {"kind"}
    faults = [f"{key} is missing" for key in sorted(needed - given)]
    faults += [f"{key!r} is not known for kind {kind}" for key in sorted(given - needed - optional)]
    faults += [f"{key} must be text" for key in ("says", "otherwise") if not _text(fields, key)]
    if kind == "choice" and not faults:
        faults += _choice_faults(fields["choices"])
    if kind == "value" and not faults:
        faults += _value_faults(fields)
    return faults


def _choice_faults(choices: Any) -> list[str]:
    if not isinstance(choices, dict) or len(choices) < 2:
        return ["choices must be a mapping of two or more"]
    faults = [
        f"choices.{key} needs a letter as its key, and right: true or false, and says: text"
        for key, choice in choices.items()
        if not isinstance(key, str)
        or not isinstance(choice, dict)
        or set(choice) != {"right", "says"}
        or not isinstance(choice["right"], bool)
        or not isinstance(choice["says"], str)
    ]
    if not faults and sum(choice["right"] for choice in choices.values()) != 1:
        faults.append("exactly one choice must be right")
    return faults


def _value_faults(fields: dict[str, Any]) -> list[str]:
    mistakes = fields.get("mistakes", [])
    if not isinstance(mistakes, list):
        return ["mistakes must be a list"]
    faults = []
    for number, mistake in enumerate(mistakes):
        if not isinstance(mistake, dict) or set(mistake) != {"value", "says"}:
            faults.append(f"mistakes[{number}] needs exactly value and says")
        elif normal(mistake["value"]) == normal(fields["right"]):
            faults.append(f"mistakes[{number}] is the right value")
    return faults


def _text(fields: dict[str, Any], key: str) -> bool:
    return key not in fields or isinstance(fields[key], str)
