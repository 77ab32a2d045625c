"""How explorers are shown: a widget to a person, a page to a file, a text to a grader."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import pytest

from manyheads.explore import Explorer, bundle, head_map, sentence, shape_tracer

VIEW = "application/vnd.jupyter.widget-view+json"


@pytest.fixture
def shell(monkeypatch):
    """Call it to stand in a kernel whose client answers questions, or doesn't."""
    import IPython

    def stand(allow_stdin: bool) -> None:
        kernel = SimpleNamespace(_allow_stdin=allow_stdin)
        monkeypatch.setattr(IPython, "get_ipython", lambda: SimpleNamespace(kernel=kernel))

    return stand


def shown(explorer: Explorer) -> set[str]:
    return set(explorer._repr_mimebundle_()[0])


def test_a_person_gets_a_widget_a_page_and_a_text(shell):
    shell(allow_stdin=True)
    assert shown(head_map()) == {VIEW, "text/html", "text/plain"}


def test_a_program_that_runs_notebooks_gets_no_widget(shell):
    shell(allow_stdin=False)
    assert shown(head_map()) == {"text/html", "text/plain"}


def test_a_grading_run_gets_the_text_alone(shell, monkeypatch):
    shell(allow_stdin=True)
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    assert head_map()._repr_mimebundle_() == ({"text/plain": head_map().text}, {})


def test_without_anywidget_the_page_serves(shell, monkeypatch):
    shell(allow_stdin=True)
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "manyheads.explore.widget", raising=False)
    assert shown(head_map()) == {"text/html", "text/plain"}


def test_importing_explorers_loads_neither_torch_nor_widgets():
    heavy = "{'torch', 'numpy', 'matplotlib', 'anywidget', 'ipywidgets', 'IPython'}"
    code = f"import sys, manyheads.explore; print({heavy} & set(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "set()\n"


def test_importing_explorers_needs_no_other_part_of_the_course():
    code = (
        "import sys, manyheads.explore; print(sorted(m for m in sys.modules if m.count('.') == 1))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    parts = {name for name in ran.stdout.split("'") if name.startswith("manyheads.")}
    assert parts <= {"manyheads.explore", "manyheads.show"}


@pytest.mark.parametrize("explorer", [head_map(), sentence(), shape_tracer()], ids=lambda e: e.name)
def test_a_page_fetches_nothing(explorer):
    page = explorer.page()
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "import(" not in page


def test_a_page_s_text_is_there_without_scripts():
    page = Explorer("head_map", {}, "1 < 2").page()
    assert "<pre>1 &lt; 2</pre>" in page


def test_a_state_can_t_end_its_script():
    page = Explorer("head_map", {"word": "</script><b>"}, "").page()
    assert page.count("</script>") == 1


def test_every_page_has_a_place_of_its_own():
    first, second = (head_map().page().split('data-manyheads="')[1][:32] for _ in range(2))
    assert first != second


@pytest.fixture
def front(tmp_path, monkeypatch):
    """A folder of modules in place of the explorers' own; call it with their texts."""
    monkeypatch.setattr(bundle, "FRONT", tmp_path)

    def write(**texts: str) -> None:
        bundle.script.cache_clear()
        (tmp_path / "frame.css").write_text("")
        for name, text in texts.items():
            (tmp_path / f"{name}.js").write_text(text)

    yield write
    bundle.script.cache_clear()


def test_modules_are_put_together_once_each_after_what_they_import(front):
    front(
        a='import { two } from "./b.js";\nimport { one } from "./c.js";\nexport const it = one;\n',
        b='import { one } from "./c.js";\nexport const two = one;\n',
        c="const hidden = 1;\nexport const one = hidden;\n",
    )
    code = bundle.script("a")
    starts = [code.index(f"const ${name} = (() => {{") for name in "cba"]
    assert starts == sorted(starts)
    assert code.count("const hidden") == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("export default 1;\n", "a.js: 'export default 1;' is a form"),
        ('import * as b from "./b.js";\n', "a.js: 'import \\* as b"),
        ('import { a } from "./a.js";\n', "in a circle: a > a"),
        ('export const a = "</script>";\n', "a.js would end the HTML script"),
    ],
)
def test_a_module_that_can_t_be_put_together_is_refused(front, text, words):
    front(a=text)
    with pytest.raises(ValueError, match=words):
        bundle.script("a")
