"""Figures of the lessons: arrays or sizes in, a Picture with its words out."""

from manyheads.show.coordinates import coordinates
from manyheads.show.head_coordinates import head_coordinates
from manyheads.show.head_map import head_map
from manyheads.show.heads import head_split
from manyheads.show.kv_bytes import kv_bytes
from manyheads.show.merge import head_merge
from manyheads.show.picture import Picture
from manyheads.show.projections import fused_columns, three_views
from manyheads.show.weights import head_weights

__all__ = [
    "Picture",
    "coordinates",
    "fused_columns",
    "head_coordinates",
    "head_map",
    "head_merge",
    "head_split",
    "head_weights",
    "kv_bytes",
    "three_views",
]
