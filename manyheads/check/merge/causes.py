"""All misconceptions about merging heads, in the order in which they are tried.

Where small inputs can't tell two apart, the more common one stands first.
"""

from manyheads.check.merge import orders, sizes, values

CAUSES = (
    *orders.GIVEN,
    *values.CAUSES,
    *orders.MISREAD,
    *sizes.CAUSES,
    *orders.SHAPES,
)
