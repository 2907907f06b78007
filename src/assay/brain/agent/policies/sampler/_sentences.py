"""The sentences of the sampler, in the languages of ideas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from assay.brain.agent.policies._language import Language

Sentence = Literal[
    "idea", "research", "open", "leaders", "variant", "combine", "found", "dead", "note", "and"
]

_TEXTS: Final[Mapping[Language, Mapping[Sentence, str]]] = {
    "en": {
        "idea": "{first} combined with {second}",
        "research": "The idea speaks of: {names}. {count} fields of the platform are at hand.",
        "open": "The idea names nothing known here; tried in turn: {names}. {count} fields are at hand.",
        "leaders": "What leads so far, added up: {names}.",
        "variant": "{name}: {text}",
        "combine": "the sum of what leads",
        "found": "{formula} reached Sharpe {sharpe:.2f}, fitness {fitness:.2f}, turnover {turnover:.1%}",
        "dead": "{rounds} rounds without progress; best Sharpe {sharpe:.2f}",
        "note": "{alive} directions, {proposed} proposals, {abandoned} abandoned",
        "and": "; ",
    },
    "zh": {
        "idea": "{first}与{second}结合",
        "research": "想法涉及：{names}。平台可用字段 {count} 个。",
        "open": "想法未命名已知类别；依次尝试：{names}。可用字段 {count} 个。",
        "leaders": "目前领先者相加：{names}。",
        "variant": "{name}：{text}",
        "combine": "领先者之和",
        "found": "{formula}：夏普 {sharpe:.2f}，适应度 {fitness:.2f}，换手 {turnover:.1%}",
        "dead": "{rounds} 轮无进展；最佳夏普 {sharpe:.2f}",
        "note": "{alive} 个方向，{proposed} 个提案，放弃 {abandoned} 个",
        "and": "；",
    },
}


def say(language: Language, sentence: Sentence, **parts: object) -> str:
    """A sentence with its parts filled in."""
    return _TEXTS[language][sentence].format(**parts)
