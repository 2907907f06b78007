from __future__ import annotations

import pytest

from assay.brain.templates import Template, catalogue, parse_templates, toml_text


def test_the_catalogue_comes_back_as_it_was() -> None:
    assert parse_templates(toml_text(catalogue())) == catalogue()


@pytest.mark.parametrize("idea", ['a "quoted" \\ text', "动量\nzwei\tthree", "\x7f \u2028 \u0001", "# = [x]"])
def test_any_text_comes_back(idea: str) -> None:
    template = Template(name="TPL_A_V1", expression="close", idea=idea, settings={"decay": 3})
    assert parse_templates(toml_text([template])) == (template,)
