"""Which parts of a report try the factor otherwise."""

from __future__ import annotations

import pytest

from assay.reports._sections import asides, varies


def stated(text: str, words: str) -> bool:
    """Whether the words, which stand in the text once, are part of such a stretch."""
    assert text.count(words) == 1
    return varies(asides(text), text.index(words), words)


@pytest.mark.parametrize(
    "text",
    [
        "## Settings\nWe rebalance weekly.\n## Robustness\nMonthly trading costs little.\n",
        "# Report\n## 5 Sensitivity analysis\n### Other universes\nMonthly trading costs little.\n",
        "因子每周调仓。\n五、稳健性检验\n1. 将股票池换成中证1000；\n"
        "Monthly trading costs little.\n六、结论\n因子有效。\n",
        "因子每周调仓。\n稳健性检验：Monthly trading costs little.\n",
        "Weekly.\nAppendix B: further tests\nMonthly trading costs little.\n",
        "因子每周调仓。\n稳健性检验\n1. 将调仓改为月频，IC略降；\n2. Monthly trading costs little.\n",
    ],
)
def test_variants_stand_under_such_a_heading(text: str) -> None:
    assert stated(text, "Monthly trading costs little.")


@pytest.mark.parametrize(
    "text",
    [
        "## Robustness\nOther windows.\n## Settings\nMonthly trading.\n",
        "五、稳健性检验\n换成60日后下降。\n六、结论\nMonthly trading.\n",
        "Robustness\nA 60-day window gives less.\nSettings\nMonthly trading.\n",
        "## Final results and robustness\nMonthly trading.\n",
        "## A robust idea of value\n## Settings\nMonthly trading.\n",
        "稳健性检验：换成60日后下降。\nMonthly trading.\n",
        "## Appendix: definitions\nMonthly trading.\n",
        "# Robustness of momentum\nMonthly trading.\n",
        "The factor is robust to the choice of window, and sensitivity is low.\nMonthly trading.\n",
    ],
)
def test_what_stands_elsewhere_is_of_the_factor(text: str) -> None:
    assert not stated(text, "Monthly trading.")


@pytest.mark.parametrize(
    "said", ["From here on the window is 60 days", "各版本均做行业中性", "最终采用60日窗口"]
)
def test_what_is_said_to_hold_does(said: str) -> None:
    text = f"## Sensitivity\nA table.\n{said}\n"
    assert not stated(text, said)
