"""The template and the reference page of ``campaign.toml``, made from the declaration of the keys."""

from __future__ import annotations

import re
from pathlib import Path

from assay.campaign import CampaignConfig
from assay.campaign._config import parse_config
from assay.campaign._reference import campaign_reference_markdown, campaign_template

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "campaign.md"
REFRESH = "from assay.campaign._reference import campaign_reference_markdown as made; print(made(), end='')"


def test_the_page_in_the_documentation_is_fresh() -> None:
    refresh = f'python -c "{REFRESH}" > docs/reference/campaign.md'
    assert PAGE.read_text(encoding="utf-8") == campaign_reference_markdown(), f"refresh it: {refresh}"


def test_the_template_is_the_default_config() -> None:
    made = parse_config(campaign_template({}), where="template", folder=Path())
    assert made == CampaignConfig()


def test_values_are_set_and_every_commented_key_is_one(tmp_path: Path) -> None:
    values = {"campaign.data": "sim", "stop.max_rounds": 3, "context.theme_correlation": 0.7}
    text = campaign_template({**values, "round.picked_parents": True})
    made = parse_config(text, where="template", folder=tmp_path)
    assert (made.data, made.stop.max_rounds, made.round.picked_parents) == ("sim", 3, True)
    whole = re.sub(r"^# (\[|[a-z_]+ = )", r"\1", text, flags=re.MULTILINE).replace("NAME", "mine")
    opened = parse_config(whole, where="template", folder=tmp_path)
    assert opened.stop.deadline is not None
    assert list(opened.mechanisms) == ["mine"]
