from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assay.errors import DataError, Refusal
from assay.market import MarketData, Panel, append, simulate


@pytest.fixture(scope="module")
def whole() -> MarketData:
    return simulate(4, 30, 200, signal=False).data


def rows(data: MarketData, start: int, stop: int) -> MarketData:
    """Only these dates of a data set, as a download would bring them."""
    fields = {name: values[start:stop] for name, values in data.fields.items()}
    record = np.isfinite(fields["factor"])
    some = record.any(axis=0)
    first = np.where(some, record.argmax(axis=0), stop - start).astype(np.int32)
    last = np.where(some, stop - start - 1 - record[::-1].argmax(axis=0), -1).astype(np.int32)
    return replace(
        data,
        dates=data.dates[start:stop],
        fields=fields,
        first_row=first,
        last_row=last,
        universes={},
        events={},
        vectors={},
    )


def test_parts_put_together_are_the_whole(whole: MarketData) -> None:
    merged = append(rows(whole, 0, 120), rows(whole, 110, 200))
    np.testing.assert_array_equal(merged.dates, whole.dates)
    for name, values in whole.fields.items():
        np.testing.assert_array_equal(merged.fields[name], values, err_msg=name)
    np.testing.assert_array_equal(merged.first_row, whole.first_row)
    np.testing.assert_array_equal(merged.last_row, whole.last_row)


def test_a_factor_anchored_anew_is_converted(whole: MarketData) -> None:
    new = rows(whole, 110, 200)
    ratio = np.linspace(0.3, 3, 30).astype(np.float32)
    anchored = replace(new, fields={**new.fields, "factor": new.fields["factor"] * ratio})
    merged = append(rows(whole, 0, 120), anchored)
    np.testing.assert_allclose(merged.fields["factor"], whole.fields["factor"], rtol=1e-5)
    returns = Panel(merged).field("returns")
    np.testing.assert_allclose(returns, Panel(whole).field("returns"), atol=1e-5)


def test_factors_that_disagree_are_refused(whole: MarketData) -> None:
    new = rows(whole, 110, 200)
    factor = new.fields["factor"].copy()
    column = int(np.flatnonzero((whole.first_row == 0) & (whole.last_row == 199))[0])
    factor[5:, column] *= 1.07
    with pytest.raises(
        Refusal, match=f"{whole.instruments[column]}: the factors of shared bars differ"
    ) as caught:
        append(rows(whole, 0, 120), replace(new, fields={**new.fields, "factor": factor}))
    assert caught.value.reason.code == "factor_mismatch"
    assert len(caught.value.details["instruments"]) == 1


def test_prices_that_disagree_are_refused(whole: MarketData) -> None:
    new = rows(whole, 110, 200)
    close = new.fields["close"].copy()
    # a split since the last download: a source that adjusts prices for splits has changed them all
    close[:, 2] /= 2
    with pytest.raises(Refusal, match=f"S0003: the raw close of {whole.dates[110]} differs"):
        append(rows(whole, 0, 120), replace(new, fields={**new.fields, "close": close}))


def test_a_gap_or_nothing_new_is_refused(whole: MarketData) -> None:
    with pytest.raises(DataError, match="after the last stored date"):
        append(rows(whole, 0, 100), rows(whole, 110, 200))
    with pytest.raises(DataError, match="nothing to append"):
        append(rows(whole, 0, 120), rows(whole, 100, 120))


def test_new_and_ended_instruments(whole: MarketData) -> None:
    old, new = rows(whole, 0, 120), rows(whole, 110, 200)
    renamed = tuple("NEW" if name == "S0001" else name for name in new.instruments)
    merged = append(old, replace(new, instruments=renamed))
    assert merged.instruments[-1] == "NEW"
    assert merged.shape == (200, 31)
    assert np.isnan(merged.fields["close"][120:, 0]).all()
    # its bars on dates that are stored already come along
    np.testing.assert_array_equal(merged.fields["close"][110:, 30], whole.fields["close"][110:, 0])
    assert merged.first_row[30] == 110
    assert merged.last_row[0] == old.last_row[0]
    assert merged.groups["sector"].codes.shape == (31,)
    assert merged.groups["sector"].codes[30] == -1


def test_membership_is_known_no_further_than_before(whole: MarketData) -> None:
    old = replace(rows(whole, 0, 120), universes=whole.universes)
    merged = append(old, rows(whole, 110, 200))
    assert merged.universes["index_a"].known_until == whole.dates[119]
    with pytest.raises(Refusal, match="known until"):
        Panel(merged).universe("index_a")


def test_event_series_that_are_not_carried_on_are_no_fields(whole: MarketData) -> None:
    old = replace(rows(whole, 0, 120), vectors={"event_score": np.zeros((1, 120, 30), dtype=np.float32)})
    assert "event_score" in Panel(old).fields
    assert "event_score" not in Panel(append(old, rows(whole, 110, 200))).fields
