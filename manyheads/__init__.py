"""Many Heads: lessons on multi-head attention, and the tools that build, check and grade them."""

__version__ = "0.1.0"
