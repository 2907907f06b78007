from __future__ import annotations

import re
from typing import Final, Literal

Language = Literal["en", "zh"]

_CHINESE: Final = re.compile(r"[\u4e00-\u9fff]")


def language_of(text: str) -> Language:
    """The language to answer a text in: Chinese where it has a Chinese character, else English."""
    return "zh" if _CHINESE.search(text) else "en"
