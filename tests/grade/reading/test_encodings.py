"""Bytes are decoded where their encoding is certain, and refused with the line where it isn't."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from manyheads.grade.reading import UnreadableError
from manyheads.grade.reading.text import decode
from tests.grade.reading.handed_in import TEXTS, as_bytes, read, right, texts

WESTERN = {
    "German": "# Größe der Köpfe: „fünf“ – nicht vier",
    "French": "# Les têtes créées à l'été coûtent 5 € … « voilà »",
    "Spanish": "# ¿Cuántos señores? ¡Año 1º!",
    "Danish": "# æ ø å, Ærø",
    "apostrophe": "# don’t, it’s",
    "no-break space": "# 5\xa0tokens",
    "degrees": "# 45° ± 3²",
}
FOREIGN = {
    "Russian": ("# Размер головы", "cp1251"),
    "Greek": ("# Κεφαλή", "cp1253"),
    "Japanese": ("# 頭の数", "shift_jis"),
    "Chinese": ("# 多头注意力", "gbk"),
    "Korean": ("# 다중 헤드", "cp949"),
    "old Mac": ("# Größe", "mac_roman"),
    "DOS": ("# Grösse für Köpfe", "cp437"),
}
MARKED = {
    "UTF-8": (codecs.BOM_UTF8, "utf-8"),
    "UTF-16 little": (codecs.BOM_UTF16_LE, "utf-16-le"),
    "UTF-16 big": (codecs.BOM_UTF16_BE, "utf-16-be"),
    "UTF-32 little": (codecs.BOM_UTF32_LE, "utf-32-le"),
    "UTF-32 big": (codecs.BOM_UTF32_BE, "utf-32-be"),
}


def with_comment(comment: str) -> str:
    notebook = right()
    notebook["cells"][1]["source"] = comment
    return as_bytes(notebook).decode()


def test_plain_utf8_has_no_flag(tmp_path: Path) -> None:
    reading = read(tmp_path, as_bytes(right()))
    assert (texts(reading.notebook), reading.flags) == (TEXTS, [])


@pytest.mark.parametrize("kind", MARKED)
@pytest.mark.parametrize("comment", ["# 多头 Größe", "# plain"])
def test_a_byte_order_mark_tells_the_encoding(tmp_path: Path, kind: str, comment: str) -> None:
    mark, encoding = MARKED[kind]
    reading = read(tmp_path, mark + with_comment(comment).encode(encoding))
    assert reading.notebook["cells"][1]["source"] == comment
    assert reading.flags == [
        f"the file was {kind.split()[0]}{' with a byte order mark' * (kind == 'UTF-8')}: "
        "read as such"
    ]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_zeros_tell_the_encoding_without_a_mark(tmp_path: Path, encoding: str) -> None:
    reading = read(tmp_path, with_comment("# 多头").encode(encoding))
    assert reading.notebook["cells"][1]["source"] == "# 多头"
    assert "without a byte order mark: read as such" in reading.flags[0]


@pytest.mark.parametrize("name", WESTERN)
def test_western_words_in_one_byte_each_are_certain(tmp_path: Path, name: str) -> None:
    reading = read(tmp_path, with_comment(WESTERN[name]).encode("cp1252"))
    assert reading.notebook["cells"][1]["source"] == WESTERN[name]
    assert reading.flags == ["the file was Latin-1 (Windows-1252): read as such"]


@pytest.mark.parametrize("name", FOREIGN)
def test_other_one_byte_encodings_are_refused_with_the_line(tmp_path: Path, name: str) -> None:
    comment, encoding = FOREIGN[name]
    with pytest.raises(UnreadableError, match=r"line \d+: .*not UTF-8.*can't be told") as caught:
        read(tmp_path, with_comment(comment).encode(encoding))
    lines = with_comment(comment).split("\n")
    assert comment in lines[(caught.value.line or 0) - 1]


@pytest.mark.parametrize("damage", [b"\xff", b"\xc3", b"\xf0\x9f\x98", b"\x81"])
def test_damaged_utf8_is_refused(tmp_path: Path, damage: bytes) -> None:
    data = with_comment("# Größe @").encode().replace(b"@", damage)
    with pytest.raises(UnreadableError, match=r"not UTF-8 text"):
        read(tmp_path, data)


@pytest.mark.parametrize("kind", ["UTF-16 little", "UTF-32 big"])
def test_a_file_that_breaks_off_inside_a_character_is_refused(tmp_path: Path, kind: str) -> None:
    mark, encoding = MARKED[kind]
    with pytest.raises(UnreadableError, match="breaks off or is damaged"):
        read(tmp_path, mark + with_comment("# x").encode(encoding)[:-1])


@pytest.mark.parametrize("data", [b"", b" \n\t\r\n", codecs.BOM_UTF8, codecs.BOM_UTF16_LE + b" \0"])
def test_an_empty_file_says_so(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(UnreadableError, match=r"the file is empty.*send the notebook again"):
        read(tmp_path, data)


def test_a_file_of_null_bytes_says_so(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="nothing but null bytes"):
        read(tmp_path, b"\0" * 4096)


def test_null_bytes_at_the_end_are_dropped_with_a_flag(tmp_path: Path) -> None:
    reading = read(tmp_path, as_bytes(right()) + b"\0" * 100)
    assert reading.flags == ["null bytes at the file's end were dropped"]


def test_null_bytes_inside_are_refused_with_the_line(tmp_path: Path) -> None:
    data = as_bytes(right()).replace(b"GIVEN", b"GI\0EN", 1)
    with pytest.raises(UnreadableError, match=r"line \d+: null bytes stand inside"):
        read(tmp_path, data)


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"PK\x03\x04rest", "a ZIP archive"),
        (b"%PDF-1.7", "a PDF file"),
        (b"\x89PNG\r\n", "a picture"),
        (b"\x1f\x8b\x08", "a gzip archive"),
        (b"{\\rtf1", "RTF"),
        (b"version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer"),
    ],
)
def test_other_kinds_of_files_are_named(data: bytes, name: str) -> None:
    with pytest.raises(UnreadableError, match=name.replace("(", r"\(")):
        decode(data)
