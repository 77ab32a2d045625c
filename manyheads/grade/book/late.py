"""Penalties for late submissions, as the course's own plugin gives them."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from types import SimpleNamespace

from nbgrader.converters import Autograde
from nbgrader.preprocessors import AssignLatePenalties
from traitlets.config import Config

from manyheads.errors import GradingError


class LatePenalties:
    """nbgrader's AssignLatePenalties without its database."""

    def __init__(self, config: Config, log: logging.Logger) -> None:
        """Load the plugin that the configuration names; it is on where nbgrader's step is."""
        steps = Autograde(config=config).autograde_preprocessors
        names = [step if isinstance(step, str) else step.__name__ for step in steps]
        self._step = AssignLatePenalties(config=config, log=log)
        named = any(name.endswith(AssignLatePenalties.__name__) for name in names)
        self.enabled = named and self._step.enabled
        if self.enabled:
            self._step.init_plugin()

    def penalty(
        self,
        student: str,
        score: float,
        due: datetime | None,
        extension: timedelta | None,
        submitted: datetime | None,
    ) -> float | None:
        """What is taken from a notebook's score; None for a submission in time.

        Raises GradingError when the plugin fails.
        """
        seconds = seconds_late(due, extension, submitted)
        if seconds <= 0:
            return None
        try:
            found = self._step.plugin_inst.late_submission_penalty(student, score, seconds)
        except Exception as error:  # a course's own code
            raise GradingError(
                f"The plugin for late submissions failed: {type(error).__name__}: {error}. Correct "
                "it, or the setting AssignLatePenalties.plugin_class, and grade again."
            ) from error
        if found is None:
            return None
        return float(self._step._check_late_penalty(SimpleNamespace(score=score), found))


def seconds_late(
    due: datetime | None, extension: timedelta | None, submitted: datetime | None
) -> float:
    """How late a submission is; 0 in time, or when nothing is due.

    >>> noon = datetime(2026, 1, 31, 12)
    >>> seconds_late(noon, timedelta(hours=1), noon + timedelta(hours=2))
    3600.0
    """
    if due is None or submitted is None:
        return 0
    return max(0, (submitted - due - (extension or timedelta(0))).total_seconds())
