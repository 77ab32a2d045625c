"""What JupyterLab's "Sanitize HTML output" leaves of a lesson: all that is ours, no foreign script.

nbconvert's own filter knows few tags and prints the others' source as text: headings, pictures, and
the whole script of an explorer. JupyterLab offers it by default. This filter stands in its place.
"""

from __future__ import annotations

import json
import re

from manyheads.explore.explorer import Explorer

EXPLORER = re.compile(
    r'\s*<div data-manyheads="\w+"><pre>(?P<text>[^<]*)</pre></div>\s*<script>.*'
    r"\nconst explorer = \$(?P<name>\w+);\n.*\.mount\(el, (?P<state>[^\n]*), css\);\n"
    r".*</script>\s*",
    re.DOTALL,
)
PICTURE = re.compile(r'\s*<img src="data:image/png;base64,[\w+/=]*" alt="[^"<>]*" width="\d+">\s*')
STYLE = re.compile(r"<(style|script)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
TAGS = {
    "a", "b", "blockquote", "br", "caption", "code", "div", "em", "footer", "h1", "h2", "h3", "h4",
    "h5", "h6", "header", "hr", "i", "li", "ol", "p", "pre", "progress", "section", "span",
    "strong", "sub", "sup", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
ATTRIBUTES = {"*": ["class", "id"], "a": ["href", "title"], "progress": ["max", "value"]}


def clean(element: object) -> str:
    """HTML without foreign scripts; explorers and pictures of the course stay.

    An explorer is written anew from its numbers, so no script of the notebook's own gets through.

    >>> clean("<h2>Split</h2><script>alert(1)</script>")
    '<h2>Split</h2>'
    """
    import bleach

    text = element.decode() if isinstance(element, bytes) else str(element)
    if PICTURE.fullmatch(text):
        return text
    if "data-manyheads" in text and (explorer := _explorer(text)):
        return explorer.page()
    plain = STYLE.sub("", text)  # bleach would keep what stands inside
    return str(bleach.clean(plain, tags=TAGS, attributes=ATTRIBUTES, strip=True))


def _explorer(text: str) -> Explorer | None:
    """The explorer that a page shows, or None when it isn't one of ours."""
    from html import unescape

    from manyheads.explore.bundle import FRONT

    found = EXPLORER.fullmatch(text)
    if found is None or not (FRONT / f"{found['name']}.js").is_file():
        return None
    try:
        state = json.loads(found["state"])
    except ValueError:
        return None
    return Explorer(found["name"], state, unescape(found["text"]))
