"""All misconceptions about rotating q and k, in the order in which they are tried."""

from manyheads.check.rotate import results, slots, ways

CAUSES = (*slots.CAUSES, *ways.CAUSES, *results.CAUSES)
