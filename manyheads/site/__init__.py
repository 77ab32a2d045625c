"""The course as a static site: every released lesson executed, to read and to try from disk."""

from manyheads.site.write import write_site

__all__ = ["write_site"]
