"""What a spec fixes, as settings of the judge; on the real index where its data is at hand."""

from __future__ import annotations

import pytest

from assay.config import DataSettings
from assay.errors import Refusal
from assay.judge import JudgeSettings, judge, spec_settings
from assay.service import Terms

from ..market.real import csi300_panel
from .conftest import gated_spec


def test_terms_are_the_spec_with_house_defaults():
    terms = Terms.of(gated_spec(universe="undeclared", rebalance="undeclared"))
    assert (terms.universe, terms.rebalance, terms.seed) == (
        "CSI300",
        "weekly",
        "$close / TS_MEAN($close, 15)",
    )
    assert terms.traded("$close + 1") == "-($close + 1)"
    assert Terms().traded("$close") == "$close"


def test_the_client_has_no_say_in_costs_and_dates(source):
    own = DataSettings(lag=0, fill="open")
    settings = spec_settings(Terms(rebalance="monthly", neutralization="size"), source, own)
    assert settings == JudgeSettings(
        universe="index_a",
        lag=0,
        fill="open",
        rebalance=20,
        neutralize="size",
        adjustment="refuse",
        horizons=(5,),
        bootstrap=0,
    )


@pytest.fixture(scope="module")
def csi300(shared, tmp_path_factory):
    return csi300_panel(shared, tmp_path_factory.mktemp("real"))


def test_neutralised_books_on_the_real_index_differ_and_are_defined(csi300):
    figures = {}
    for choice in ("none", "industry"):
        settings = spec_settings(Terms(neutralization=choice), csi300, DataSettings())
        settings = JudgeSettings.from_mapping({**settings.to_dict(), "neutral": False, "end": "2020-12-31"})
        figures[choice] = judge("-ts_std(returns, 20)", csi300, settings)[0].summary
    assert len({figure["ir"] for figure in figures.values()}) == 2
    assert all(figure["coverage"] > 0.9 and figure["days"] > 900 for figure in figures.values())


def test_size_is_refused_where_few_market_values_are_known(csi300):
    settings = spec_settings(Terms(neutralization="industry_size"), csi300, DataSettings())
    with pytest.raises(Refusal) as caught:
        judge("-ts_std(returns, 20)", csi300, settings)
    assert caught.value.reason.code == "unsupported_neutralization"


def test_an_index_of_which_most_members_lack_data_is_refused(csi300):
    with pytest.raises(Refusal) as caught:
        spec_settings(Terms(universe="CSI500"), csi300, DataSettings())
    assert caught.value.reason.code == "unsupported_universe"
    assert "lacks" in caught.value.message
