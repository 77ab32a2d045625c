"""HTML and SVG of a student's outputs, made inert by an allowlist."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bleach.sanitizer import Cleaner

MOST_CHARACTERS = 2_000_000  # beyond any of these limits, the plain text is shown
MOST_MARKS = 2_000  # tags and entities: the time to clean them grows with their square
MOST_MARKS_ALL = 10_000  # of all outputs of a notebook
TAGS = frozenset(
    (
        "a",
        "abbr",
        "b",
        "blockquote",
        "br",
        "caption",
        "code",
        "col",
        "colgroup",
        "dd",
        "del",
        "div",
        "dl",
        "dt",
        "em",
        "figcaption",
        "figure",
        "footer",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "i",
        "img",
        "ins",
        "kbd",
        "li",
        "mark",
        "meter",
        "ol",
        "p",
        "pre",
        "progress",
        "s",
        "samp",
        "section",
        "small",
        "span",
        "strong",
        "sub",
        "sup",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "u",
        "ul",
        "var",
    )
)
_PLAIN = frozenset(
    (
        "alt",
        "title",
        "colspan",
        "rowspan",
        "scope",
        "align",
        "valign",
        "border",
        "start",
        "max",
        "value",
    )
)
# Nothing that moves, covers or hides a part of the page; margins can be negative.
STYLES = frozenset(
    (
        "color",
        "background-color",
        "border",
        "border-bottom",
        "border-collapse",
        "border-color",
        "border-left",
        "border-right",
        "border-spacing",
        "border-style",
        "border-top",
        "border-width",
        "font-family",
        "font-style",
        "font-weight",
        "padding",
        "padding-bottom",
        "padding-left",
        "padding-right",
        "padding-top",
        "text-align",
        "text-decoration",
        "vertical-align",
        "white-space",
    )
)
_LINK = re.compile(r"(?:https?://|mailto:|#)[^\s<>\"']*")
PIXELS = r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]*"
_PICTURE = re.compile(PIXELS)
# What `manyheads.show` writes: by far the most frequent, and large.
_SHOWN = re.compile(rf'<img src="{PIXELS}" alt="[^"<>]*" width="\d+">')
# Elements whose content is no text to be read.
_UNREAD = re.compile(
    r"<(script|style|template|iframe|object|svg|math|noscript|textarea|select|title|head|audio|video)"
    r"\b.*?(?:</\1\s*>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_NO_PICTURE = re.compile(r"<img(?![^<>]* src=)[^<>]*>")  # one whose source may not be loaded
_ACTIVE_SVG = re.compile(
    r"<\s*(?:[\w.-]+:)?(?:script|foreignobject|iframe|embed|object|audio|video|handler|set|animate)"
    r"|\son\w+\s*=|javascript\s*:|<!(?:entity|doctype[^>]*\[)|@import|url\(\s*['\"]?(?!#)"
    r"|href\s*=\s*['\"]?(?!['\"]?(?:#|data:image/))",
    re.IGNORECASE,
)


def inert_html(text: str) -> str | None:
    """HTML without anything that acts, loads, moves or hides; None if nothing is left of it.

    >>> inert_html('<b onclick="steal()">4</b><script>steal()</script>')
    '<b>4</b>'
    """
    if _SHOWN.fullmatch(text):
        return text
    if len(text) > MOST_CHARACTERS or marks(text) > MOST_MARKS:
        return None
    try:
        made = _NO_PICTURE.sub("", _cleaner().clean(_UNREAD.sub("", text)))
    except (ValueError, RecursionError):  # nested more deeply than anything one would look at
        return None
    return made if re.search(r"<img|[^\s<>][^<>]*(?:<|$)", made) else None


def marks(text: str) -> int:
    """How many characters of an HTML text begin tags and entities."""
    return text.count("<") + text.count("&")


@cache
def _cleaner() -> Cleaner:
    from bleach.css_sanitizer import CSSSanitizer
    from bleach.sanitizer import Cleaner

    return Cleaner(
        tags=TAGS,
        attributes=_may_stay,
        protocols=frozenset(("http", "https", "mailto", "data")),
        strip=True,
        css_sanitizer=CSSSanitizer(allowed_css_properties=STYLES),
    )


def _may_stay(tag: str, name: str, value: str) -> bool:
    """Whether an attribute may stay."""
    if name in _PLAIN or (name == "style" and "(" not in value and "\\" not in value):
        return True
    if name in ("width", "height"):
        return tag in ("img", "td", "th", "col", "table") and value.rstrip("%px").isdigit()
    if (tag, name) == ("a", "href"):
        return _LINK.fullmatch(value) is not None
    if (tag, name) == ("img", "src"):
        return _PICTURE.fullmatch(value) is not None
    return (name, value) == ("class", "dataframe")


def is_plain_svg(text: str) -> bool:
    """Whether an SVG picture only draws.

    >>> is_plain_svg("<svg><path d='M0 0'/></svg>"), is_plain_svg("<svg onload='f()'></svg>")
    (True, False)
    """
    return "<svg" in text and _ACTIVE_SVG.search(text) is None
