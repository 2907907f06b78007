from __future__ import annotations

import json
from dataclasses import replace
from datetime import date

import numpy as np
import pandas as pd
import pytest
from scipy.stats import pearsonr, spearmanr

from assay.base import canonical_json, generator
from assay.config import DateRange, PeriodPlan
from assay.errors import ConfigProblems, DataError, ExpressionError, Refusal
from assay.expr import parse
from assay.judge import SUMMARY, Costs, Filters, JudgeSettings, judge, verify_certificate
from assay.market import Panel

SETTINGS = JudgeSettings(
    horizon=2, horizons=(1, 2), min_names=5, quantiles=3, universe="some",
    robustness="quick", leak_checks="quick",
)  # fmt: skip
FORMULA = "-ts_return(close, 3)"
LEAKS = ("prefix", "scramble", "permutation", "adjustment")


def expected_ics(panel: Panel, values: np.ndarray, settings: JudgeSettings, method) -> np.ndarray:
    """Daily ICs written from the definition, one name at a time."""
    price = panel.field(settings.fill).astype(float)
    gone = panel.trading(settings.fill).delisted_row
    members = panel.universe(settings.universe or "all")
    days, names = panel.shape
    found = np.full(days, np.nan)
    for t in range(settings.lag, days - 1 - settings.horizon):
        pairs = []
        for i in range(names):
            a, b = price[t + 1, i], price[t + 1 + settings.horizon, i]
            alive = gone[i] < 0 or t + 1 + settings.horizon < gone[i]
            x = values[t - settings.lag, i]
            if members[t, i] and alive and np.isfinite([a, b, x]).all():
                pairs.append((x, np.float32(b / a - 1)))
        if len(pairs) >= settings.min_names:
            x, y = zip(*pairs, strict=True)
            found[t] = method(x, y).statistic
    return found


@pytest.mark.parametrize("lag", [0, 1, 3])
@pytest.mark.parametrize("fill", ["close", "open"])
@pytest.mark.parametrize("universe", ["some", None])
def test_ics_follow_the_definition_of_lag_fill_label_and_members(small, lag, fill, universe):
    settings = replace(SETTINGS, lag=lag, fill=fill, universe=universe)
    values = generator(1, "values").normal(size=small.shape)
    verdict = judge(values, small, settings)[0]
    single = values.astype(np.float32).astype(float)
    for key, method in (("ic", pearsonr), ("rank_ic", spearmanr)):
        expected = expected_ics(small, single, settings, method)
        np.testing.assert_allclose(verdict.series[key], expected, atol=2e-6)
        assert verdict.summary[key] == pytest.approx(np.nanmean(expected), abs=2e-6)
    assert verdict.summary["days"] == np.isfinite(expected).sum()


def test_a_formula_is_judged_like_its_own_values(small):
    close = small.field("close").astype(float)
    values = np.full(small.shape, np.nan)
    values[3:] = -(close[3:] / close[:-3] - 1)
    by_text = judge(FORMULA, small, SETTINGS)[0]
    by_values = judge(values, small, SETTINGS)[0]
    np.testing.assert_allclose(by_text.series["rank_ic"], by_values.series["rank_ic"], atol=1e-6)
    assert by_text.summary["net_return"] == pytest.approx(by_values.summary["net_return"])
    assert [check.outcome for check in by_values.leaks] == ["not_applicable"] * 4
    assert by_values.identity.fingerprint is None
    assert by_values.identity.values_sha256 is not None
    verify_certificate(by_values.certificate)


def test_values_as_frames_and_by_name(small):
    values = generator(1, "values").normal(size=small.shape)
    frame = pd.DataFrame(values, index=pd.DatetimeIndex(small.dates), columns=list(small.instruments))
    verdicts = judge({"mine": frame, "same": values}, small, SETTINGS)
    assert [verdict.name for verdict in verdicts] == ["mine", "same"]
    assert verdicts[0].summary == verdicts[1].summary


def test_universe_is_seen_by_cross_section_ops(small):
    """The rank of a member counts members only, so a wider universe gives other values."""
    some = judge("rank(close) - 0.5", small, SETTINGS)[0]
    assert some.data.members_per_day < small.shape[1]
    ranked = np.full(small.shape, np.nan)
    members = small.universe("some")
    for t, row in enumerate(small.field("close")):
        inside = members[t] & np.isfinite(row)
        ranked[t, inside] = pd.Series(row[inside]).rank(pct=True) - 0.5
    np.testing.assert_allclose(
        some.series["rank_ic"], judge(ranked, small, SETTINGS)[0].series["rank_ic"], atol=1e-9
    )


def test_nothing_after_the_end_of_the_period_is_read(small):
    end = small.dates[40].item()
    settings = replace(SETTINGS, end=end)
    verdict = judge(FORMULA, small, settings)[0]
    assert verdict.data.last_row == end
    labelled = np.isfinite(verdict.series["rank_ic"])
    assert not labelled[-3:].any()
    assert labelled[-4]
    assert verdict.data.last_label == small.dates[37].item()

    data = small.data
    fields = {name: values.copy() for name, values in data.fields.items()}
    for name, values in fields.items():
        values[41:] = 1.0 if name == "factor" else 77.0
    other = judge(FORMULA, Panel(replace(data, fields=fields)), settings)[0]
    assert other.summary == verdict.summary
    for key, values in verdict.series.items():
        np.testing.assert_array_equal(other.series[key], values)


def test_warm_up_rows_feed_lookbacks_and_are_not_judged(small):
    settings = replace(SETTINGS, start=small.dates[20].item())
    verdict = judge("ts_mean(close, 15) / close", small, settings)[0]
    assert verdict.data.first_row == small.dates[0].item()
    assert verdict.dates[0] == small.dates[20]
    assert np.isfinite(verdict.series["rank_ic"][0])
    whole = judge("ts_mean(close, 15) / close", small, SETTINGS)[0]
    np.testing.assert_array_equal(verdict.series["rank_ic"], whole.series["rank_ic"][20:])


def test_hidden_periods_stay_shut(small):
    day = [small.dates[row].item() for row in range(60)]
    plan = PeriodPlan(search=DateRange(day[0], day[35]), eval=DateRange(day[45], day[59]))
    verdict = judge(FORMULA, small, SETTINGS, plan=plan)[0]
    assert (verdict.data.period, verdict.data.last_row) == ("search", day[35])
    with pytest.raises(Refusal) as caught:
        judge(FORMULA, small, replace(SETTINGS, period="eval"), plan=plan)
    assert caught.value.reason.code == "hidden_period"
    opened = judge(FORMULA, small, replace(SETTINGS, period="eval", allow_hidden=True), plan=plan)[0]
    assert opened.data.hidden_opened == ("eval",)
    assert any("hidden" in warning for warning in opened.warnings)


def test_certificate_is_valid_deterministic_and_sealed(small):
    first = judge(FORMULA, small, SETTINGS)[0].certificate
    again = judge(FORMULA, small, replace(SETTINGS, threads=2))[0].certificate
    assert canonical_json(first) == canonical_json(again)
    verify_certificate(first)
    assert first["body"]["data"]["record"] == "unrecorded, N unknown"
    assert first["body"]["significance"]["trials_source"] == "no DSR: N unknown"
    assert first["body"]["identity"]["canonical"] is not None
    altered = json.loads(canonical_json(first))
    altered["body"]["metrics"]["rank_ic"] = 0.5
    with pytest.raises(DataError, match="hash"):
        verify_certificate(altered)


def test_certificate_changes_with_data_and_settings(small):
    base = judge(FORMULA, small, SETTINGS)[0].certificate["content_hash"]
    data = small.data
    volume = data.fields["volume"] * np.float32(2)
    other = Panel(replace(data, fields={**data.fields, "volume": volume}))
    assert judge(FORMULA, other, SETTINGS)[0].certificate["content_hash"] != base
    assert judge(FORMULA, small, replace(SETTINGS, seed=8))[0].certificate["content_hash"] != base


def test_a_batch_gives_what_each_factor_gives_alone(sim):
    texts = ["-ts_return(close, 5)", "-ts_corr(close, volume, 10)", "rank(volume)"]
    settings = JudgeSettings(robustness="quick", leak_checks="quick")
    batch = judge(texts, sim, replace(settings, threads=2))
    assert [verdict.name for verdict in batch] == texts
    for text, verdict in zip(texts, batch, strict=True):
        alone = judge(text, sim, settings)[0]
        assert verdict.summary == pytest.approx(alone.summary, nan_ok=True)
        assert verdict.robustness == alone.robustness
        assert verdict.leaks == alone.leaks


def test_progress_reports_every_factor(small):
    calls = []
    judge([FORMULA, "close"], small, SETTINGS, progress=lambda *call: calls.append(call))
    assert ("judged", 2, 2) in calls
    assert calls[-1] == ("leak checks", 2, 2)


def test_refused_items_stop_a_batch_or_are_put_aside(small):
    items = {"good": FORMULA, "bad": "ts_mean(close", "unknown": "closs + 1", "group": "industry"}
    with pytest.raises(ExpressionError):
        judge(items, small, SETTINGS)
    verdicts = judge(items, small, SETTINGS, collect=True)
    assert [verdict.name for verdict in verdicts] == ["good"]
    assert [refused.name for refused in verdicts.refused] == ["bad", "unknown", "group"]
    assert "close" in str(verdicts.refused[1].error.as_dict())
    only_bad = judge(["nonsense("], small, SETTINGS, collect=True)
    assert (len(only_bad), len(only_bad.refused)) == (0, 1)


def test_equal_names_are_told_apart(small):
    verdicts = judge([FORMULA, FORMULA], small, SETTINGS)
    assert [verdict.name for verdict in verdicts] == [FORMULA, f"{FORMULA} #2"]


def test_expressions_of_other_dialects(small):
    core = judge("ts_mean(close, 5) / close", small, SETTINGS)[0]
    parsed = judge(parse("ts_mean(close, 5) / close"), small, SETTINGS)[0]
    qlib = judge("Mean($close, 5) / $close", small, SETTINGS, dialect="qlib")[0]
    assert parsed.summary == core.summary
    assert qlib.identity.dialect == "qlib"


@pytest.mark.parametrize("things", [[], {}, 5, [None]])
def test_what_cannot_be_judged_is_one_clear_error(small, things):
    with pytest.raises(DataError, match="judge"):
        judge(things, small, SETTINGS)


def test_dependence_on_the_adjustment_factor_is_named(small):
    warned = judge("rank(-close)", small, SETTINGS)[0]
    check = warned.leaks[3]
    assert (check.name, check.outcome) == ("adjustment", "failed")
    assert "close" in str(check.culprit)
    assert any("adjustment" in warning for warning in warned.warnings)
    refused = judge("rank(-close)", small, replace(SETTINGS, adjustment="refuse"))[0]
    outcome = {c.name: c.outcome for c in refused.decision.criteria}
    assert outcome["leak_adjustment"] == "failed"
    quiet = judge("rank(-close)", small, replace(SETTINGS, adjustment="off"))[0]
    assert not any("adjustment" in warning for warning in quiet.warnings)


@pytest.mark.parametrize("text", ["close - close", "ts_mean(close, 59)", "log(-close)"])
def test_a_factor_without_information_is_undefined_and_never_passes(small, text):
    verdict = judge(text, small, SETTINGS)[0]
    assert verdict.status == "undefined"
    assert verdict.summary["days"] <= 1
    verify_certificate(verdict.certificate)
    assert json.loads(json.dumps(verdict.to_dict(), allow_nan=False))["summary"]["t"] is None


@pytest.mark.parametrize("book", ["decile", "top_k", "long_short", "dollar_neutral"])
def test_books_keep_their_identities(sim, book):
    settings = JudgeSettings(
        book=book, top_k=10, buffer=3, robustness="off", leak_checks="off", neutral=False
    )
    verdict = judge("-ts_corr(close, volume, 10)", sim, settings)[0]
    curve = verdict.book
    assert curve is not None
    np.testing.assert_array_equal(curve.net, curve.gross - curve.cost)
    np.testing.assert_allclose(curve.value_net, np.cumprod(1 + curve.net))
    assert (curve.cost >= 0).all()
    assert (curve.cost[curve.turnover == 0] == 0).all()
    assert curve.theoretical == (book in ("long_short", "dollar_neutral"))
    assert curve.theoretical == any("theoretical" in warning for warning in verdict.warnings)
    if book in ("long_short", "dollar_neutral"):
        assert not curve.benchmark.any()
    free = judge("-ts_corr(close, volume, 10)", sim, replace(settings, costs=Costs(buy_bp=0, sell_bp=0)))[0]
    assert free.summary["net_return"] > verdict.summary["net_return"]


def test_direction_auto_trades_the_opposite_of_a_negative_factor(sim):
    settings = JudgeSettings(robustness="off", leak_checks="off", neutral=False, direction="auto")
    plus = judge("-ts_corr(close, volume, 10)", sim, settings)[0]
    minus = judge("ts_corr(close, volume, 10)", sim, settings)[0]
    assert minus.summary["rank_ic"] == pytest.approx(-plus.summary["rank_ic"])
    assert minus.summary["net_return"] == pytest.approx(plus.summary["net_return"])
    assert "opposite sign" in minus.book.note


def test_filters_bind_the_book_and_not_the_ic(sim):
    base = JudgeSettings(robustness="off", leak_checks="off", neutral=False)
    plain = judge("rank(-close)", sim, base)[0]
    strict = judge("rank(-close)", sim, replace(base, filters=Filters(min_price=15.0, min_age=30)))[0]
    assert strict.summary["rank_ic"] == plain.summary["rank_ic"]
    assert strict.summary["net_return"] != plain.summary["net_return"]


def test_benchmark_as_series_or_universe(sim):
    base = JudgeSettings(robustness="off", leak_checks="off", neutral=False)
    zero = judge(FORMULA, sim, base, benchmark=np.zeros(sim.shape[0]))[0]
    assert zero.book.benchmark_name == "given series"
    assert not zero.book.benchmark.any()
    other = judge(FORMULA, sim, replace(base, benchmark="index_a"))[0]
    assert other.book.benchmark_name == "equal weight of index_a"
    with pytest.raises(DataError, match="benchmark"):
        judge(FORMULA, sim, base, benchmark=np.zeros(3))
    for wrong in (3000.0, -2.0):
        with pytest.raises(DataError, match="no return of a day"):
            judge(FORMULA, sim, base, benchmark=np.full(sim.shape[0], wrong))


def test_trials_deflate_and_their_source_is_stated(sim):
    texts = ["-ts_return(close, 5)", "-ts_corr(close, volume, 10)"]
    quick = JudgeSettings(robustness="quick", leak_checks="off", neutral=False)
    unknown = judge(texts, sim, quick)
    assert np.isnan(unknown[0].significance.dsr)
    known = judge(texts, sim, replace(quick, trials=1000))
    assert "this batch" in known[0].significance.trials_source
    assert known[0].significance.dsr < known[0].significance.psr
    alone = judge(texts[0], sim, replace(quick, trials=1000))[0]
    assert "V[SR] unknown" in alone.significance.trials_source
    given = judge(texts[0], sim, replace(quick, trials=1000, sharpe_variance=0.001))[0]
    assert "V[SR] given" in given.significance.trials_source
    assert known.batch.judged == 2
    assert given.data.record == "unrecorded, N 1000 (given)"
    assert "N = 2" in known.batch.note
    assert 0 <= known.batch.pbo <= 1
    assert all(by >= bh for bh, by in zip(known.batch.q_bh, known.batch.q_by, strict=True))


def test_a_panel_without_a_market_needs_costs(small):
    anonymous = Panel(replace(small.data, market=None))
    with pytest.raises(ConfigProblems, match="costs"):
        judge(FORMULA, anonymous, SETTINGS)
    judged = judge(FORMULA, anonymous, replace(SETTINGS, costs=Costs(buy_bp=1, sell_bp=1)))
    assert len(judged) == 1


def test_every_part_of_a_verdict_is_there(sim):
    verdict = judge("-ts_corr(close, volume, 10)", sim, JudgeSettings(universe="index_a"))[0]
    assert list(verdict.summary) == [column.key for column in SUMMARY]
    days = len(verdict.dates)
    assert set(verdict.series) == {
        "ic", "rank_ic", "names", "coverage", "turnover", "rank_autocorrelation", "neutral_rank_ic",
    }  # fmt: skip
    assert all(values.shape == (days,) for values in verdict.series.values())
    assert [row.horizon for row in verdict.decay] == [1, 2, 3, 5, 10, 20]
    assert verdict.quantiles.values.shape == (days, 10)
    assert [check.name for check in verdict.leaks] == list(LEAKS)
    assert len(verdict.robustness.sub_periods) == 4
    assert len(verdict.robustness.shuffle.means) == 5
    assert verdict.coverage[-1].share <= verdict.coverage[0].share
    assert verdict.significance.rank_ic_interval.low < verdict.summary["rank_ic"]
    assert any("simulated" in warning for warning in verdict.warnings)
    start, end = verdict.robustness.sub_periods[0].start, verdict.robustness.sub_periods[-1].end
    assert date(2018, 1, 1) < start < end
    json.dumps(verdict.to_dict(), allow_nan=False)


def test_coverage_counts_from_the_first_value_and_lost_days_are_counted_apart(small):
    values = generator(2, "values").normal(size=small.shape)
    values[:20] = np.nan
    values[:, ::2] = np.nan
    verdict = judge(values, small, replace(SETTINGS, universe=None, min_names=3))[0]
    share = verdict.series["coverage"]
    assert not share[:21].any()
    assert verdict.summary["coverage"] == pytest.approx(share[21:].mean())
    assert verdict.summary["coverage"] == pytest.approx(12 / 25, abs=0.03)
    labelled = small.shape[0] - 3
    assert verdict.summary["days"] == labelled - 21
    assert verdict.summary["days_undefined"] == 21


def test_a_missing_adjustment_factor_stays_in_the_certificate(small):
    data = small.data
    bare = replace(
        data,
        fields={name: values for name, values in data.fields.items() if name != "factor"},
        infos={name: info for name, info in data.infos.items() if name != "factor"},
    )
    said = "no adjustment factor: splits and dividends look like returns"
    verdict = judge(FORMULA, Panel(bare), SETTINGS)[0]
    assert said in verdict.warnings
    assert said in verdict.certificate["body"]["warnings"]
    assert said not in judge(FORMULA, small, SETTINGS)[0].warnings
