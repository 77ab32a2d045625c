"""All misconceptions about splitting heads, in the order in which they are tried.

Where small inputs can't tell two apart, the more common one stands first.
"""

from manyheads.check.split import orders, parts, sizes, values

CAUSES = (
    *orders.AXES,
    *orders.VIEWS,
    *values.CAUSES,
    *parts.CAUSES,
    *sizes.CAUSES,
    *orders.MERGES,
)
