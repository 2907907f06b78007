"""A recorded run, done again from its log, snapshot and seed."""

from __future__ import annotations

import shutil
import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.campaign._campaign import CampaignSetup
from assay.campaign._pools import Pools
from assay.campaign._replay import Replayed, replay_run
from assay.campaign._settings import CampaignConfig
from assay.campaign._snapshot import RunSnapshot
from assay.campaign._types import PoolFactor
from assay.errors import AssayError, ProviderQuotaExhausted
from assay.expr import parse
from assay.llm import ReplayMiss, ReplayProvider

from . import crash, desk

CONFIG = desk.config(roles=desk.ALL_MODELS)


def again(place: desk.Place, to: Path, **changes: Any) -> Replayed:
    def setup(
        config: CampaignConfig, snapshot: RunSnapshot, pools: Pools, provider: ReplayProvider
    ) -> CampaignSetup:
        backends = desk.models(config.roles, say=_nobody, replay=provider)
        made = place.setup(config, snapshot=snapshot, pools=pools, backends=backends)
        return replace(made, **changes)

    return replay_run(place.ledger(), place.runs, desk.RUN, to, setup)


def _nobody(_: Any) -> str:
    raise AssertionError("a replay asks no model")


@pytest.fixture
def place(tmp_path: Path) -> desk.Place:
    made = desk.Place(tmp_path / "w")
    made.root.mkdir()
    made.ledger()
    return made


def test_a_replay_gives_the_same_without_a_network(
    place: desk.Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.campaign(place.setup(CONFIG)).run()
    before = place.ledger().verify().head

    def refused(*_: Any, **__: Any) -> None:
        raise AssertionError("a replay opens no connection")

    monkeypatch.setattr(socket, "socket", refused)
    found = again(place, tmp_path / "again")
    assert found.equal
    assert found.whole
    assert (found.rounds, found.records) == (3, len(place.export().splitlines()))
    assert place.ledger().verify().head == before, "the workspace's ledger got no record"


def test_a_run_that_was_killed_and_resumed_replays(place: desk.Place, tmp_path: Path) -> None:
    with pytest.raises(crash.Killed):
        crash.begin(place, crash.Deadline(150))
    crash.begin(place, crash.Deadline())
    assert again(place, tmp_path / "again").equal


def test_a_run_that_waits_replays_up_to_its_last_round(place: desk.Place, tmp_path: Path) -> None:
    def poor(request: Any) -> Any:
        text = request.messages[1].content
        return ProviderQuotaExhausted("no money") if "ound 3" in text else desk.reply(request)

    setup = place.setup(CONFIG, backends=desk.models(say=poor))
    assert place.campaign(setup).run().stop.by == "provider_quota"
    found = again(place, tmp_path / "again")
    assert found.equal
    assert not found.whole
    assert found.rounds == 2


def test_the_first_difference_is_named(place: desk.Place, tmp_path: Path) -> None:
    script = desk.Script().backends
    place.campaign(place.setup(CONFIG, backends=script)).run()
    found = again(
        place,
        tmp_path / "again",
        backends=script,
        judging=lambda run, _, pools: desk.FakeJudging(run, pools, threshold=0.1),
    )
    assert found.difference is not None
    assert found.difference.where.startswith("record ")
    assert found.difference.recorded != found.difference.again


def test_a_file_that_was_altered_is_a_difference(place: desk.Place, tmp_path: Path) -> None:
    place.campaign(place.setup(CONFIG)).run()
    (place.folder / "memory.md").write_text("what I would have liked")
    found = again(place, tmp_path / "again")
    assert found.difference is not None
    assert found.difference.where == "memory.md"


def test_a_replay_that_asks_something_else_shows_the_nearest_prompt(
    place: desk.Place, tmp_path: Path
) -> None:
    place.campaign(place.setup(CONFIG)).run()
    brief = replace(place.setup().brief, market="another market")
    with pytest.raises(ReplayMiss, match="another market"):
        again(place, tmp_path / "again", brief=brief)


def test_changed_pools_are_replayed_round_by_round(place: desk.Place, tmp_path: Path) -> None:
    """The second part of the run knew a factor that the first did not."""
    refused = PoolFactor("mine", "known", parse("rank(close)"), known=True)

    def until_2(number: int, _: str) -> Any:
        from assay.campaign._stop import Stop

        return Stop("deadline", "later") if number == 3 else None

    place.campaign(place.setup(CONFIG), halt=until_2).run()
    place.campaign(place.setup(CONFIG, pools=Pools(known=(refused,)))).resume(accept_changed_pools=True)
    found = again(place, tmp_path / "again")
    assert found.equal
    assert {len(judging.pools.known) for judging in place.judgings[-2:]} == {0, 1}


def test_the_copy_of_the_snapshot_is_searched_with(place: desk.Place, tmp_path: Path) -> None:
    """Whatever the config's files say now."""
    shutil.copytree(place.root, tmp_path / "copy", dirs_exist_ok=True)
    templates = tmp_path / "prompts"
    templates.mkdir()
    template = templates / "distiller.system.md"
    template.write_text("Sum up. {{ language }}")
    files = replace(CONFIG.files, templates=templates)
    config = replace(CONFIG, files=files)
    place.campaign(place.setup(config)).run()
    template.unlink()
    assert again(place, tmp_path / "again").equal
    assert RunSnapshot.open(place.folder).templates() == {"distiller.system": "Sum up. {{ language }}"}


def test_a_folder_that_exists_is_left_alone(place: desk.Place, tmp_path: Path) -> None:
    place.campaign(place.setup(CONFIG)).run()
    (tmp_path / "again").mkdir()
    with pytest.raises(AssayError, match="exists"):
        again(place, tmp_path / "again")


def test_a_copy_of_pools_that_was_altered_is_refused(place: desk.Place, tmp_path: Path) -> None:
    place.campaign(place.setup(CONFIG)).run()
    (copy,) = (place.folder / "pools").iterdir()
    factor = PoolFactor("x", "y", parse("rank(close)"))
    copy.write_text(Pools(reference=(factor,)).to_json())
    with pytest.raises(AssayError, match="altered"):
        again(place, tmp_path / "again")
