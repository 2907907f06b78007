from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from assay.errors import AssayError
from assay.judge import COSTS, SUMMARY, Costs, JudgeSettings, judge

KEYS = [column.key for column in SUMMARY]


@pytest.fixture(scope="module")
def verdicts(sim):
    settings = JudgeSettings(robustness="quick", leak_checks="quick")
    texts = ["close - close", "ts_corr(close, volume, 10)", "-ts_return(close, 5)", "ts_mean(close"]
    return judge(texts, sim, settings, collect=True)


def test_verdicts_are_a_sequence_with_names(verdicts):
    assert len(verdicts) == 3
    assert verdicts[1] is verdicts.named("ts_corr(close, volume, 10)")
    assert [verdict.name for verdict in verdicts[:2]] == [verdict.name for verdict in verdicts][:2]
    assert repr(verdicts) == "Verdicts(3 judged, 1 refused)"
    with pytest.raises(KeyError):
        verdicts.named("nobody")


def test_rows_come_best_first_and_undefined_last(verdicts):
    rows = verdicts.rows()
    assert list(rows[0]) == ["name", "status", *KEYS, "dsr", "q_bh", "q_by"]
    t = [abs(row["t"]) for row in rows]
    assert t[0] >= t[1]
    assert rows[-1]["name"] == "close - close"
    signed = verdicts.rows("rank_ic", absolute=False)
    assert signed[0]["rank_ic"] > signed[1]["rank_ic"]
    with pytest.raises(AssayError, match="cannot sort by"):
        verdicts.rows("beauty")


def test_frames_hold_the_rows(verdicts):
    pandas = verdicts.to_pandas()
    polars = verdicts.to_polars()
    assert list(pandas.columns) == polars.columns
    assert list(pandas["name"]) == polars["name"].to_list()
    assert polars["t"].null_count() == 1
    assert polars["days"].to_list() == pandas["days"].to_list()


def test_whole_batch_is_json(verdicts):
    data = json.loads(json.dumps(verdicts.to_dict(), allow_nan=False))
    assert [item["summary"]["t"] is None for item in data["verdicts"]] == [True, False, False]
    assert data["refused"][0]["error"] == "refusal"
    assert data["batch"]["judged"] == 3
    assert len(verdicts.certificates()) == 3


def test_a_verdict_is_one_short_line(verdicts):
    text = repr(verdicts.named("ts_corr(close, volume, 10)"))
    assert re.fullmatch(
        r"Verdict\('ts_corr\(close, volume, 10\)', \w+, RankIC -?0\.\d{4}, t -?[\d.]+\)", text
    )
    assert repr(verdicts[0]).endswith("undefined, RankIC undefined, t undefined)")


def test_notebooks_get_a_small_table(verdicts):
    table = verdicts._repr_html_()
    assert table.count("<tr>") == 4
    assert "1 refused" in table
    assert verdicts[1]._repr_html_().count("<tr>") == 2
    named = replace(verdicts[1], identity=replace(verdicts[1].identity, name="<script>"))
    assert "<script>" not in named._repr_html_()


def test_costs_are_those_applied(verdicts):
    assert verdicts[0].costs == COSTS["CN"]
    assert replace(verdicts[0], settings=JudgeSettings(costs=Costs(buy_bp=1, sell_bp=2))).costs.sell_bp == 2
