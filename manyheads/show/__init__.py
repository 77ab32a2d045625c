"""Figures of the lessons: arrays or sizes in, a Picture with its words out."""

from manyheads.show.coordinates import coordinates
from manyheads.show.heads import head_split
from manyheads.show.picture import Picture
from manyheads.show.projections import fused_columns, three_views

__all__ = ["Picture", "coordinates", "fused_columns", "head_split", "three_views"]
