"""All misconceptions about the output projection, in the order in which they are tried."""

from manyheads.check.output import beyond, matrix, sizes

CAUSES = (*matrix.CAUSES, *beyond.CAUSES, *sizes.CAUSES)
