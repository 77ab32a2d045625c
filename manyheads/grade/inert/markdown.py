"""A student's Markdown: left alone while its page would be harmless, else shown as plain text.

Markdown may hold HTML, and links of any kind. It is rendered as nbgrader's pages do it, and what
comes out is read by a grammar that knows harmless tags, spelled exactly, and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

MOST_CHARACTERS = 20_000  # more is no answer, and takes long to render
# Without any of these there is no tag, entity, link, picture, definition or diagram.
_NEVER = re.compile(r"[<&]|\][\[(:]|\]\s+[\[(]|://|www\.|^\s*:|```|~~~", re.MULTILINE)
_RELATIVE = r"(?!//)(?:[\w./%#?=+~,@-]|&amp;)*"
_HREF = rf'href="(?:(?:https?://|mailto:)(?:[^\s"<>&]|&amp;)*|{_RELATIVE})"'
_DATA = r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]*"
_TAG = re.compile(
    r"<(?:"
    r"(?P<end>/)?(?P<name>p|em|strong|code|pre|ul|ol|li|blockquote|table|thead|tbody|tr|th|td|del"
    r"|b|i|u|s|sub|sup|kbd|span|div|h[1-6]|a|center|small|mark)"
    r"(?:"
    r' class="(?:highlight|anchor-link|task-list-item|[a-z]{1,2}\d?)"'
    r'| style="text-align: ?(?:left|right|center)"'
    r'|(?<=<h\d) id="[^"<>]*"'
    r'| start="\d+"'
    r'| title="[^"<>]*"'
    rf"| {_HREF}"
    r'| href="#[^"<>]*"'
    r")*"
    r"|(?:br|hr) ?/?"
    r'|input class="task-list-item-checkbox" type="checkbox" disabled(?: checked)?/'
    rf'|img src="(?:{_DATA}|{_RELATIVE})"(?: (?:alt|title|width|height)="[^"<>]*")* ?/?'
    r")>"
)


def inert_markdown(text: str, attachments: Mapping[str, Any] | None = None) -> str:
    """A student's Markdown as it is if its page is harmless, else as a block of plain text.

    `attachments` are the cell's pasted pictures, which the text may name.

    >>> inert_markdown("**Four** [heads](https://arxiv.org/abs/1706.03762)")
    '**Four** [heads](https://arxiv.org/abs/1706.03762)'
    """
    if _NEVER.search(text) is None and len(text) <= MOST_CHARACTERS:
        return text
    return text if _is_harmless(text, attachments or {}) else as_code(text)


def as_code(text: str) -> str:
    """A text as a block that shows it character by character.

    >>> print(as_code("a ``` b"))
    ````
    a ``` b
    ````
    """
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}\n{text}\n{fence}"


def _is_harmless(text: str, attachments: Mapping[str, Any]) -> bool:
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

    if len(text) > MOST_CHARACTERS:
        return False
    renderer = IPythonRenderer(escape=False, attachments=dict(attachments))
    try:
        page = MarkdownWithMath(renderer=renderer).render(text)
    except Exception:  # a picture that isn't there, a nesting too deep: whatever stops the page
        return False
    return is_harmless_page(page)


def is_harmless_page(page: str) -> bool:
    """Whether HTML holds known tags alone, each closed where it was opened.

    >>> is_harmless_page("<p>a &lt; b</p>"), is_harmless_page("<p onclick=f()>a</p>")
    (True, False)
    """
    opened: list[str] = []
    for tag in _TAG.finditer(page):
        name = tag["name"]
        if name and not tag["end"]:
            opened.append(name)
        elif name and (not opened or opened.pop() != name):
            return False
    return not opened and "<" not in _TAG.sub("", page)
