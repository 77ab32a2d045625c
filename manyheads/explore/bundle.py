"""One script for each explorer, put together from the modules in `front/`.

The modules are ordinary ES modules, so that node's tests load them as they are. Imports name
files of the same folder, exports are declarations:

    import { h, svg } from "./dom.js";
    export function mount(host, state, css) {}
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

from manyheads.show.look import FILLS, HEADS, TYPE

FRONT = Path(__file__).parent / "front"
IMPORT = re.compile(r'^import \{([^}]*)\} from "\./(\w+)\.js";\n', re.MULTILINE)
EXPORT = re.compile(r"^export ((?:async )?function\*?|const|class) (\w+)", re.MULTILINE)
LEFT_OVER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


@cache
def script(name: str) -> str:
    """Plain JavaScript that defines `explorer`, with its function `mount`, and `css`.

    name: a module of `front/`, without its ending; its exports become `explorer`'s
    raises: ValueError when a module is written in a way this can't put together

    >>> script("head_map").splitlines()[0]
    'const $dom = (() => {'
    """
    parts = [_scoped(module) for module in _in_order(name)]
    code = "\n".join(
        [*parts, f"const explorer = ${name};", f"const css = {json.dumps(style(name))};"]
    )
    if "</script" in code or "<!--" in code:
        raise ValueError(f"front/{name}.js would end the HTML script that it is put into.")
    return code


def module(name: str) -> str:
    """The same as an ES module, as anywidget loads it."""
    render = "({ model, el }) => explorer.mount(el, model.get('state'), css)"
    return f"{script(name)}\nexport default {{ render: {render} }};\n"


def style(name: str) -> str:
    """The style sheet of an explorer: the look, then the sheets of its modules, its own last."""
    sheets = (FRONT / f"{module}.css" for module in _in_order(name))
    return "\n".join([_tokens(), *(s.read_text("utf-8") for s in sheets if s.is_file())])


def _tokens() -> str:
    """The look that figures have too, as custom properties."""
    colours = {f"head-{h}": colour for h, colour in enumerate(HEADS)}
    colours |= {f"fill-{n}": colour for n, colour in enumerate(FILLS)}
    sizes = {f"size-{name}": f"{size}px" for name, size in TYPE.items()}
    lines = "".join(f"  --{name}: {value};\n" for name, value in (colours | sizes).items())
    return f":host {{\n{lines}}}\n"


def _in_order(name: str, above: tuple[str, ...] = ()) -> list[str]:
    """The module's name after those of all it imports."""
    if name in above:
        raise ValueError(f"front/ imports in a circle: {' > '.join([*above, name])}.")
    order: list[str] = []
    for imported in IMPORT.finditer(_source(name)):
        for needed in _in_order(imported[2], (*above, name)):
            if needed not in order:
                order.append(needed)
    return [*order, name]


def _scoped(name: str) -> str:
    """The module as a function called at once, so that its private names stay its own.

    Its result is called $name: stepper.js may export a function `stepper`.
    """
    source = _source(name)
    exported = [found[2] for found in EXPORT.finditer(source)]
    body = IMPORT.sub(lambda found: f"const {{{found[1]}}} = ${found[2]};\n", source)
    body = EXPORT.sub(r"\1 \2", body)
    if bad := LEFT_OVER.search(body):
        raise ValueError(f"front/{name}.js: {bad[0]!r} is a form that bundle.py doesn't know.")
    return f"const ${name} = (() => {{\n{body}return {{ {', '.join(exported)} }};\n}})();"


def _source(name: str) -> str:
    return (FRONT / f"{name}.js").read_text(encoding="utf-8")
