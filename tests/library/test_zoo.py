from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.base import Operator
from assay.config import DateRange, as_date, init_workspace, propose_plan
from assay.errors import AssayError, DataError, LedgerDamaged, Refusal
from assay.ledger import Ledger
from assay.library import (
    Zoo,
    admit,
    find_certificate,
    read_document,
    recorded_certificates,
    retire,
)
from assay.market import Panel, simulate, write_dataset

from .certificates import CONFIG, certificate, days, record

ME = Operator.human("ada")
REVERSAL = "-ts_return(close, 5)"


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.create(tmp_path / "ledger")


@pytest.fixture(scope="module")
def panel() -> Panel:
    return simulate(3, instruments=40, days=200)


def refused(action: Any, code: str) -> Refusal:
    with pytest.raises(Refusal) as caught:
        action()
    assert caught.value.reason.code == code
    assert caught.value.fix
    return caught.value


def test_a_factor_is_admitted_read_and_retired(ledger: Ledger) -> None:
    assert Zoo.read(ledger).members() == ()
    made = record(ledger, certificate(REVERSAL))
    member = admit(ledger, made, "reversal", ME)
    assert (member.name, member.expression, member.dialect, member.data) == (
        "reversal",
        REVERSAL,
        "core",
        "sim",
    )
    assert member.certificate == made["content_hash"]
    assert member.config_hash == CONFIG
    assert member.checks == ({"name": "t of RankIC", "outcome": "passed"},)
    assert member.operator == ME

    zoo = Zoo.read(ledger)
    assert zoo.members() == (member,)
    assert zoo.get("reversal") == member
    assert zoo.certificate("reversal") == made

    gone = retire(ledger, "reversal", " decayed ", ME)
    assert gone.retired is not None
    assert gone.retired.reason == "decayed"
    after = Zoo.read(ledger)
    assert after.members() == ()
    assert after.members(retired=True) == (gone,)
    assert after.get("reversal").retired is not None
    assert json.loads(json.dumps(gone.as_dict()))["retired"]["operator"]["identifier"] == "ada"


def test_only_a_person_decides(ledger: Ledger) -> None:
    made = record(ledger, certificate(REVERSAL))
    agent = Operator.agent("model", "model-1")
    refused(lambda: admit(ledger, made, "reversal", agent), "humans_only")
    refused(lambda: admit(ledger, made, "reversal", Operator.system()), "humans_only")
    admit(ledger, made, "reversal", ME)
    refused(lambda: retire(ledger, "reversal", "why not", agent), "humans_only")
    assert len(list(ledger.entries(kind="admission"))) == 1


def test_what_is_not_admitted(ledger: Ledger) -> None:
    made = certificate(REVERSAL)
    refused(lambda: admit(ledger, made, "reversal", ME), "certificate_unrecorded")
    record(ledger, made)

    altered = json.loads(json.dumps(made))
    altered["body"]["decision"]["criteria"][0]["value"] = 9.0
    refused(lambda: admit(ledger, altered, "reversal", ME), "certificate_altered")
    dressed = {**made, "version": 2}  # outside of what the hash covers
    refused(lambda: admit(ledger, dressed, "reversal", ME), "certificate_altered")
    for nothing in ({}, {"body": float("nan")}, {"body": {}}, {"body": {}, "content_hash": None}):
        refused(lambda nothing=nothing: admit(ledger, nothing, "reversal", ME), "certificate_altered")

    for status in ("rejected", "undefined"):
        weak = record(ledger, certificate("ts_mean(close, 5)", status=status))
        error = refused(lambda weak=weak: admit(ledger, weak, "weak", ME), "not_passed")
        assert error.details["status"] == status
    for name in ("", "a/b", "../up", "Upper", "x" * 65, "a b"):
        with pytest.raises(AssayError, match="name of a factor"):
            admit(ledger, made, name, ME)
    assert list(ledger.entries(kind="admission")) == []


def test_names_and_factors_are_in_the_zoo_once(ledger: Ledger) -> None:
    made = record(ledger, certificate(REVERSAL))
    other = record(ledger, certificate("ts_mean(volume, 5)"))
    again = record(ledger, certificate(REVERSAL, data="sim2"))  # the same key, another certificate
    admit(ledger, made, "reversal", ME)
    refused(lambda: admit(ledger, other, "reversal", ME), "name_taken")
    error = refused(lambda: admit(ledger, again, "second", ME), "already_admitted")
    assert error.details["member"] == "reversal"
    retire(ledger, "reversal", "replaced", ME)
    refused(lambda: admit(ledger, other, "reversal", ME), "name_taken")
    assert admit(ledger, again, "second", ME).data == "sim2"
    refused(lambda: retire(ledger, "reversal", "again", ME), "already_retired")


def test_unknown_names(ledger: Ledger) -> None:
    admit(ledger, record(ledger, certificate(REVERSAL)), "reversal", ME)
    zoo = Zoo.read(ledger)
    error = refused(lambda: zoo.get("reversl"), "unknown_member")
    assert "did you mean 'reversal'" in str(error.fix)
    assert "assay zoo list" in str(refused(lambda: zoo.get("../../etc"), "unknown_member").fix)
    refused(lambda: retire(ledger, "momentum", "gone", ME), "unknown_member")
    with pytest.raises(AssayError, match="no reason"):
        retire(ledger, "reversal", "  ", ME)


def test_certificates_are_found_by_the_first_digits(ledger: Ledger) -> None:
    made = [record(ledger, certificate(f"ts_mean(close, {window})")) for window in range(2, 12)]
    record(ledger, made[0])
    assert list(recorded_certificates(ledger)) == [item["content_hash"] for item in made]
    for item in made:
        digits = item["content_hash"].removeprefix("sha256:")[:12]
        assert find_certificate(ledger, digits).content_hash == item["content_hash"]
        assert (
            find_certificate(ledger, f"sha256:{digits.upper()}".lower()).content_hash == item["content_hash"]
        )
        assert read_document(ledger, find_certificate(ledger, digits)) == item
    refused(lambda: find_certificate(ledger, "0" * 64), "unknown_certificate")
    for bad in ("", "abc", "g" * 64, "sha256:", "a/b", "../x", "\0"):
        refused(lambda bad=bad: find_certificate(ledger, bad), "unknown_certificate")


def test_digits_that_fit_several_are_refused(ledger: Ledger) -> None:
    for last in "01":
        ledger.append(
            "certificate",
            {
                "content_hash": "sha256:" + "a" * 63 + last,
                "document": None,
                "fingerprint": None,
                "config_hash": None,
            },
        )
    error = refused(lambda: find_certificate(ledger, "aaaaaaaa"), "ambiguous_certificate")
    assert len(error.details["certificates"]) == 2


def test_an_object_that_is_another_than_the_record_says_is_damage(ledger: Ledger) -> None:
    made, other = certificate(REVERSAL), certificate("ts_mean(close, 5)")
    for payload in (json.dumps(other).encode(), b"no json", b"[]", b"[" * 100_000):
        (document,) = ledger.put([payload])
        body = {
            "content_hash": made["content_hash"],
            "document": document,
            "fingerprint": None,
            "config_hash": None,
        }
        entry = ledger.append("certificate", body)
        recorded = next(item for item in [recorded_certificates(ledger)[made["content_hash"]]])
        assert recorded.line <= entry.line
        with pytest.raises(LedgerDamaged) as caught:
            read_document(ledger, recorded)
        assert caught.value.where == f"line {recorded.line}"


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("admission", {"certificate": "sha256:00", "admitted": True}),
        ("admission", {"certificate": "sha256:00", "admitted": True, "name": "../up"}),
        ("retirement", {"certificate": "sha256:00", "reason": "x"}),
        (
            "retirement",
            {"certificate": "x", "reason": "x", "name": "nobody", "operator": ME.as_dict()},
        ),
    ],
)
def test_records_that_the_zoo_never_writes_are_damage(
    ledger: Ledger, kind: str, body: dict[str, Any]
) -> None:
    line = ledger.append(kind, body).line
    with pytest.raises(LedgerDamaged) as caught:
        Zoo.read(ledger)
    assert caught.value.where == f"line {line}"


def test_an_admission_that_says_no_admits_nothing(ledger: Ledger) -> None:
    ledger.append("admission", {"certificate": "sha256:00", "admitted": False})
    assert Zoo.read(ledger).members(retired=True) == ()


def test_an_admission_without_a_certificate_is_one_to_the_zoo_of_a_campaign(ledger: Ledger) -> None:
    ledger.append("admission", {"certificate": None, "admitted": True, "desk": "campaign"})
    assert Zoo.read(ledger).members(retired=True) == ()


def admitted(ledger: Ledger, formulas: dict[str, str | None], series: dict[str, Any]) -> Zoo:
    for name, text in formulas.items():
        admit(ledger, record(ledger, certificate(text), series=series.get(name)), name, ME)
    return Zoo.read(ledger)


def test_comparison_by_formula_values_and_series(ledger: Ledger, panel: Panel) -> None:
    rng = np.random.default_rng(1)
    moves = rng.normal(size=100)
    when = days("2018-01-02", 100)
    zoo = admitted(
        ledger,
        {
            "reversal": REVERSAL,
            "scaled": "-2 * ts_return(close, 5)",
            "ranked": "rank(-ts_return(close, 5))",
            "volume": "ts_mean(volume, 20)",
        },
        {
            "reversal": (when, moves),
            "scaled": (when, np.exp(moves)),
            "ranked": (when[:10], moves[:10]),
        },
    )
    found = {(item.a, item.b): item for item in zoo.compare(None, panel)}
    assert len(found) == 6
    same = found["reversal", "scaled"]
    assert same.match == "signature"
    assert same.values.correlation == pytest.approx(1.0)
    assert same.values.days > 150
    assert same.series.correlation == pytest.approx(1.0)  # of ranks: exp changes none
    assert same.series.days == 100
    ranked = found["reversal", "ranked"]
    assert ranked.match == "distance"
    assert ranked.distance == 1
    assert ranked.values.correlation == pytest.approx(1.0)
    assert np.isnan(ranked.series.correlation)
    assert ranked.series.days == 10
    far = found["reversal", "volume"]
    assert abs(far.values.correlation) < 0.5
    assert far.series.days == 0
    only = zoo.compare(["volume", "reversal", "volume"], panel)
    assert [(item.a, item.b) for item in only] == [("volume", "reversal")]


def test_factors_given_as_values_are_compared_by_series(ledger: Ledger, panel: Panel) -> None:
    zoo = admitted(ledger, {"values": None, "reversal": REVERSAL}, {})
    (found,) = zoo.compare(None, panel)
    assert (found.match, found.distance, found.values.days) == (None, None, 0)
    assert zoo.get("values").expression is None


def test_a_comparison_needs_two(ledger: Ledger, panel: Panel) -> None:
    zoo = admitted(ledger, {"reversal": REVERSAL}, {})
    with pytest.raises(DataError, match="there are 1"):
        zoo.compare(["reversal"], panel)
    refused(lambda: zoo.compare(["reversal", "revesal"], panel), "unknown_member")


def test_only_search_dates_are_compared(ledger: Ledger, panel: Panel) -> None:
    """What happens after the period changes no figure, and earlier rows only feed lookbacks."""
    search = DateRange(as_date(panel.dates[60]), as_date(panel.dates[119]))
    when = days("2018-01-02", 300)
    late = when > np.datetime64(search.end)
    moves = np.random.default_rng(2).normal(size=300)
    zoo = admitted(
        ledger,
        {"reversal": REVERSAL, "volume": "ts_mean(volume, 20)"},
        {"reversal": (when, moves), "volume": (when, np.where(late, -moves, moves))},
    )
    (found,) = zoo.compare(None, panel, search=search)
    assert found.values.days == 60
    assert found.series.correlation == pytest.approx(1.0)
    assert found.series.days == (search.end - search.start).days + 1
    (cut,) = zoo.compare(None, panel.between(None, search.end), search=search)
    assert cut.values == found.values
    refused(
        lambda: zoo.compare(None, panel, search=DateRange(as_date("2030-01-01"), as_date("2030-02-01"))),
        "no_dates",
    )


def test_the_plan_of_the_workspace_bounds_a_comparison(tmp_path: Path, panel: Panel) -> None:
    plan = propose_plan(panel.dates, (20,))
    workspace = init_workspace(tmp_path / "ws", plans={"sim": plan})
    stored = write_dataset(panel.data, workspace.data_dir / "sim")
    ledger = Ledger.create(tmp_path / "ledger")
    zoo = admitted(ledger, {"reversal": REVERSAL, "volume": "ts_mean(volume, 20)"}, {})
    (found,) = zoo.compare(None, stored)
    (asked,) = zoo.compare(None, stored, search=plan.search)
    (everything,) = zoo.compare(None, panel)
    assert found.values == asked.values
    assert found.values.days < everything.values.days


def test_a_universe_bounds_a_comparison(ledger: Ledger, panel: Panel) -> None:
    zoo = admitted(ledger, {"reversal": REVERSAL, "ranked": "rank(-ts_return(close, 5))"}, {})
    (of_all,) = zoo.compare(None, panel)
    (members,) = zoo.compare(None, panel, universe="index_a")
    assert members.values.correlation == pytest.approx(of_all.values.correlation)
    refused(lambda: zoo.compare(None, panel, universe="index_z"), "unknown_universe")


def test_an_export_is_whole_and_the_same_again(ledger: Ledger, tmp_path: Path) -> None:
    zoo = admitted(ledger, {"reversal": REVERSAL, "volume": "ts_mean(volume, 20)", "gone": "rank(close)"}, {})
    retire(ledger, "gone", "decayed", ME)
    zoo = Zoo.read(ledger)
    first, second = tmp_path / "first", tmp_path / "second"
    assert [member.name for member in zoo.export(first)] == ["reversal", "volume"]
    zoo.export(second)
    names = sorted(path.relative_to(first).as_posix() for path in first.rglob("*.json"))
    assert names == [
        "certificates/reversal.json",
        "certificates/volume.json",
        "factors/reversal.json",
        "factors/volume.json",
        "index.json",
    ]
    for name in names:
        assert (first / name).read_bytes() == (second / name).read_bytes()
    index = json.loads((first / "index.json").read_text(encoding="utf-8"))
    assert [item["name"] for item in index["factors"]] == ["reversal", "volume"]
    assert json.loads((first / "certificates/reversal.json").read_bytes()) == zoo.certificate("reversal")
    with pytest.raises(AssayError, match="exists already"):
        zoo.export(first)


def test_an_export_without_a_certificate_leaves_nothing(ledger: Ledger, tmp_path: Path) -> None:
    zoo = admitted(ledger, {"reversal": REVERSAL}, {})
    pack = ledger.folder / "objects.pack"
    content = bytearray(pack.read_bytes())
    content[-10] ^= 1
    pack.write_bytes(content)
    with pytest.raises(LedgerDamaged):
        zoo.export(tmp_path / "out")
    assert not (tmp_path / "out").exists()
