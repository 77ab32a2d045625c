"""The course's look, from the one file that figures and explorers share: `look.json`.

Colours are Okabe and Ito's (2008), which stay apart for every common form of colour blindness.
What each is used for is said in docs/visual-language.md.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("look.json")
POINTS = 0.75  # a CSS pixel in points: figures are shown at 96 pixels an inch

_look: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))

HEADS: tuple[str, ...] = tuple(_look["heads"])  # one colour a head, and a hatch beside it
HATCHES: tuple[str, ...] = tuple(_look["hatches"])
FILLS: tuple[str, ...] = tuple(_look["fills"])  # paler: black text reads well on each of them

TYPE: dict[str, int] = _look["type"]  # sizes of type by their use, in CSS pixels

# The same in figures, in points
TITLE, LABEL, CELL = (TYPE[name] * POINTS for name in ("title", "label", "cell"))
