"""The sentences of the sampler, in the languages of the prompts."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

Language = Literal["en", "zh"]
Sentence = Literal[
    "new", "mutation", "refinement", "hypothesis", "child", "computes", "memory", "type", "best"
]

_TEXTS: Final[Mapping[Language, Mapping[Sentence, str]]] = MappingProxyType(
    {
        "en": {
            "new": "A factor of the form `{form}`, whose holes are filled from the fields of the data.",
            "mutation": "{parent} was accepted: change a part of it, so that it measures something else.",
            "refinement": "{parent} is the best of its niche: change one step of it.",
            "hypothesis": "{mechanism}: {text}",
            "child": "one change of {parent}",
            "computes": "Computes `{formula}` from {fields}.",
            "memory": "Trials so far, by mechanism type:",
            "type": "- {name}: {scored} scored, {admitted} admitted; refused mostly for: {reasons}",
            "best": "- best of {name}: {formula} (t {t})",
        },
        "zh": {
            "new": "形如 `{form}` 的因子，空位用数据中的字段填充。",
            "mutation": "{parent} 已被采纳：改变其中一部分，使其衡量别的东西。",
            "refinement": "{parent} 是其所在类别中最好的：只改一步。",
            "hypothesis": "{mechanism}：{text}",
            "child": "{parent} 的一处改动",
            "computes": "由 {fields} 计算 `{formula}`。",
            "memory": "至今的试验，按机制类型：",
            "type": "- {name}：评估 {scored} 个，采纳 {admitted} 个；主要拒绝原因：{reasons}",
            "best": "- {name} 中最好的：{formula}（t {t}）",
        },
    }
)


def say(language: Language, sentence: Sentence, **parts: object) -> str:
    """A sentence with its parts filled in."""
    return _TEXTS[language][sentence].format(**parts)
