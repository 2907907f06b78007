"""campaign.toml: strict, everything wrong with it at once, every key documented."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assay.campaign import CampaignConfig
from assay.campaign._config import config_of, parse_config
from assay.campaign._models import AdmissionTable
from assay.campaign._settings import StopSettings
from assay.config import LlmLimits
from assay.errors import ConfigProblems
from assay.judge.training import AdmissionRule


def parsed(text: str) -> CampaignConfig:
    return parse_config(text, where="campaign.toml", folder=Path("there"))


def problems(text: str) -> dict[str, str]:
    with pytest.raises(ConfigProblems) as caught:
        parsed(text)
    return {item.where: f"{item.message} ({item.fix})" for item in caught.value.problems}


def test_an_empty_file_is_the_default() -> None:
    assert parsed("") == CampaignConfig(folder=Path("there"))


def test_nothing_but_the_number_of_rounds_ends_a_run_unless_it_is_configured() -> None:
    assert parsed("").stop == StopSettings(max_rounds=20)
    assert asdict(StopSettings(1)) == {
        "max_rounds": 1,
        "max_trials": None,
        "patience": None,
        "deadline": None,
    }
    assert set(asdict(LlmLimits()).values()) == {None}, "no budget"


def test_the_mechanism_types_of_assay_are_in_the_language_of_the_prompts() -> None:
    english, chinese = parsed("").mechanisms, parsed('[campaign]\nlanguage = "zh"').mechanisms
    assert english.keys() == chinese.keys()
    assert all(text.isascii() for text in english.values())
    assert not any(text.isascii() for text in chinese.values())
    own = parsed('[campaign]\nlanguage = "zh"\n[mechanisms.mine]\ndescription = "x"').mechanisms
    assert dict(own) == {"mine": "x"}


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "campaign.toml"
    path.write_text(
        """
        [campaign]
        data = "csi300"
        seed = 7
        [mechanisms.b]
        description = "second"
        [mechanisms.a]
        description = "first"
        [files]
        fields = "fields.toml"
        [quota]
        slots = 3
        [admission]
        min_t = "off"
        max_turnover = 20
        [stop]
        deadline = 2030-01-01T06:00:00Z
        """
    )
    found = CampaignConfig.load(path)
    assert (found.data, found.seed, found.quota.slots, found.files.fields) == (
        "csi300", 7, 3, Path("fields.toml"),
    )  # fmt: skip
    assert list(found.mechanisms.items()) == [("b", "second"), ("a", "first")], "ties go by their order"
    assert (found.admission.min_t, found.admission.max_turnover) == (None, 20)
    assert found.stop.deadline == datetime(2030, 1, 1, 6, tzinfo=UTC)
    assert found.folder == tmp_path
    assert config_of(found.as_dict(), where="x", folder=tmp_path) == found


def test_every_problem_is_reported_at_once_with_its_place_and_what_to_do() -> None:
    found = problems(
        """
        [campaign]
        horizont = 3
        seed = "seven"
        [quota]
        slots = 3
        [round]
        picked_parents = true
        [context]
        send_back_repeats = true
        recent_rounds = -1
        [mechanisms."Big One"]
        description = "x"
        [mechanisms.ok]
        descripton = "x"
        [roles]
        planner = "gpt"
        [nothing]
        """
    )
    assert "did you mean 'horizon'" in found["campaign.horizont"]
    assert "is 'seven'" in found["campaign.seed"]
    assert "theme_correlation" in found["round.picked_parents"]
    assert "theme_correlation" in found["context.send_back_repeats"]
    assert "is -1" in found["context.recent_rounds"]
    assert "use a-z" in found['mechanisms."Big One"']
    assert "did you mean 'description'" in found["mechanisms.ok.descripton"]
    assert "is required" in found["mechanisms.ok.description"]
    assert "'llm' or 'sampler'" in found["roles.planner"]
    assert "no such key" in found["nothing"]
    assert len(found) == 10


@pytest.mark.parametrize(
    ("text", "where", "words"),
    [
        ("[quota]\nslots = 3", "quota.min_per_type", "6 mechanism types times 1 are 6 slots; a round has 3"),
        ("[quota]\nslots = 3\nmin_per_type = 0", None, ""),
        (
            '[quota]\nslots = 3\nmin_per_type = 2\n[mechanisms.a]\ndescription = "x"\n'
            '[mechanisms.b]\ndescription = "y"',
            "quota.min_per_type",
            "2 mechanism types times 2 are 4",
        ),
        ("[round]\npicked_parents = true\n[context]\ntheme_correlation = 0.7", None, ""),
        (
            "[round]\npicked_parents = true\n[context]\ntheme_correlation = 0.7\nfeedback = false",
            "round.picked_parents",
            "every direction is new",
        ),
        ("[stop]\ndeadline = 2030-01-01T00:00:00", "stop.deadline", "timezone"),
        ("[admission]\nmin_t = nan", "admission.min_t", ""),
        ("[campaign]\nvalidate_share = 0.9", "campaign.validate_share", "less than or equal to 0.5"),
        ("campaign = 3", "campaign", "should be a table"),
        ("[campaign", "the file", "not valid TOML"),
        ("a = " + "[" * 5000, "the file", "cannot be read"),
    ],
)
def test_bad_input(text: str, where: str | None, words: str) -> None:
    if where is None:
        parsed(text)
        return
    found = problems(text)
    assert words in next(message for place, message in found.items() if place.startswith(where))


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigProblems, match="cannot be read"):
        CampaignConfig.load(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b'[campaign]\ndata = "caf\xe9"')
    with pytest.raises(ConfigProblems, match="UTF-8"):
        CampaignConfig.load(tmp_path / "latin.toml")


def test_the_rule_of_admission_is_the_judges() -> None:
    assert CampaignConfig().admission == parsed("").admission == AdmissionRule()
    assert set(AdmissionTable.model_fields) == set(AdmissionRule.names())


def test_the_hash_covers_what_decides_and_nothing_else() -> None:
    base = CampaignConfig()
    assert replace(base, stop=StopSettings(max_rounds=1), folder=Path("x")).hash == base.hash
    assert replace(base, seed=1).hash != base.hash
    turned = dict(reversed(base.mechanisms.items()))
    assert replace(base, mechanisms=turned).hash != base.hash
