"""Facts pages away from the formula: stated once, in a table of settings, changed in the results."""

from __future__ import annotations

import pytest

from assay.reports.rules import RulesExtractor
from assay.reports.verifier import gate

from .reading import document

ZH = "\f".join(
    [
        "一、约定\n\n行业市值双中性化，下同。",
        "二、因子构造\n\n反转因子定义为过去20个交易日的累计收益率。因子值越高，未来收益越低。",
        "三、数据\n\n行情数据来自交易所。",
        "四、回测设置\n\n| 项目 | 取值 |\n|---|---|\n| 股票池 | 中证500 |\n| 计算频率 | 每日 |\n"
        "| 调仓频率 | 每月 |\n",
        "五、结果\n\n在实证部分，我们将回看窗口调整为60个交易日，最终结果均以此为准。",
    ]
)
EN = "\f".join(
    [
        "Conventions\n\nAll signals are industry neutral, the same below.",
        "Definition\n\nThe reversal factor is defined as the return over the past 20 trading days. "
        "High values predict low returns.",
        "Data\n\nPrices come from the exchange.",
        "Settings\n\n| Item | Value |\n|---|---|\n| Universe | CSI 500 |\n| Frequency | daily |\n"
        "| Rebalancing | monthly |\n",
        "Results\n\nIn the rest of the report the look-back window is 60 trading days instead of 20.",
    ]
)


@pytest.mark.parametrize(
    ("text", "neutralization"), [(ZH, "industry_size"), (EN, "industry")], ids=["zh", "en"]
)
def test_settings_pages_away_and_a_changed_parameter_are_of_the_factor(
    text: str, neutralization: str
) -> None:
    read = document(text, "note.txt")
    assert len(read.pages) == 5
    found = RulesExtractor().extract(read)
    spec = found.spec
    assert spec is not None, (found.reason, found.note)
    assert (spec.expr, spec.windows) == ("TS_PCTCHANGE($close, 60)", (60,))
    assert (spec.universe, spec.frequency, spec.neutralization, spec.rebalance, found.direction) == (
        "CSI500", "daily", neutralization, "monthly", "negative",
    )  # fmt: skip
    cited = {(span.field, span.page_start) for span in spec.evidence}
    assert {("neutralization", 1), ("universe", 4), ("windows", 5)} <= cited
    assert gate(read, found).admitted
