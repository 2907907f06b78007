from __future__ import annotations

import pytest

from assay.brain.client import BrainClient, Credentials
from assay.brain.client._address import Address
from assay.config import BrainClientSettings, Secret
from assay.errors import Refusal


def address(url: str, *, any_host: bool = False) -> Address:
    return Address.of(BrainClientSettings(base_url=url, any_host=any_host))


@pytest.mark.parametrize(
    "url",
    [
        "https://api.worldquantbrain.com",
        "https://api.worldquantbrain.com/",
        "http://127.0.0.1:8000",
        "http://localhost:8000/sub",
        "http://[::1]:8000",
    ],
)
def test_credentials_go_to_the_official_host_and_to_the_loopback(url: str) -> None:
    assert address(url).url("/alphas/X") == f"{url.rstrip('/')}/alphas/X"


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("https://api.worldquantbrain.com.evil.example", "neither the official one"),
        ("https://api.worldquantbrain.com:8443", "neither the official one"),
        ("https://10.0.0.1", "neither the official one"),
        ("http://api.worldquantbrain.com", "not encrypted"),
        ("https://user:pass@api.worldquantbrain.com", "more than a host"),
        ("https://api.worldquantbrain.com?x=1", "more than a host"),
        ("ftp://api.worldquantbrain.com", "no http(s) address"),
        ("api.worldquantbrain.com", "no http(s) address"),
        ("https://[::1", "malformed"),
        ("", "no http(s) address"),
    ],
)
def test_any_other_address_is_refused_before_a_request(url: str, what: str) -> None:
    with pytest.raises(Refusal) as caught:
        BrainClient(BrainClientSettings(base_url=url), Credentials(Secret("user"), Secret("password")))
    assert caught.value.reason.code == "host_not_allowed"
    assert what in caught.value.message
    assert "base_url" in (caught.value.where or "")
    assert "user:pass" not in caught.value.message


def test_another_host_wants_a_flag_and_encryption() -> None:
    assert address("https://brain.example", any_host=True).host == "brain.example"
    with pytest.raises(Refusal, match="not encrypted"):
        address("http://brain.example", any_host=True)


@pytest.mark.parametrize(
    ("location", "path"),
    [
        ("https://api.worldquantbrain.com/simulations/1geG", "/simulations/1geG"),
        ("http://api.worldquantbrain.com:443/alphas/X/submit", "/alphas/X/submit"),
        ("/simulations/1geG", "/simulations/1geG"),
        ("simulations/1geG", "/simulations/1geG"),
        ("//api.worldquantbrain.com/simulations/2", "/simulations/2"),
        ("/authentication/persona?inquiry=inq_1", "/authentication/persona?inquiry=inq_1"),
    ],
)
def test_a_location_may_be_absolute_or_relative(location: str, path: str) -> None:
    found = address("https://api.worldquantbrain.com").path_of(location, asked="/simulations")
    assert found == path


@pytest.mark.parametrize(
    "location",
    [
        "https://elsewhere.example/simulations/1",
        "//elsewhere.example/simulations/1",
        "https://api.worldquantbrain.com@elsewhere.example/simulations/1",
        "http://127.0.0.1/simulations/1",
        "https://[::1",
    ],
)
def test_a_location_on_another_host_is_not_followed(location: str) -> None:
    with pytest.raises(Refusal, match="another host"):
        address("https://api.worldquantbrain.com").path_of(location, asked="/simulations")


def test_the_path_before_all_others_is_kept() -> None:
    here = address("http://localhost:8000/sub")
    assert here.path_of("http://127.0.0.1:8000/sub/simulations/1", asked="/simulations") == "/simulations/1"
