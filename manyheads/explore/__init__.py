"""Explorers: pictures that the learner moves, alive in a notebook and in its exported page."""

from manyheads.explore.explorer import Explorer

__all__ = ["Explorer"]
