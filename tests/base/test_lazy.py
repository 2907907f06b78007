from __future__ import annotations

import sys
from types import ModuleType

import pytest

from assay.base import lazy_names


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    made = ModuleType("made_package")
    monkeypatch.setitem(sys.modules, "made_package", made)
    made.__getattr__ = lazy_names("made_package", {"fractions": ("Fraction",), "colorsys": ("rgb_to_hls",)})
    return made


def test_a_name_is_that_of_its_home(package: ModuleType) -> None:
    from fractions import Fraction

    assert package.Fraction is Fraction


def test_a_name_is_loaded_once(package: ModuleType) -> None:
    assert "Fraction" not in vars(package)
    found = package.Fraction
    assert vars(package)["Fraction"] is found
    assert "rgb_to_hls" not in vars(package)


def test_an_unknown_name_is_an_attribute_error(package: ModuleType) -> None:
    with pytest.raises(AttributeError, match="'made_package' has no attribute 'frction'"):
        _ = package.frction
