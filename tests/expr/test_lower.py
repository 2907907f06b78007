from __future__ import annotations

import pytest

from assay.errors import ExpressionError
from assay.expr import DIALECTS, FieldInfo, check, parse, to_text
from assay.expr._grammar import GRAMMARS

BRAIN_RANK = '"(r-1)/(n-1)"'


def core(text, dialect, **options):
    return to_text(parse(text, dialect, level="typed", **options).node)


def refused(text, dialect="core", **options):
    with pytest.raises(ExpressionError) as caught:
        parse(text, dialect, **options)
    return caught.value


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("rank(x, rate=0)", f"rank(x, scale={BRAIN_RANK})"),
        ("group_rank(x, sector)", f"group_rank(x, sector, scale={BRAIN_RANK})"),
        ("ts_rank(x, 5)", f"ts_rank(x, 5, scale={BRAIN_RANK})"),
        ("Ts_Rank(x, 5, constant=1)", f"ts_rank(x, 5, scale={BRAIN_RANK}) + 1"),
        ("ts_arg_max(x, 6)", "ts_argmax(x, 6)"),
        ("ts_std_dev(x, d=5)", "ts_std(x, 5)"),
        ("ts_covariance(y, x, 5)", "ts_cov(y, x, 5)"),
        ("ts_decay_linear(x, 5)", 'ts_decay_linear(x, 5, missing="zero")'),
        ("ts_decay_linear(x, 5, dense=true)", "ts_decay_linear(x, 5)"),
        ("ts_quantile(x, 5, driver=cauchy)", 'ts_rank_gaussian(x, 5, driver="cauchy")'),
        ('quantile(x, driver="Uniform", sigma=2)', 'rank_gaussian(x, driver="uniform", sigma=2)'),
        ("ts_regression(y, x, 20, lag=2, rettype=6)", 'ts_regression(y, x, 20, lag=2, output="r2")'),
        ("ts_backfill(x, lookback=60, k=2)", "ts_backfill(x, 60, k=2)"),
        ('kth_element(x, 5, 2, ignore="NAN 0")', 'ts_kth(x, 5, 2, ignore="NAN 0")'),
        ("ts_av_diff(x, 6)", "ts_mean_deviation(x, 6)"),
        ("last_diff_value(x, 5)", "ts_last_different(x, 5)"),
        ("days_from_last_change(x)", "bars_since_change(x)"),
        ("ts_step(1)", "ts_step()"),
        ("hump(x)", "hump(x)"),
        ("scale(x, longscale=1, shortscale=2)", "scale(x, longscale=1, shortscale=2)"),
        ("normalize(x, useStd=true, limit=3)", "normalize(x, use_std=true, limit=3)"),
        ("group_mean(x, 1, industry)", 'group_mean(x, 1, industry, mean="harmonic")'),
        ("group_backfill(x, sector, 20)", "group_backfill(x, sector, 20)"),
        ('bucket(x, range="0,1,0.25")', 'bucket(x, "0,0.25,0.5,0.75,1")'),
        (
            'bucket(x, buckets="2,5,6", skipBoth=true, NaNGroup=true)',
            'bucket(x, "2,5,6", skip_both=true, missing_group=true)',
        ),
        ("trade_when(a > b, x, -1)", "trade_when(a > b, x, -1)"),
        ("a > b ? x : -1 * y", "where(a > b, x, -1 * y)"),
        ("if_else(x, 1, 0)", "where(x != 0, 1, 0)"),
        ("and(x > 1, y)", "x > 1 && y != 0"),
        ("greater_equal(x, y)", "x >= y"),
        ("!(x > y)", "!(x > y)"),
        ("add(x, y, z)", "x + y + z"),
        ("add(x, y, filter=true)", "fill_missing(x) + fill_missing(y)"),
        ("multiply(x, y, true)", "fill_missing(x, value=1) * fill_missing(y, value=1)"),
        ("max(x, y, z)", "maximum(maximum(x, y), z)"),
        ("inverse(x)", "1 / x"),
        ("reverse(x)", "-x"),
        ("is_nan(x)", "is_missing(x)"),
        ("to_nan(x, value=3)", "where(x != 3, x, nan)"),
        ("vec_avg(x)", "vec_avg(x)"),
        ("vec_choose(x, nth=2)", "vec_choose(x, 2)"),
        ("vec_powersum(x, constant=3)", "vec_powersum(x, k=3)"),
        ("vec_percentage(x, percentage=0.9)", "vec_percentage(x, q=0.9)"),
        ("vec_kurtosis(x)", "vec_kurt(x)"),
        ("vec_skewness(x)", "vec_skew(x)"),
        ("hump_decay(x)", "hump_decay(x)"),
        ("hump_decay(x, p=0.1, relative=true)", "hump_decay(x, p=0.1, relative=true)"),
        ("ts_delta_limit(x, adv20, limit_volume=0.2)", "ts_delta_limit(x, ts_mean(volume, 20), limit=0.2)"),
        ("inst_tvr(x, 5)", "ts_sum(abs(delta(x, 1)), 5) / ts_sum(abs(x), 5)"),
        ("rank_by_side(x, rate=0, scale=2)", "rank_by_side(x, scale=2)"),
        ("log_diff(x)", "delta(log(x), 1)"),
        ("nan_out(x, lower=1)", "where(x < 1, nan, x)"),
        ("clamp(x, upper=2)", "clip(x, 0, 2)"),
        ("negate(x > 0)", "!(x > 0)"),
        ("ts_returns(x, 5)", "ts_return(x, 5)"),
        ("ts_returns(x, 5, mode=2)", "delta(x, 5) / ((x + delay(x, 5)) / 2)"),
        ("ema_decay(x, k=0.75)", "0.75 * x + 0.25 * delay(x, 1)"),
        ("ts_co_kurtosis(y, x, 5)", "ts_co_kurt(y, x, 5)"),
        ("ts_co_skewness(y, x, 5)", "ts_triple_corr(y, x, x, 5)"),
        ("ts_theilsen(x, y, 5)", "ts_theilsen(y, x, 5)"),
        ("group_percentage(x, sector)", "group_quantile(x, sector, 0.5)"),
        (
            "group_rank(x, group_coalesce(sector, industry, market))",
            'group_rank(x, group_coalesce(group_coalesce(sector, industry), market), scale="(r-1)/(n-1)")',
        ),
        ("kth_element(x, 5, ignore=0)", 'ts_kth(x, 5, 1, ignore="0")'),
        ("densify(sector)", "densify(sector)"),
        ("signed_power(x, 2)", "signed_power(x, 2)"),
        ("x ^ 2", "x^2"),
        ("x > 1 AND y > 1 Or x < y", "x > 1 && y > 1 || x < y"),
        ("if_else(x > 1, input3=1, input2=y)", "where(x > 1, y, 1)"),
        ("is_nan(input=x)", "is_missing(x)"),
        ("and(input1=x > 1, input2=y > 1)", "x > 1 && y > 1"),
        ("a = x; A = a + y; a", "x + y"),
        ("close = close * 2; close", "close * 2"),
        ("adv20 = adv20 * 2; adv20", "ts_mean(volume, 20) * 2"),
        ("pasteurize(x)", "x"),
        ("adv20", "ts_mean(volume, 20)"),
        ("group_extra(x, y, sector)", "where(is_missing(x), group_mean(x, y, sector), x)"),
        ("correlation(x, y, 4.24304)", "ts_corr(x, y, 4)"),
        ("IndNeutralize(x, IndClass.sector)", "group_neutralize(x, sector)"),
    ],
)
def test_fastexpr(text, meaning) -> None:
    assert core(text, "fastexpr") == meaning


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("Mean($close, 5)", "ts_mean(close, 5, min_periods=1)"),
        ("Std($close, 5)", "ts_std(close, 5, ddof=1, min_periods=1)"),
        ("Ref($close, 5)/$close", "delay(close, 5) / close"),
        ("Rank($close, 5)", "ts_rank(close, 5, min_periods=1)"),
        ("IdxMax($high, 5)", 'ts_argmax(high, 5, min_periods=1, count_from="oldest")'),
        ("Skew($close, 5)", "ts_skew(close, 5, bias=false, min_periods=1)"),
        ("Quantile($close, 5, 0.8)", "ts_quantile(close, 5, 0.8, min_periods=1)"),
        ("EMA($close, 12)", "ts_ema(close, 12, min_periods=1)"),
        ("EMA($close, 0.5)", "ts_ema(close, 3, min_periods=1)"),
        ("Corr($close, $volume, 5)", "ts_corr(close, volume, 5, min_periods=1)"),
        ("If($close > $open, 1, 0)", "where(close > open, 1, 0)"),
        ("If(Greater($close, 0), 1, 0)", "where(maximum(close, 0) != 0, 1, 0)"),
        ("Count($close, 5)", "ts_sum(!is_missing(close), 5, min_periods=1)"),
        ("Power($close, 1/2)", "close^(1 / 2)"),
        ("Clip($close, 0, 1e3)", "clip(close, 0, 1000)"),
    ],
)
def test_qlib(text, meaning) -> None:
    assert core(text, "qlib") == meaning


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("RANK(TS_MEAN($close, 5) / DELAY($close, 5))", "rank(ts_mean(close, 5) / delay(close, 5))"),
        ("TS_STD($return, 20)", "ts_std(returns, 20)"),
        ("TS_PCTCHANGE($close, 5)", "ts_return(close, 5)"),
        (
            "INDUSTRY_NEUTRALIZE(SIGN(LOG(ABS($volume))), $industry)",
            "group_zscore(sign(log(abs(volume))), industry)",
        ),
        (
            "-TS_MAX($high, 5) + TS_MIN($low, 5) * TS_SUM($amount, 2)",
            "-ts_max(high, 5) + ts_min(low, 5) * ts_sum(amount, 2)",
        ),
        ("DELTA($open, 1)", "delta(open, 1)"),
    ],
)
def test_report(text, meaning) -> None:
    assert core(text, "report") == meaning


@pytest.mark.parametrize(
    ("text", "dialect", "meaning"),
    [
        ("correlation(high, rank(volume), 5.99)", "alpha101", "ts_corr(high, rank(volume), 5)"),
        ("Ts_ArgMax(SignedPower(close, 2.), 5)", "alpha101", "ts_argmax(signed_power(close, 2), 5)"),
        ("max(close, 5)", "alpha101", "ts_max(close, 5)"),
        ("max(rank(close), open)", "alpha101", "maximum(rank(close), open)"),
        ("adv20 < volume ? 1 : (-1 * 1)", "alpha101", "where(ts_mean(amount, 20) < volume, 1, -1 * 1)"),
        ("indneutralize(close, IndClass.subindustry)", "alpha101", "group_neutralize(close, subindustry)"),
        ("!(close < open)", "alpha101", "!(close < open)"),
        ("SMA(CLOSE, 13, 2)", "alpha191", "ts_sma(close, 13, 2)"),
        ("CLOSE=DELAY(CLOSE,1)?0:RET", "alpha191", "where(close == delay(close, 1), 0, returns)"),
        ("REGBETA(CLOSE, SEQUENCE(20))", "alpha191", 'ts_regression(close, ts_step(), 20, output="beta")'),
        ("REGBETA(CLOSE, SEQUENCE, 20)", "alpha191", 'ts_regression(close, ts_step(), 20, output="beta")'),
        ("SUMIF(VOLUME, 20, CLOSE>OPEN)", "alpha191", "ts_sum_if(volume, close > open, 20)"),
        ("SUMIF(VOLUME, CLOSE>OPEN, 20)", "alpha191", "ts_sum_if(volume, close > open, 20)"),
        ("COUNT(CLOSE>OPEN & VOL>1, 20)", "alpha191", "ts_count(close > open && volume > 1, 20)"),
        ("MAX(CLOSE, 0)", "alpha191", "maximum(close, 0)"),
        ("HD", "alpha191", "high - delay(high, 1)"),
    ],
)
def test_papers(text, dialect, meaning) -> None:
    assert core(text, dialect) == meaning


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_symbol_of_a_grammar_has_a_meaning(dialect) -> None:
    left, right = ("$close", "$open") if GRAMMARS[dialect].dollar == "always" else ("close", "open")
    prefixed = [symbol + left for symbol in GRAMMARS[dialect].prefix]
    joined = [f"{left} {symbol} {right}" for symbol in GRAMMARS[dialect].infix]
    for text in (*prefixed, *joined):
        assert check(text, dialect).error is None, text


def test_programs_substitute_their_variables() -> None:
    text = "n = 5; Fast = ts_mean(close, n); slow = ts_mean(close, 2 * n); fast / slow"
    assert core(text, "fastexpr") == "ts_mean(close, 5) / ts_mean(close, 10)"


def test_notices_tell_what_was_assumed() -> None:
    found = parse("a = close; b = delay(a, 2.7)", "fastexpr").warnings
    assert [n.code for n in found] == ["legacy_name", "fractional_window", "assignment_result"]
    assert (found[1].line, found[1].column) == (1, 25)
    assert [n.code for n in parse("close; open", "fastexpr").warnings] == ["unused_value"]


@pytest.mark.parametrize(
    ("text", "dialect", "reason", "column"),
    [
        ("a = close", "fastexpr", "fragment", 1),
        ("tsmean(close, 5)", "core", "unknown_op", 1),
        ("1 + Mean(close, 5)", "core", "unknown_op", 5),
        ("rank(TS_MEAN($close, 5))", "report", "unknown_op", 1),
        ("reduce_avg(close)", "fastexpr", "unsupported_op", 1),
        ("ts_target_tvr_decay(close)", "fastexpr", "unsupported_op", 1),
        ("inst_pnl(close)", "fastexpr", "unsupported_op", 1),
        ("one_side(close)", "fastexpr", "unsupported_op", 1),
        ("generalized_rank(close, m=2)", "fastexpr", "unsupported_op", 1),
        ("convert(close)", "fastexpr", "unsupported_op", 1),
        ("multi_regression(close, open, high)", "fastexpr", "unsupported_op", 1),
        ("nan_out(close)", "fastexpr", "bad_parameter", 1),
        ("clamp(close, lower=3, upper=1)", "fastexpr", "bad_parameter", 1),
        ("clamp(close, upper=1, inverse=true)", "fastexpr", "bad_parameter", 1),
        ('clamp(close, upper=1, inverse=true, mask="1 2")', "fastexpr", "bad_parameter", 1),
        ('clamp(close, upper=1, inverse=true, mask="some")', "fastexpr", "bad_parameter", 1),
        ('replace(close, target="1 2 3", dest="1 2")', "fastexpr", "bad_parameter", 1),
        ('replace(close, target="", dest="1")', "fastexpr", "bad_parameter", 1),
        ("round_down(close, f=0)", "fastexpr", "bad_parameter", 1),
        ('filter(close, h="1", t="0.5")', "fastexpr", "bad_parameter", 1),
        ('filter(close, h="1 nan")', "fastexpr", "bad_parameter", 1),
        ("vec_avg(vec_filter(news, value=0))", "fastexpr", "bad_parameter", 9),
        ("ts_poly_regression(close, open, 9, k=2)", "fastexpr", "bad_parameter", 38),
        ("ts_rank_gmean_amean_diff(close, open, high)", "fastexpr", "literal_expected", 39),
        ("ts_rank_gmean_amean_diff(close, open, high, 5, wide=2)", "fastexpr", "unknown_argument", 48),
        ("vec_choose(news, nth=-1)", "fastexpr", "bad_parameter", 22),
        ("FILTER(CLOSE, 5)", "alpha191", "unsupported_op", 1),
        ("ts_mean(close)", "core", "wrong_arity", 1),
        ("ts_mean(close, 5, 1, 2)", "core", "wrong_arity", 1),
        ("ts_mean(close, 5, window=5)", "core", "wrong_arity", 26),
        ("rank(close, rte=2)", "fastexpr", "unknown_argument", 13),
        ("add(close, open, high, filer=true)", "fastexpr", "unknown_argument", 24),
        ("rank(sector)", "core", "wrong_kind", 6),
        ("group_rank(close, volume)", "core", "wrong_kind", 19),
        ("vec_avg(close)", "core", "wrong_kind", 9),
        ('rank("close")', "core", "wrong_kind", 6),
        ("ts_mean(close, d)", "fastexpr", "literal_expected", 16),
        ("ts_mean(close, close)", "core", "literal_expected", 16),
        ("ts_mean(close, 5/0)", "core", "literal_expected", 16),
        ("quantile(close, driver=5)", "fastexpr", "literal_expected", 24),
        ("ts_mean(close, 2.5)", "core", "bad_parameter", 16),
        ("ts_quantile(close, 5, 1.5)", "core", "bad_parameter", 23),
        ("quantile(close, driver=gausian)", "fastexpr", "bad_parameter", 24),
        ("normalize(close, useStd=2)", "fastexpr", "bad_parameter", 25),
        ("ts_mean(close, nan)", "core", "bad_parameter", 16),
        ('bucket(close, range="0,1,1e-9")', "fastexpr", "bad_parameter", 1),
        ('bucket(close, range="1,0,0.1")', "fastexpr", "bad_parameter", 1),
        ('bucket(close, buckets="3,2")', "fastexpr", "bad_parameter", 1),
        ("bucket(close)", "fastexpr", "bad_parameter", 1),
        ("a = b; b = a; a", "fastexpr", "unknown_field", 5),
        ("a = a + 1; a", "fastexpr", "unknown_field", 5),
        ("ts_mean(close, windw)", "fastexpr", "unknown_field", 16),
        ("$close", "core", "syntax", 1),
        ("RANK(close)", "report", "syntax", 6),
        ("RANK($clse)", "report", "unknown_field", 6),
    ],
)
def test_refusals_at_level_typed(text, dialect, reason, column) -> None:
    error = refused(text, dialect, fields={**_FIELDS} if dialect == "fastexpr" else None)
    assert (error.reason.code, error.span.column, error.level) == (reason, column, "typed")


_FIELDS = {name: FieldInfo(name) for name in ("close", "open", "high", "volume", "d")}


def test_a_lacking_argument_is_named() -> None:
    assert refused("ts_corr(close, open)").message.startswith("ts_corr lacks 'window'")
    assert refused("ts_mean(window=5)").message.startswith("ts_mean lacks 'x'")
    assert refused("ts_mean(close, 1, 2, 3)").message.startswith("ts_mean does not take 4 arguments")
    assert "no list of numbers" in refused('bucket(close, buckets="a")', "fastexpr").message


def test_a_refusal_has_the_particulars_that_it_words() -> None:
    news = {"close": FieldInfo("close"), "news": FieldInfo("news", "vector")}
    two = {"given": 2, "inputs": 1, "variadic": False}
    assert refused("nope(close)", "fastexpr").facts == {"op": "nope"}
    assert refused("ts_mean(close, close)").facts == {"op": "ts_mean", "parameter": "window", **two}
    assert refused("ts_mean(close)").facts["missing"] == ["window"]
    assert refused("close + news", "fastexpr", fields=news).facts == {
        "op": "add", "index": 1, "wanted": "number", "given": "vector",
    }  # fmt: skip
    assert refused("group_rank(close, 'a')", "fastexpr").facts["given"] == "text"


def test_a_vector_must_be_reduced_first() -> None:
    news = {"news": FieldInfo("news", "vector")}
    assert "vec_avg" in refused("rank(news)", "fastexpr", fields=news).message
    assert core("rank(vec_sum(news))", "fastexpr", fields=news) == f"rank(vec_sum(news), scale={BRAIN_RANK})"


@pytest.mark.parametrize(
    ("text", "dialect", "near"),
    [
        ("tsmean(close, 5)", "core", "ts_mean"),
        ("ts_std_deviation(close, 5)", "fastexpr", "ts_std_dev"),
        ("Maen($close, 5)", "qlib", "Mean"),
        ("RANK($clse)", "report", "$close"),
        ("rank(clse)", "core", "close"),
        ("rank(close, rte=2)", "fastexpr", "rate"),
        ("rank($close)", "core", "close"),
    ],
)
def test_did_you_mean(text, dialect, near) -> None:
    assert near in refused(text, dialect).suggestions


def test_a_field_of_the_data_comes_before_a_written_out_mean() -> None:
    assert core("adv20", "fastexpr", fields=["adv20"]) == "adv20"
    assert core("adv20", "core") == "ts_mean(amount, 20)"


def test_a_tree_that_grows_by_substitution_is_refused() -> None:
    text = "; ".join(["a0 = close", *(f"a{i + 1} = a{i} + a{i}" for i in range(70)), "a70"])
    assert refused(text, "fastexpr").reason.code == "formula_too_deep"
    wide = "; ".join(["a0 = close + open", *(f"a{i + 1} = a{i} + a{i}" for i in range(12)), "a12"])
    assert refused(wide, "fastexpr").reason.code == "formula_too_large"
