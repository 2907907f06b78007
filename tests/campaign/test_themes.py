from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.campaign._themes import find_themes, single_linkage, theme_lines
from assay.campaign._tried import LEAST_COMMON, TriedSeries
from assay.errors import AssayError
from assay.ledger import DailySeries, decode_series, encode_series

from .past import FixedCorrelations, trial

IDS = [f"r01-s{n:02d}" for n in range(6)]


def test_clusters_of_a_worked_example() -> None:
    """a-b .9, b-c -.8 make one theme though a-c is .3; d-e at the threshold one; f is alone."""
    a, b, c, d, e, f = IDS
    tried = FixedCorrelations({(a, b): 0.9, (b, c): -0.8, (a, c): 0.3, (d, e): 0.7, (e, f): 0.69})
    trials = [trial(1, n, t=t) for n, t in enumerate((1.0, -4.0, 2.0, 3.0, 2.5, None))]
    themes = find_themes(trials, tried, 0.7)
    assert [[item.id for item in theme.members] for theme in themes] == [[a, b, c], [d, e], [f]]
    assert [theme.leader.id for theme in themes] == [b, d, f]


def test_an_admitted_trial_leads_its_theme() -> None:
    trials = [trial(1, 0, t=9.0), trial(1, 1, "admitted", t=4.0), trial(1, 2, "gate_refused")]
    (theme,) = find_themes(trials, FixedCorrelations({(IDS[0], IDS[1]): 0.95}), 0.7)
    assert theme.leader.id == IDS[1]
    assert theme.admitted == 1
    assert theme_lines([theme]) == (
        "theme 1 | 2 trials, 1 admitted | led by r01-s01 reversal: rank(ts_return(close, 22)) | "
        "r01-s00, r01-s01",
    )


def test_an_undefined_correlation_links_nothing() -> None:
    trials = [trial(1, 0), trial(1, 1)]
    assert len(find_themes(trials, FixedCorrelations({(IDS[0], IDS[1]): None}), 0.01)) == 2
    assert find_themes([], FixedCorrelations({}), 0.7) == ()


def test_themes_beyond_the_first_forty_are_counted() -> None:
    trials = [trial(1, n) for n in range(45)]
    lines = theme_lines(find_themes(trials, FixedCorrelations({}), 0.7))
    assert len(lines) == 41
    assert lines[-1] == "and 5 more themes of 5 trials, 0 admitted"


@given(st.integers(0, 9), st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=12))
def test_single_linkage_is_connectedness(n: int, links: list[tuple[int, int]]) -> None:
    matrix = np.eye(n)
    for i, j in links:
        if i < n and j < n and i != j:
            matrix[i, j] = matrix[j, i] = -0.8
    reach = np.abs(matrix) >= 0.7
    for _ in range(n):
        reach = (reach.astype(int) @ reach.astype(int)) > 0
    assert single_linkage(matrix, 0.7) == [int(np.flatnonzero(reach[i])[0]) for i in range(n)]


def _rows(rng: np.random.Generator, n: int, length: int) -> np.ndarray:
    rows = rng.normal(size=(n, length)) + rng.normal(size=length)
    rows[rng.random(rows.shape) < 0.1] = np.nan
    return rows


def test_correlations_are_those_of_numpy() -> None:
    rows = _rows(np.random.default_rng(1), 5, 200)
    tried = TriedSeries(200)
    for name, row in zip(IDS, rows, strict=False):
        tried.add(name, row)
    found = tried.correlations(IDS[:5])
    for i in range(5):
        for j in range(5):
            both = np.isfinite(rows[i]) & np.isfinite(rows[j])
            assert found[i, j] == pytest.approx(np.corrcoef(rows[i][both], rows[j][both])[0, 1], abs=1e-12)
    assert tried.correlation(IDS[1], IDS[3]) == found[1, 3]
    assert tried.correlations([IDS[3], IDS[1]])[0, 1] == found[1, 3]


def test_a_pair_has_the_same_bits_whatever_else_was_tried() -> None:
    """Also with more rows than there was room for at first, and with rows in between."""
    rows = _rows(np.random.default_rng(2), 150, 333)
    whole = TriedSeries(333)
    for place, row in enumerate(rows):
        whole.add(str(place), row)
    for i, j in ((0, 149), (63, 64), (7, 100)):
        pair = TriedSeries(333)
        pair.add(str(j), rows[j])
        pair.add(str(i), rows[i])
        assert pair.correlation(str(i), str(j)) == whole.correlation(str(i), str(j))
        assert whole.likeness(rows[i])[j] == whole.correlation(str(i), str(j))
    assert whole.ids == tuple(map(str, range(150)))


def test_the_series_of_the_ledger_give_the_same_after_a_resume() -> None:
    """Daily series of several lengths, through the ledger's bytes and back."""
    rng = np.random.default_rng(3)
    days = np.arange("2019-01-01", "2019-06-30", dtype="datetime64[D]")
    common = rng.normal(size=len(days))
    stored = {
        name: encode_series(days[skip:], common[skip:] + rng.normal(size=len(days) - skip) * noise)
        for name, skip, noise in ((IDS[0], 0, 0.1), (IDS[1], 30, 0.1), (IDS[2], 60, 3.0))
    }
    first, again = (
        TriedSeries.of_series({name: decode_series(payload) for name, payload in stored.items()})
        for _ in range(2)
    )
    np.testing.assert_array_equal(first.correlations(IDS[:3]), again.correlations(IDS[:3]))
    assert [[item.slot for item in theme.members] for theme in find_themes(
        [trial(1, n) for n in range(3)], first, 0.8
    )] == [[0, 1], [2]]  # fmt: skip


def test_what_is_constant_or_hardly_shared_has_no_correlation() -> None:
    length = 2 * LEAST_COMMON
    rng = np.random.default_rng(4)
    row = rng.normal(size=length)
    head, tail = row.copy(), row.copy()
    head[LEAST_COMMON:], tail[: LEAST_COMMON - 1] = np.nan, np.nan
    partly = np.where(np.arange(length) < LEAST_COMMON, 0.1, row)
    tried = TriedSeries(length)
    given = {"row": row, "flat": np.full(length, 0.1), "head": head, "tail": tail, "partly": partly}
    given["none"] = np.full(length, np.nan)
    for name, values in given.items():
        tried.add(name, values)
    assert tried.correlation("row", "head") == pytest.approx(1.0)
    assert tried.correlation("row", "flat") is None
    assert tried.correlation("flat", "flat") is None
    assert tried.correlation("head", "tail") is None
    assert tried.correlation("head", "partly") is None
    assert tried.correlation("row", "none") is None


def test_rows_of_another_length_and_unknown_names_are_told() -> None:
    tried = TriedSeries.of_series({"a": DailySeries(np.arange(30).astype("datetime64[D]"), np.arange(30.0))})
    tried.add("a", np.zeros(30))
    assert tried.correlation("a", "a") == pytest.approx(1.0)
    with pytest.raises(AssayError, match="each has 30 numbers"):
        tried.add("b", [1.0])
    with pytest.raises(AssayError, match="no trial 'b' joined"):
        tried.correlation("a", "b")
    assert TriedSeries.of_series({}).ids == ()
