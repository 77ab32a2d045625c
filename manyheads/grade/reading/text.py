"""A notebook file's bytes as text, in whatever encoding they certainly are."""

from __future__ import annotations

import codecs
import re

from manyheads.errors import UnreadableError
from manyheads.grade.reading.folder import AGAIN

# The longer mark first: UTF-32's begins with UTF-16's.
_MARKS = [
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    (codecs.BOM_UTF8, "utf-8", "UTF-8 with a byte order mark"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
]
# JSON begins with two ASCII characters, so the zeros among its first bytes tell the encoding.
_ZEROS = [
    (re.compile(rb"[^\0]\0\0\0[^\0]\0\0\0"), "utf-32-le", "UTF-32"),
    (re.compile(rb"\0\0\0[^\0]\0\0\0[^\0]"), "utf-32-be", "UTF-32"),
    (re.compile(rb"[^\0]\0[^\0]\0"), "utf-16-le", "UTF-16"),
    (re.compile(rb"\0[^\0]\0[^\0]"), "utf-16-be", "UTF-16"),
]
# What a file is that begins so; none of these is a notebook.
_OTHERS = [
    (b"PK\x03\x04", "a ZIP archive (or a Word file)"),
    (b"%PDF", "a PDF file"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x89PNG", "a picture (PNG)"),
    (b"\xff\xd8\xff", "a picture (JPEG)"),
    (b"\xd0\xcf\x11\xe0", "an old Office file"),
    (b"Rar!", "a RAR archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"{\\rtf", "a text with formats (RTF)"),
    (b"version https://git-lfs", "a Git LFS pointer, not the file itself"),
]
_UTF8_PAIR = re.compile(rb"[\xc2-\xf4][\x80-\xbf]")
_FOREIGN_RUN = re.compile(
    rb"[\x80-\xff]{3}"
)  # western words don't have three such letters in a row
_LETTERS = frozenset("ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿŒœªº’´")
_SIGNS = frozenset("¡¢£§©«¬®°±²³µ·¹»¼½¾¿×÷€…–—‘“”„•™\xa0")


def decode(data: bytes) -> tuple[str, list[str]]:
    r"""A notebook file's text, and a flag when it was not plain UTF-8.

    Raises UnreadableError when the file is empty, plainly something else, or of an encoding that
    can't be told for certain.

    >>> decode(b'\xef\xbb\xbf{}')
    ('{}', ['the file was UTF-8 with a byte order mark: read as such'])
    """
    _refuse_others(data)
    for mark, encoding, name in _MARKS:
        if data.startswith(mark):
            return _strict(data[len(mark) :], encoding, name)
    for zeros, encoding, name in _ZEROS:
        if zeros.match(data):
            return _strict(data, encoding, f"{name} without a byte order mark")
    try:
        return _without_padding(data.decode("utf-8"), [])
    except UnicodeDecodeError as error:
        return _one_byte(data, error)


def _refuse_others(data: bytes) -> None:
    if not data.strip():
        raise UnreadableError("the file is empty", AGAIN)
    if not data.strip(b"\0 \r\n\t"):
        words = "the file holds nothing but null bytes, as after a save or copy that broke off"
        raise UnreadableError(words, AGAIN)
    for start, name in _OTHERS:
        if data.startswith(start):
            raise UnreadableError(f"it is {name}, not a notebook", AGAIN)


def _strict(data: bytes, encoding: str, name: str) -> tuple[str, list[str]]:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].decode(encoding, "replace").count("\n") + 1
        raise UnreadableError(
            f"it begins as {name} and breaks off or is damaged", AGAIN, line
        ) from error
    if not text.strip("\0 \r\n\t"):
        raise UnreadableError("the file is empty", AGAIN)
    return _without_padding(text, [f"the file was {name}: read as such"])


def _without_padding(text: str, flags: list[str]) -> tuple[str, list[str]]:
    """The text without null bytes at its end, which an interrupted copy may leave."""
    if text.endswith("\0"):
        return text.rstrip("\0"), [*flags, "null bytes at the file's end were dropped"]
    return text, flags


def _one_byte(data: bytes, error: UnicodeDecodeError) -> tuple[str, list[str]]:
    """The text of a Western one-byte encoding, if every byte beyond ASCII makes sense as such."""
    line = data.count(b"\n", 0, error.start) + 1
    if not _UTF8_PAIR.search(data) and not _FOREIGN_RUN.search(data):
        try:
            text = data.decode("cp1252")
        except UnicodeDecodeError:
            text = ""
        if text and _makes_sense(text):
            return _without_padding(text, ["the file was Latin-1 (Windows-1252): read as such"])
    words = f"it is not UTF-8 text (byte 0x{data[error.start]:02x}), and its encoding can't be told"
    raise UnreadableError(
        words, "Open it in JupyterLab, save it, and grade again.", line
    ) from error


def _makes_sense(text: str) -> bool:
    """Whether letters beyond ASCII are letters of Western words, and signs stand between words."""
    around = re.finditer(r"(?s)(?<=(.))([\x80-\uffff])(?=(.))", text)
    return all(_fits(*match.groups()) for match in around)


def _fits(before: str, character: str, after: str) -> bool:
    if character in _LETTERS:
        return True
    return character in _SIGNS and not (before.isalpha() and after.isalpha())
