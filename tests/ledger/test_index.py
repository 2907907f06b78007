"""The index says what the log says, whatever becomes of its file."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import LedgerDamaged
from assay.ledger import Draft, Index, Ledger, TrialKey
from assay.ledger._index_rows import Place

from .make import key, look, new_ledger, start, trial, trial_body


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """A ledger with something of everything that the index holds."""
    made = new_ledger(tmp_path)
    start(made, "r1", planned=[key("f9")])
    for i in range(40):
        trial(made, f"f{i}", run="r1" if i % 2 else None, sharpe=i / 100, control=i % 7 == 0)
    made.append_many([Draft("round", {"number": i, "outcome": "kept"}, run="r1") for i in range(5)])
    look(made, "f1")
    made.run("r1").close()
    return made


def cache(ledger: Ledger) -> Path:
    return ledger.folder / "index.sqlite"


def told(index: Index) -> dict[str, Any]:
    """All that an index has to say."""
    return {
        "records": index.records,
        "position": index.position,
        "torn": index.torn,
        "places": index.places(),
        "trials": index.trials(),
        "looks": index.looks(),
        "runs": index.runs(),
    }


def expected(ledger: Ledger) -> dict[str, Any]:
    """The same by reading the log from its beginning."""
    entries = list(ledger.entries())
    begins = [0, *(entry.end for entry in entries)]
    trials = [e for e in entries if e.kind == "trial" and not e.body["control"]]
    looks = [e for e in entries if e.kind == "look"]
    return {
        "records": len(entries),
        "places": tuple(Place(e.line, b, e.end - b) for e, b in zip(entries, begins, strict=False)),
        "trials": [
            (e.line, e.body["fingerprint"], e.body["config_hash"], e.run, e.body["sharpe"], e.body["data"])
            for e in trials
        ],
        "looks": [(e.line, e.body["period"], TrialKey.from_body(e.body["key"])) for e in looks],
        "runs": {e.run for e in entries if e.kind == "run_start"},
    }


def assert_as_scanned(index: Index, ledger: Ledger) -> None:
    wanted = expected(ledger)
    assert index.records == wanted["records"]
    assert index.places() == wanted["places"]
    rows = [(r.line, r.fingerprint, r.config_hash, r.run, r.sharpe, r.data) for r in index.trials()]
    assert rows == wanted["trials"]
    assert [(r.line, r.period, r.key) for r in index.looks()] == wanted["looks"]
    assert set(index.runs()) == wanted["runs"]


def test_the_index_says_what_a_scan_says(ledger: Ledger) -> None:
    with ledger.index() as index:
        assert_as_scanned(index, ledger)
        assert index.runs()["r1"].unrecorded == 0
        assert index.torn is None


def test_entries_are_those_of_the_log(ledger: Ledger) -> None:
    with ledger.index() as index:
        assert list(index.entries()) == list(ledger.entries())
        assert list(index.entries(kind="trial", run="r1")) == list(ledger.entries(kind="trial", run="r1"))
        assert list(index.entries(start=20)) == list(ledger.entries())[19:]
        assert list(index.entries(last=3)) == list(ledger.entries())[-3:]
        assert list(index.entries(kind="seal")) == []


_texts = st.sampled_from(["a", "\u00e9", "\ud800", "", "x" * 300, "'; DROP TABLE trial; --", '"kind":"look"'])
_bodies = st.builds(
    lambda name, **rest: trial_body(name, **rest),
    _texts,
    data=_texts,
    sharpe=st.none() | st.floats(-1, 1),
    control=st.booleans(),
)
_drafts = st.one_of(
    st.builds(lambda body, run: Draft("trial", body, run), _bodies, st.sampled_from([None, "r1", "r2"])),
    st.builds(lambda n: Draft("round", {"number": n, "outcome": None}, "r1"), st.integers(0, 9)),
)


@settings(max_examples=60)
@given(st.lists(st.tuples(st.lists(_drafts, min_size=1, max_size=7), st.booleans()), max_size=6))
def test_an_index_brought_up_to_date_is_one_made_anew(steps: list[tuple[list[Draft], bool]]) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("assay.ledger._index_file._CHUNK", 3)
        ledger = new_ledger(Path(folder))
        for drafts, look_now in steps:
            ledger.append_many(drafts)
            if look_now:
                ledger.index().close()
        with ledger.index() as grown:
            entries = list(ledger.entries())
            assert grown.records == len(entries)
            assert list(grown.entries()) == entries
            counted = [e.line for e in entries if e.kind == "trial" and not e.body["control"]]
            assert [row.line for row in grown.trials()] == counted
            with Index(ledger.folder / "ledger.jsonl", Path(folder) / "new.sqlite") as anew:
                assert told(anew) == told(grown)


def test_an_open_index_shows_one_state(ledger: Ledger) -> None:
    with ledger.index() as index:
        before = told(index)
        trial(ledger, "later")
        with ledger.index() as other:
            assert other.records == before["records"] + 1
        assert told(index) == before


def delete(path: Path) -> None:
    path.unlink()


def empty(path: Path) -> None:
    path.write_bytes(b"")


def overwrite(path: Path) -> None:
    path.write_bytes(b"no database " * 400)


def halve(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def in_sql(*statements: str) -> Callable[[Path], None]:
    def act(path: Path) -> None:
        with sqlite3.connect(path) as connection:
            for statement in statements:
                connection.execute(statement)
        connection.close()

    return act


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def foreign(path: Path) -> None:
    """The index of another ledger, which has as many records."""
    with tempfile.TemporaryDirectory() as folder:
        other = new_ledger(Path(folder))
        for i in range(60):
            trial(other, f"other{i}")
        other.index().close()
        shutil.copy(cache(other), path)


DAMAGE = {
    "deleted": delete,
    "empty": empty,
    "no database": overwrite,
    "cut": halve,
    "old version": in_sql("PRAGMA user_version = 0", "DROP TABLE look"),
    "another program's": in_sql("PRAGMA application_id = 7", "CREATE TABLE mine (x)"),
    "a table is gone": in_sql("DROP TABLE trial"),
    "a table is another": in_sql("DROP TABLE look", "CREATE TABLE look (line)"),
    "no place": in_sql("DELETE FROM place"),
    "rows are gone": in_sql("DELETE FROM record WHERE line > 20"),
    "ahead of the log": in_sql("UPDATE place SET offset = offset + 1000000"),
    "another hash": in_sql("UPDATE place SET hash = 'x'"),
    "a folder": make_folder,
    "foreign": foreign,
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_index_changes_nothing(ledger: Ledger, damage: Callable[[Path], None]) -> None:
    with ledger.index() as index:
        before = told(index)
    damage(cache(ledger))
    with ledger.index() as index:
        assert told(index) == before
    trial(ledger, "later")
    with ledger.index() as index:
        assert_as_scanned(index, ledger)


def pages(path: Path) -> Iterator[int]:
    yield from range(path.stat().st_size // 4096)


def test_any_broken_page_changes_nothing(ledger: Ledger) -> None:
    with ledger.index() as index:
        before = told(index)
    good = cache(ledger).read_bytes()
    count = 0
    for page in pages(cache(ledger)):
        cache(ledger).write_bytes(good[: page * 4096] + b"\xa5" * 4096 + good[(page + 1) * 4096 :])
        with ledger.index() as index:
            assert told(index) == before
        count += 1
    assert count >= 8


def test_a_torn_tail_is_told_and_not_indexed(ledger: Ledger) -> None:
    with ledger.index() as index:
        before = index.records
    with open(ledger.folder / "ledger.jsonl", "ab") as file:
        file.write(b'{"batch":[0,1],"bo')
    with Ledger.open(ledger.folder).index() as index:
        assert index.records == before
        assert index.torn is not None
        assert index.torn.bytes == 18
    with Index(ledger.folder / "ledger.jsonl", ledger.folder / "other.sqlite") as index:
        assert index.records == before
        assert index.torn is not None


def test_damage_in_what_is_not_indexed_yet_is_raised(ledger: Ledger) -> None:
    ledger.index().close()
    first = trial(ledger, "later")
    trial(ledger, "last")
    log = ledger.folder / "ledger.jsonl"
    log.write_bytes(log.read_bytes().replace(b"later", b"eager"))
    with pytest.raises(LedgerDamaged) as error, Index(log, cache(ledger)):
        pass
    assert error.value.where == f"line {first.line}"


def test_damage_in_an_indexed_record_is_raised_when_it_is_read(ledger: Ledger) -> None:
    log = ledger.folder / "ledger.jsonl"
    with ledger.index() as index:
        line = index.trials()[3].line
        content = log.read_bytes().replace(b'"sharpe":0.04', b'"sharpe":0.94')
        log.write_bytes(content)
        with pytest.raises(LedgerDamaged) as error:
            list(index.entries(kind="trial"))
    assert error.value.where == f"line {line}"


def test_a_log_that_was_replaced_is_indexed_anew(ledger: Ledger, tmp_path: Path) -> None:
    ledger.index().close()
    (tmp_path / "second").mkdir()
    other = new_ledger(tmp_path / "second")
    trial(other, "only")
    shutil.copy(other.folder / "ledger.jsonl", ledger.folder / "ledger.jsonl")
    shutil.copy(other.folder / "head", ledger.folder / "head")
    with Ledger.open(ledger.folder).index() as index:
        assert [row.fingerprint for row in index.trials()] == ["only"]


def cut_tail(ledger: Ledger, lines: int) -> int:
    """Take the last lines away, and the hint that would tell of them; how many are left."""
    log = ledger.folder / "ledger.jsonl"
    kept = log.read_bytes().splitlines(keepends=True)[:-lines]
    log.write_bytes(b"".join(kept))
    (ledger.folder / "head").unlink()
    return len(kept)


def test_an_index_made_anew_over_a_shorter_log_still_bears_witness(ledger: Ledger) -> None:
    ledger.index().close()
    left = cut_tail(ledger, 2)
    for _ in range(2):  # the second time it is up to date, and remembers all the same
        with Ledger.open(ledger.folder).index() as index:
            assert index.records == left
        with pytest.raises(LedgerDamaged) as error:
            Ledger.open(ledger.folder).verify()
        assert error.value.where == f"line {left + 1}"


def test_lines_put_in_place_of_a_deleted_tail_do_not_silence_the_witness(ledger: Ledger) -> None:
    with ledger.index() as index:
        seen = index.records
    left = cut_tail(ledger, 2)
    forged = Ledger.open(ledger.folder)
    forged.index().close()
    for i in range(6):
        trial(forged, f"instead{i}")
    forged.index().close()
    with pytest.raises(LedgerDamaged) as error:
        Ledger.open(ledger.folder).verify()
    assert error.value.where == f"line {seen}"
    assert left < seen


def test_a_witness_of_an_older_version_is_heard(ledger: Ledger) -> None:
    ledger.index().close()
    in_sql("DROP TABLE witness", "PRAGMA user_version = 2")(cache(ledger))
    left = cut_tail(ledger, 2)
    Ledger.open(ledger.folder).index().close()
    with pytest.raises(LedgerDamaged) as error:
        Ledger.open(ledger.folder).verify()
    assert error.value.where == f"line {left + 1}"


def test_a_record_that_was_replaced_on_purpose_is_good_once_the_index_is_gone(ledger: Ledger) -> None:
    ledger.index().close()
    left = cut_tail(ledger, 2)
    Ledger.open(ledger.folder).index().close()
    cache(ledger).unlink()
    assert Ledger.open(ledger.folder).verify().records == left
    Ledger.open(ledger.folder).index().close()
    assert Ledger.open(ledger.folder).verify().records == left


def in_child(act: Callable[[], None]) -> int:
    """Run in a forked child; its exit status, negative for a signal."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            act()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.parametrize("statement", ["record", "look", "UPDATE place", "COMMIT", "second chunk"])
def test_an_update_that_was_killed_leaves_a_good_index(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    monkeypatch.setattr("assay.ledger._index_file._CHUNK", 20)
    wanted = {"record": "INSERT INTO record", "look": "INSERT INTO look", "second chunk": "COMMIT"}
    cache(ledger).unlink()
    needle, times = wanted.get(statement, statement), 2 if statement == "second chunk" else 1

    def killed() -> None:
        seen = []

        def trace(text: str) -> None:
            if text.startswith(needle):
                seen.append(text)
                if len(seen) == times:
                    os.kill(os.getpid(), signal.SIGKILL)

        connect = sqlite3.connect

        def traced(*args: Any, **options: Any) -> sqlite3.Connection:
            connection = connect(*args, **options)
            connection.set_trace_callback(trace)
            return connection

        sqlite3.connect = traced  # type: ignore[assignment]
        ledger.index()

    assert in_child(killed) == -signal.SIGKILL
    with ledger.index() as index:
        assert_as_scanned(index, ledger)


def test_a_folder_that_cannot_be_written_has_an_index_in_memory() -> None:
    folder = Path(tempfile.mkdtemp())
    try:
        folder.chmod(0o755)
        ledger = new_ledger(folder)
        trial(ledger, "f1")
        ledger.folder.chmod(0o555)

        def look_on() -> None:
            if os.getuid() == 0:
                os.setuid(65534)
            reader = Ledger.open(ledger.folder)
            assert reader.trials().n == 1
            with reader.index() as index:
                assert index.records == 2

        assert in_child(look_on) == 0
        assert not cache(ledger).exists()
    finally:
        (folder / "ledger").chmod(0o755)
        shutil.rmtree(folder)


def test_an_index_that_is_ahead_of_the_caller_stays(ledger: Ledger) -> None:
    end = ledger.end().offset
    trial(ledger, "later")
    with ledger.index() as index:
        records = index.records
    with Index(ledger.folder / "ledger.jsonl", cache(ledger), end=end) as index:
        assert index.records == records


def test_an_index_that_is_wrong_without_being_broken_is_made_anew_on_demand(ledger: Ledger) -> None:
    with ledger.index() as index:
        before = told(index)
    in_sql("UPDATE trial SET data = 'other'", "UPDATE record SET kind = 'seal' WHERE line = 5")(cache(ledger))
    with ledger.index() as index:
        assert told(index) != before
    with ledger.index(anew=True) as index:
        assert told(index) == before
