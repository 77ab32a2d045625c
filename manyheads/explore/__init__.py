"""Explorers: pictures that the learner moves, alive in a notebook and in its exported page."""

from manyheads.explore.compare import compare
from manyheads.explore.explorer import Explorer
from manyheads.explore.head_map import head_map
from manyheads.explore.sentence import sentence
from manyheads.explore.shape_tracer import shape_tracer

__all__ = ["Explorer", "compare", "head_map", "sentence", "shape_tracer"]
