"""Feedback pages: what a student sees of a graded submission, one HTML file a notebook."""

from manyheads.grade.pages.writer import PageWriter, write_page

__all__ = ["PageWriter", "write_page"]
