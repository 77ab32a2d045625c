"""Explorers: pictures that the learner moves, alive in a notebook and in its exported page."""

from manyheads.explore.explorer import Explorer
from manyheads.explore.head_map import head_map
from manyheads.explore.sentence import sentence

__all__ = ["Explorer", "head_map", "sentence"]
