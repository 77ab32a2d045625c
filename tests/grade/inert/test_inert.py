"""What a student sent in does nothing when it is shown, and can still be read."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
import time
from html.parser import HTMLParser
from typing import Any

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from manyheads.grade.inert import inert_output, make_inert
from manyheads.grade.inert.html import inert_html
from manyheads.grade.inert.markdown import MOST_CHARACTERS, as_code, inert_markdown
from tests.grade.mini import code, release_notebook, text

PIXEL = base64.b64encode(b"\x89PNG pixels").decode()
SHOWN = f'<img src="data:image/png;base64,{PIXEL}" alt="5 tokens &amp; 4 features" width="691">'
ACTIVE = {
    "a script": "<script>alert(1)</script>",
    "a script, open": "<script>alert(1)",
    "a script, odd": "<ScRiPt\n/x>alert(1)</sCrIpT >",
    "a script of another host": "<script src=//evil.example/x.js></script>",
    "an event handler": '<img src="x" onerror="alert(1)">',
    "a handler, no quotes": "<img/src=x/onerror=alert(1)>",
    "a handler in a svg": "<svg onload=alert(1)>",
    "a script in a svg": "<svg><script>alert(1)</script></svg>",
    "a svg animation": "<svg><a><animate attributeName=href values=javascript:alert(1)></a></svg>",
    "a handler in details": "<details open ontoggle=alert(1)>x</details>",
    "a handler of the body": "<body onload=alert(1)>",
    "a link": '<a href="javascript:alert(1)">x</a>',
    "a link with a tab": '<a href="java\tscript:alert(1)">x</a>',
    "a link with entities": '<a href="&#106;avascript&colon;alert(1)">x</a>',
    "a link in capitals": '<a href=" JaVaScRiPt:alert(1)">x</a>',
    "a data link": '<a href="data:text/html,<script>alert(1)</script>">x</a>',
    "vbscript": '<a href="vbscript:alert(1)">x</a>',
    "an iframe": '<iframe src="https://evil.example"></iframe>',
    "an iframe with a document": '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    "an object": '<object data="https://evil.example"></object>',
    "an embed": '<embed src="https://evil.example">',
    "a form": '<form action="/formgrader/api/grade/1"><input name=a><button>x</button></form>',
    "a button": '<button formaction="javascript:alert(1)">x</button>',
    "a textarea": "<textarea>x",
    "a meta refresh": '<meta http-equiv="refresh" content="0; url=https://evil.example">',
    "a base": '<base href="https://evil.example/">',
    "a style sheet": "<style>body { display: none }</style>",
    "a linked style sheet": '<link rel="stylesheet" href="https://evil.example/x.css">',
    "a style that covers": '<div style="position: fixed; inset: 0; background: white">x</div>',
    "a style that hides": '<p style="display: none">x</p>',
    "a style that loads": '<p style="background-color: url(https://evil.example)">x</p>',
    "a class that hides": '<div class="modal-backdrop hidden">x</div>',
    "an id of the page's": '<div id="statusmessage">x</div>',
    "a picture of another host": '<img src="https://evil.example/seen.png">',
    "a picture without scheme": '<img src="//evil.example/seen.png">',
    "a picture set": '<img srcset="https://evil.example/seen.png 1x">',
    "a video": '<video src="https://evil.example/x" autoplay>x</video>',
    "mathematics": '<math><mtext><a xlink:href="javascript:alert(1)">x</a></mtext></math>',
    "a comment": "<!-- <script>alert(1)</script> -->",
    "a comment, open": "<!--",
    "a comment that ends early": "<!--> <img src=x onerror=alert(1)> -->",
    "a mutation": "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "a mutation in mathematics": "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "a CDATA": "<![CDATA[<script>alert(1)</script>]]>",
    "a processing instruction": "<?xml-stylesheet href='javascript:alert(1)'?>",
    "a template": "<template><img src=x onerror=alert(1)></template>",
    "ends of what is around": "</div></div></section></main></body></html><h1>Full marks</h1>",
    "a null byte": "<scr\0ipt>alert(1)</script>",
}  # fmt: skip
LINKS = {
    "a link": "[x](javascript:alert(1))",
    "a link in pointed brackets": "[x](<javascript:alert(1)>)",
    "an automatic link": "<javascript:alert(1)>",
    "a reference": "[x][1]\n\n[1]: javascript:alert(1)",
    "entities": "[x](&#106;avascript:alert(1))",
    "a data link": "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "a picture": "![x](javascript:alert(1))",
    "a picture of another host": "![x](https://evil.example/seen.png)",
    "a picture without scheme": "![x](//evil.example/seen.png)",
    "a picture that isn't there": "![x](attachment:none.png)",
    "a mermaid diagram": '```mermaid\ngraph TD; A-->B; click A href "javascript:alert(1)"\n```',
}
HARMLESS_TAGS = re.compile(
    "p|em|strong|code|pre|ul|ol|li|blockquote|table|thead|tbody|tr|th|td|del|[bius]|sub|sup|kbd|span"
    "|div|h[1-6]|a|center|small|mark|br|hr|input|img|section|header|footer"
)
HARMLESS_ATTRIBUTES = {
    "class": "dataframe|highlight|anchor-link|task-list-item(-checkbox)?|[a-z]{1,2}[0-9]?",
    "style": "((?!display)[a-z-]+: ?[a-z]+;? ?)*",
    "id|title|alt": ".*",
    "start|width|height|border": "[0-9]+",
    "href": "(https?://|mailto:|#|[^:/]*$).*",
    "src": "data:image/png;base64,.*|[^:/]*",
    "type": "checkbox",
    "disabled|checked": "",
}


class Browser(HTMLParser):
    """Notes everything of a page that could act, load, move or hide, and the text to be read."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if not HARMLESS_TAGS.fullmatch(tag):
            self.found.append(tag)
        self.found += [f"{tag} {n}={v}" for n, v in attrs if not self._is_harmless(n, v or "")]

    def _is_harmless(self, name: str, value: str) -> bool:
        return any(
            re.fullmatch(names, name) and re.fullmatch(values, value, re.DOTALL)
            for names, values in HARMLESS_ATTRIBUTES.items()
        )

    def handle_comment(self, data: str) -> None:
        self.found.append(f"comment {data}")

    def handle_decl(self, decl: str) -> None:
        self.found.append(f"declaration {decl}")

    def handle_pi(self, data: str) -> None:
        self.found.append(f"instruction {data}")

    def unknown_decl(self, data: str) -> None:
        self.found.append(f"declaration {data}")

    def handle_data(self, data: str) -> None:
        self.text += data


def looked_at(page: str) -> Browser:
    browser = Browser()
    browser.feed(page)
    browser.close()
    return browser


def rendered(source: str) -> str:
    """Markdown as nbgrader's pages render it."""
    return str(MarkdownWithMath(renderer=IPythonRenderer(escape=False)).render(source))


def data_of(**bundle: Any) -> dict[str, Any]:
    """What is left of a display's bundle, keys written with two underscores for a slash."""
    named = {key.replace("__", "/").replace("_plus_", "+"): value for key, value in bundle.items()}
    output = {"output_type": "display_data", "data": named, "metadata": {}}
    made: dict[str, Any] = inert_output(output)["data"]
    return made


def test_the_browser_of_these_tests_sees_what_acts() -> None:
    blind = {name for name, page in ACTIVE.items() if not looked_at(page).found}
    harmless_alone = {"a comment, open", "an id of the page's", "ends of what is around"}
    assert blind <= {*harmless_alone, "a null byte"}
    assert looked_at(rendered(LINKS["a link"])).found


@pytest.mark.parametrize("kind", ACTIVE)
def test_active_html_of_an_output_is_taken_out(kind: str) -> None:
    made = data_of(text__html=f"<p>seen</p>{ACTIVE[kind]}", text__plain="plain")
    page = made["text/html"]
    assert looked_at(page).found == []
    assert "seen" in looked_at(page).text
    assert "alert(1)" not in page or kind == "a null byte"


@pytest.mark.parametrize("kind", ACTIVE)
def test_active_html_in_markdown_is_shown_as_text(kind: str) -> None:
    source = f"My answer.\n\n{ACTIVE[kind]}\n\nThe end."
    page = rendered(inert_markdown(source))
    assert looked_at(page).found == []
    assert looked_at(page).text.split() == source.split()


@pytest.mark.parametrize("kind", LINKS)
def test_active_links_in_markdown_are_shown_as_text(kind: str) -> None:
    made = inert_markdown(f"My answer. {LINKS[kind]}" if "```" not in LINKS[kind] else LINKS[kind])
    assert made.startswith(("```\n", "````\n"))
    assert looked_at(rendered(made)).found == []


@pytest.mark.parametrize("kind", [*ACTIVE, *LINKS])
def test_markdown_outputs_are_made_inert_too(kind: str) -> None:
    made = data_of(text__markdown={**ACTIVE, **LINKS}[kind])
    assert looked_at(rendered(made.get("text/markdown", ""))).found == []


HARMLESS = [
    "",
    "Four heads, *each* with **three** features: 12 = 4 x 3.",
    "# Größe & Köpfe 'x' \"y\" ü?",
    "a < b and b > c, x<y",
    "[paper](https://arxiv.org/abs/1706.03762) <https://x.org/?a=1&b=2> [mail](mailto:a@b.org)",
    "[above](#heads) [file](other.ipynb)",
    "- one\n- two\n  1. three\n\n> quoted\n\n---",
    "| a | b |\n|:--|--:|\n| 1 | 2 |",
    "```python\nif a < b:\n    print('<script>')\n```",
    "    indented <b>code</b>",
    "`<script>` in code",
    "$a < b$ and $$\\sum_i <x_i>$$ \\begin{align}a<b\\end{align}",
    "H<sub>2</sub>O, <b>bold</b>, <br> <kbd>Shift</kbd>",
    "- [ ] open\n- [x] done",
    "![picture](picture.png)",
    '![x](a.png "t\\" onerror=\\"alert(1)")',
    "~~no~~ \\* &lt; &amp; &copy;",
]


@pytest.mark.parametrize("source", HARMLESS)
def test_harmless_markdown_stays_as_it_is(source: str) -> None:
    assert inert_markdown(source) == source


def test_a_pasted_picture_stays() -> None:
    pasted = {"a.png": {"image/png": PIXEL}}
    assert inert_markdown("![x](attachment:a.png)", pasted) == "![x](attachment:a.png)"
    odd = {"a.png": {'image/png" onerror="alert(1)': PIXEL}}
    assert inert_markdown("![x](attachment:a.png)", odd).startswith("```")


@given(st.text(alphabet="<>/ab\"'=&;#![]()`*_~\n $\\-|:", max_size=60))
def test_whatever_is_written_the_page_is_harmless(source: str) -> None:
    assert looked_at(rendered(inert_markdown(source))).found == []


@given(st.text(alphabet="`~ab \n", max_size=40))
def test_a_text_as_code_shows_every_character(source: str) -> None:
    page = looked_at(rendered(as_code(source)))
    assert source.split() == page.text.split()


@pytest.mark.parametrize("unit", ["[", "*", "> ", "![", "<a ", "&#", "|a", "$", "<!--", "_a", "`"])
@pytest.mark.parametrize("size", [MOST_CHARACTERS, 2_000_000])
def test_long_markdown_takes_no_long_time(unit: str, size: int) -> None:
    start = time.process_time()
    inert_markdown(unit * (size // len(unit)))
    assert time.process_time() - start < 2


@pytest.mark.parametrize("unit", ["<b>", "<", "&", "<div>", "<!--", "<script", "<i><p>", "<a "])
@pytest.mark.parametrize("count", [900, 400_000])
def test_much_html_takes_no_long_time(unit: str, count: int) -> None:
    start = time.process_time()
    inert_html(unit * count)
    assert time.process_time() - start < 2


def test_a_notebook_full_of_html_is_given_up_in_time() -> None:
    data = {"text/html": "<i><p>" * 900, "text/plain": "x"}
    output = {"output_type": "display_data", "data": data, "metadata": {}}
    notebook = {"cells": [code("1") | {"outputs": [output] * 1000}]}
    start = time.process_time()
    make_inert(notebook)
    assert time.process_time() - start < 10
    assert notebook["cells"][0]["outputs"][-1]["data"] == {"text/plain": "x"}


STAYS = {
    "a picture of manyheads.show": SHOWN,
    "a table": '<table border="1" class="dataframe"><thead><tr><th>a</th></tr></thead><tbody><tr>'
    '<td style="text-align: right;">1</td></tr></tbody></table>',
    "words": "<b>4</b> heads, a &lt; b",
}


@pytest.mark.parametrize("kind", STAYS)
def test_harmless_html_stays_as_it_is(kind: str) -> None:
    assert inert_html(STAYS[kind]) == STAYS[kind]


def test_a_picture_that_may_not_be_loaded_leaves_no_trace() -> None:
    page = inert_html(f'<img src="https://evil.example/x.png" alt="a"><b>4</b>{SHOWN}')
    assert page == f"<b>4</b>{SHOWN}"


def test_a_table_of_pandas_stays_a_table_without_its_style_sheet() -> None:
    page = inert_html("<div>\n<style scoped>.dataframe{}</style>" + STAYS["a table"] + "</div>")
    assert page == "<div>\n" + STAYS["a table"] + "</div>"


PLAIN_SVG = '<svg xmlns="http://www.w3.org/2000/svg"><use xlink:href="#a"/><path d="M0 0"/></svg>'


@pytest.mark.parametrize(
    ("svg", "stays"),
    [
        (PLAIN_SVG, True),
        (PLAIN_SVG.replace("<path", "<script>alert(1)</script><path"), False),
        (PLAIN_SVG.replace("<path", "<path onclick='x'"), False),
        (PLAIN_SVG.replace("#a", "javascript:alert(1)"), False),
        (PLAIN_SVG.replace("#a", "https://evil.example"), False),
        (PLAIN_SVG.replace("<path", "<foreignObject><iframe/></foreignObject><path"), False),
        ("<!DOCTYPE svg [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>" + PLAIN_SVG, False),
        ("no picture", False),
    ],
)
def test_a_svg_stays_if_it_only_draws(svg: str, stays: bool) -> None:
    made = data_of(**{"image__svg_plus_xml": svg, "text__plain": "plain"})
    assert made == ({"image/svg+xml": svg} if stays else {}) | {"text/plain": "plain"}


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("application/javascript", "alert(1)"),
        ("text/javascript", "alert(1)"),
        ("application/vnd.jupyter.widget-view+json", {"model_id": "a"}),
        ("application/vnd.plotly.v1+json", {}),
        ("application/pdf", PIXEL),
        ("text/vnd.mermaid", "graph TD"),
        ("image/png", '"><script>alert(1)</script>'),
        ("image/png", {"a": 1}),
        ("text/html", "<script>alert(1)</script>"),
        ("text/html", None),
        ("a kind of one's own <script>", "x"),
    ],
)
def test_what_cannot_be_shown_leaves_a_note(kind: str, value: Any) -> None:
    assert data_of(**{kind.replace("/", "__"): value}) == {"text/plain": f"({kind} left out)"}


def test_metadata_of_an_output_keep_sizes_and_alt_texts_alone() -> None:
    known = {"width": 5, "height": "<script>", "alt": "words", "unconfined": True}
    output = {
        "output_type": "display_data",
        "data": {"image/png": PIXEL, "text/html": "<b>x</b>"},
        "metadata": {
            "image/png": known,
            "filenames": {"image/png": "x"},
            "text/html": {"isolated": 1},
        },
    }
    assert inert_output(output)["metadata"] == {"image/png": {"width": 5, "alt": "words"}}


@pytest.mark.parametrize(
    "output",
    [
        {},
        {"output_type": "odd"},
        {"output_type": ["stream"]},
        {"output_type": "stream", "name": '"><script>', "text": ["a", 1]},
        {"output_type": "error", "ename": 1, "evalue": None, "traceback": "x"},
        {"output_type": "execute_result", "data": [], "execution_count": "<script>"},
        {"output_type": "display_data", "data": {"text/plain": ["a", "b"]}, "metadata": []},
        {"output_type": "update_display_data", "data": {}, "metadata": {}},
    ],
)
def test_outputs_of_any_shape_become_valid_ones(output: dict[str, Any]) -> None:
    notebook = nbformat.v4.new_notebook(cells=[code("1")])
    notebook.cells[0]["outputs"] = [output]
    make_inert(notebook)
    nbformat.validate(notebook)
    assert "<script" not in json.dumps(notebook)


def test_the_lessons_own_texts_stay_whatever_they_hold() -> None:
    notebook = release_notebook()
    own = text("<details><summary>More</summary>words</details>")
    locked = text("<video src='https://course.example/x.mp4'></video>", "task_1", locked=True)
    notebook.cells += [own, locked]
    before = [cell.source for cell in notebook.cells]
    make_inert(notebook, [own.source])
    assert [cell.source for cell in notebook.cells] == before


@pytest.mark.parametrize("marks", [{}, {"grade": True, "solution": True, "points": 2}])
def test_a_students_text_and_a_written_answer_are_made_inert(marks: dict[str, Any]) -> None:
    notebook = release_notebook()
    notebook.cells.append(text("<script>x</script>", "say_1" if marks else "", **marks))
    make_inert(notebook)
    assert notebook.cells[-1].source == "```\n<script>x</script>\n```"


def test_raw_text_with_tags_becomes_text_that_shows_them() -> None:
    notebook = {"cells": [{"cell_type": "raw", "metadata": {}, "source": "<b>x</b>"}]}
    make_inert(notebook)
    assert notebook["cells"][0]["cell_type"] == "markdown"
    assert notebook["cells"][0]["source"] == "```\n<b>x</b>\n```"


def test_making_inert_twice_changes_nothing() -> None:
    notebook = release_notebook()
    notebook.cells += [text(page) for page in ACTIVE.values()]
    shown = [
        {"output_type": "display_data", "data": {"text/html": page}} for page in STAYS.values()
    ]
    notebook.cells.append(code("1"))
    notebook.cells[-1]["outputs"] = shown
    make_inert(notebook)
    once = json.dumps(notebook)
    make_inert(notebook)
    assert json.dumps(notebook) == once


UNRENDERED = [
    "## A heading",
    "a: b [B, T, D], 3 x 4!",
    "- one\n- two\n\n> quoted",
    "`f(x)[0]`",
]
LOADS = """
import sys
from manyheads.grade.inert.markdown import inert_markdown
assert inert_markdown(sys.argv[1]) == sys.argv[1]
print("nbconvert" in sys.modules)
"""


@pytest.mark.parametrize(
    ("source", "rendered"), [*((one, False) for one in UNRENDERED), ("[a](b.md)", True)]
)
def test_markdown_is_rendered_only_where_it_may_do_harm(source: str, rendered: bool) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", LOADS, source], capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == str(rendered)
