from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from assay.brain.agent import TAGS, KnowledgeBase, KnowledgeEntry, SessionKnowledge
from assay.errors import Refusal


def entry(topic: str, insight: str = "as found", *tags: str) -> KnowledgeEntry:
    return KnowledgeEntry("given", topic, insight, tags, "s1")


@pytest.fixture
def base(tmp_path: Path) -> KnowledgeBase:
    return KnowledgeBase(tmp_path / "brain" / "knowledge_base.json")


def test_an_entry_is_kept_once_whatever_its_case_and_white_space(base: KnowledgeBase) -> None:
    assert base.entries() == ()
    first = base.add([entry("Momentum", "works  at 126 days"), entry("momentum ", "Works at 126 days")])
    assert len(first) == 1
    assert base.add([entry(" MOMENTUM", "works at 126 days")]) == ()
    assert base.add([entry("momentum", "works at 21 days")]) != ()
    assert len({item.id for item in base.entries()}) == len(base.entries()) == 2


def test_tags_are_of_the_vocabulary(base: KnowledgeBase) -> None:
    base.add([entry("a", "b", "turnover", "invented", "operator"), entry("c", "d", "dead_end")])
    assert base.entries()[0].tags == ("operator", "turnover")
    assert base.tags() == ("dead_end", "operator", "turnover")
    assert base.topics() == ("a", "c")
    assert len(TAGS) == 14


def test_search_ranks_by_what_is_shared_and_knows_chinese(base: KnowledgeBase) -> None:
    base.add(
        [
            entry("turnover", "decay lowers the turnover of reversal", "turnover"),
            entry("reversal", "five days are best", "technical"),
            entry("动量", "低波动股票的动量更稳定", "combination"),
            entry("波动率", "与动量结合", "combination"),
        ]
    )
    assert [item.topic for item in base.search("reversal days")] == ["reversal", "turnover"]
    assert [item.topic for item in base.search("低波动 动量")] == ["动量", "波动率"]
    assert [item.topic for item in base.search("", tags=("combination",))] == ["动量", "波动率"]
    assert [item.topic for item in base.search("", limit=1)] == ["turnover"]
    assert base.search("nothing like it") == ()


@pytest.mark.parametrize(
    "text", ["[{", "{}", '{"version": 9, "entries": []}', '{"version": 1, "entries": [{"id": 1}]}']
)
def test_a_damaged_file_is_named_and_never_overwritten(base: KnowledgeBase, text: str) -> None:
    base.path.parent.mkdir()
    base.path.write_text(text, encoding="utf-8")
    for act in (base.entries, lambda: base.add([entry("a")]), lambda: base.search("a")):
        with pytest.raises(Refusal) as caught:
            act()
        assert caught.value.reason.code == "damaged_state"
        assert str(base.path) == caught.value.where
    assert base.path.read_text(encoding="utf-8") == text


def test_writers_at_once_lose_nothing(base: KnowledgeBase) -> None:
    def add(number: int) -> None:
        for item in range(5):
            KnowledgeBase(base.path).add([entry(f"{number} {item}")])

    threads = [threading.Thread(target=add, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(base.entries()) == 20
    assert json.loads(base.path.read_text(encoding="utf-8"))["version"] == 1


def test_a_session_adds_two_a_round_and_ten_in_all(base: KnowledgeBase) -> None:
    session = SessionKnowledge(base, per_round=2, per_session=10)
    kept = []
    for number in range(7):
        answers = [session.add(entry(f"{number} {item}")) for item in range(3)]
        taken = session.take([entry("one more")])
        session.commit(taken)
        kept.append((answers, len(taken)))
    assert kept == [([True, True, False], 2)] * 5 + [([False, False, False], 0)] * 2
    assert len(base.entries()) == 10


def test_a_session_keeps_what_is_known_out_and_waits_for_the_record(base: KnowledgeBase) -> None:
    base.add([entry("known")])
    session = SessionKnowledge(base, 2, 10)
    assert not session.add(entry("Known"))
    assert not session.add(entry(" ", "no topic"))
    assert session.add(entry("new"))
    assert not session.add(entry("new"))
    assert len(base.entries()) == 1
    session.commit(session.take())
    assert [item.topic for item in base.entries()] == ["known", "new"]
    assert [item.topic for item in session.search("new")] == ["new"]
    again = SessionKnowledge(base, 2, 1)
    again.restore(base.entries()[1:])
    assert not again.add(entry("one too many"))
