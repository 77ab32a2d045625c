"""Whether a notebook says itself that it is another lesson's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from manyheads.student.notebook import course_metadata


def of_another(notebook: Mapping[str, Any], lesson: str) -> list[str]:
    """A flag if the lesson that a notebook names in its metadata is not this one.

    >>> of_another({"metadata": {"manyheads": {"lesson": "05_join"}}}, "02_split")
    ["the notebook says that it is a copy of '05_join': look whether it is this lesson's"]
    >>> of_another({"metadata": {}}, "02_split")
    []
    """
    said = course_metadata(dict(notebook)).get("lesson", lesson)
    words = (
        f"the notebook says that it is a copy of {said[:60]!r}: look whether it is this lesson's"
    )
    return [] if said == lesson else [words]
