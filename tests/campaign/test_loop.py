"""A whole campaign, without a market."""

from __future__ import annotations

import json
from pathlib import Path

from assay.campaign._stop import Stop

from . import desk


def test_a_campaign_with_models_runs_to_its_limit(tmp_path: Path) -> None:
    place = desk.Place(tmp_path)
    result = place.campaign(place.setup(desk.config(roles=desk.ALL_MODELS))).run()
    assert result.stop == Stop("max_rounds", "3 rounds are done; the limit is 3")
    assert {trial.round for trial in result.records} == {1, 2, 3}
    assert len(result.records) == 12
    assert result.admitted
    state = json.loads(place.leavings()["state.json"])
    assert state["zoo"] == [trial.id for trial in result.admitted]
