from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from assay.campaign._feedback import feedback, parents
from assay.campaign._past import Past
from assay.campaign._settings import (
    CampaignConfig,
    ContextSettings,
    GateSettings,
    Language,
)
from assay.campaign._types import (
    Brief,
    Candidate,
    Direction,
    Family,
    Feedback,
    FixRequest,
    MemoryContext,
    PlanContext,
    ProposeContext,
    ReviewContext,
    RoundRecord,
    SlotPlan,
)
from assay.campaign._vocabulary import build_vocabulary
from assay.campaign.prompts import (
    PLACEHOLDERS,
    TEMPLATES,
    MarketFacts,
    MemoryReply,
    PlanReply,
    Prompts,
    ProposeReply,
    ReviewReply,
    check_templates,
    make_brief,
    packaged_templates,
    read_candidates,
    read_directions,
    read_reviews,
)
from assay.campaign.prompts._brief import brief_words
from assay.campaign.prompts._replies import shape
from assay.errors import ConfigProblems
from assay.expr import STANDARD_FIELDS, op_table
from assay.judge.training import AdmissionRule
from assay.llm import Message

from .past import FixedCorrelations, histories, history, rounds, trial

LANGUAGES: tuple[Language, ...] = ("en", "zh")
FACTS = MarketFacts("CN", "csi300", simulated=True)
FIELDS = {name: STANDARD_FIELDS[name] for name in ("close", "volume", "returns", "industry")}
DIRECTIONS = (
    Direction(0, "momentum", "refinement", "steadier trends", "r01-s00"),
    Direction(1, "reversal", "new", "gaps close"),
)
CANDIDATES = (
    Candidate(0, "steady", "ts_mean(returns, 20)", "trends go on", "mean return"),
    Candidate(1, "gap", "rank(-returns)", "gaps close", "last return turned round"),
)
DATE = re.compile(r"\b(19|20)\d\d\b|\d{4}[-/.年]\d{1,2}|\d{1,2}月")


def _config(language: Language = "en", **context: Any) -> CampaignConfig:
    given = {"seed_directions": ("gaps close",), "theme_correlation": 0.7, "lineage": True, **context}
    return CampaignConfig(language=language, context=ContextSettings(**given))


def _brief(config: CampaignConfig) -> Brief:
    return make_brief(config, FACTS, build_vocabulary(FIELDS))


def _messages(config: CampaignConfig, records: list[RoundRecord], seed: int = 0) -> dict[str, str]:
    """What every role is told in the round after these, as one text by role."""
    past = Past.of(history(records), config, FixedCorrelations({}))
    told = feedback(past, config, (Family("classics", True, ("a: rank(close)",), 3),))
    brief, number, prompts = _brief(config), len(records) + 1, Prompts(config.language)
    slots = (SlotPlan(0, "momentum", "r01-s00"), SlotPlan(1, "reversal"))
    plan = PlanContext(number, seed, slots, brief, told, past.history, config.context.feedback)
    blocks = parents(past, config, DIRECTIONS)
    work = ProposeContext(number, seed, 0, DIRECTIONS, brief, told, past.history, blocks)
    refused = FixRequest(
        DIRECTIONS[0], CANDIDATES[0], "gate", "candidate.syntax", "expected )\n  ts_mean(\n  ^"
    )
    return {
        "planner": _text(prompts.plan(plan)),
        "proposer": _text(prompts.propose(work)),
        "fix": _text(prompts.fix(work, [refused])),
        "reviewer": _text(prompts.review(ReviewContext(number, seed, 0, CANDIDATES, DIRECTIONS, brief))),
        "distiller": _text(
            prompts.distill(MemoryContext(number, told.memory, past.trials, told.recent, brief))
        ),
    }


def _text(messages: tuple[Message, ...]) -> str:
    assert [message.role for message in messages] == ["system", "user"]
    return "\n".join(message.content for message in messages)


def _records() -> list[RoundRecord]:
    return rounds(
        [trial(1, 0, "admitted", t=4.0), trial(1, 1)],
        [trial(2, 0, parent="r01-s00"), trial(2, 1, "gate_refused", detail="too deep")],
        memory={2: "momentum works: r01-s00"},
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_prompts_state_the_task(language: Language) -> None:
    """Market, label with its span, scoring, vocabulary and mechanism types, in planner and proposer."""
    config = _config(language)
    brief, told = _brief(config), _messages(config, _records())
    for role in ("planner", "proposer", "fix"):
        for part in (brief.market, brief.label, brief.scoring, brief.limits, *brief.ops):
            assert part in told[role]
        for name, words in (*brief.fields.items(), *config.mechanisms.items()):
            assert f"- {name}: {words}" in told[role]
    assert "csi300" in brief.market
    assert "close[t+11] / close[t+1] - 1" in brief.label
    assert f"{FACTS.span_bars(10)} " in brief.label
    for name, words in brief.fields.items():
        assert f"- {name}: {words}" in told["reviewer"]
    assert "momentum works" not in told["reviewer"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_prompts_tell_the_past(language: Language) -> None:
    told = _messages(_config(language), _records())
    for role in ("planner", "proposer"):
        for part in ("gaps close", "classics [known] (3): a: rank(close)", "momentum works", "too deep"):
            assert part in told[role]
    assert "theme 1 | " in told["planner"]
    assert "r01-s00, r01-s01, r02-s00" in told["planner"]
    assert "theme 1 | " not in told["proposer"]
    assert "expression: rank(ts_return(close, 21))" in told["proposer"]
    assert "lineage: children r02-s00" in told["proposer"]
    assert "slot 0 | momentum | parent r01-s00" in told["planner"]
    assert "slot 0 | momentum | refinement of r01-s00 | steadier trends" in told["proposer"]
    assert "momentum works" in told["fix"]
    assert "sent back by: gate (candidate.syntax)\n    expected )\n      ts_mean(\n      ^" in told["fix"]
    assert "expression: rank(-returns)" in told["reviewer"]
    assert "momentum works" in told["distiller"]
    assert "r02-s01 | reversal" in told["distiller"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_feedback_prompts_tell_nothing_of_the_past(language: Language) -> None:
    told = _messages(_config(language, feedback=False), _records())
    bare = _messages(_config(language, feedback=False), [])
    for text in (told["planner"], told["proposer"].replace(_parent_block(told), "")):
        assert "classics [known]" in text
        for part in ("momentum works", "too deep", "theme 1", "r02-s00"):
            assert part not in text
    assert bare["planner"].split("##")[:8] == told["planner"].split("##")[:8]


def _parent_block(told: dict[str, str]) -> str:
    found = re.search(r"r01-s00: momentum.*?(?=\n\n)", told["proposer"], re.DOTALL)
    return found[0] if found else "no block"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_prompt_names_a_date(language: Language) -> None:
    """Neither hidden nor other dates, in any role, template or sentence of the brief."""
    texts = [*packaged_templates(language).values(), str(brief_words(language))]
    for facts in (FACTS, MarketFacts("US", "all", lag=0, fill="open"), MarketFacts(None, "all")):
        texts.append(str(make_brief(_config(language), facts, build_vocabulary(FIELDS))))
    texts += _messages(_config(language), _records()).values()
    for text in texts:
        assert DATE.findall(text.replace("2000", "")) == []


@settings(max_examples=30)
@given(histories(4), st.sampled_from(LANGUAGES))
def test_equal_contexts_give_equal_bytes(records: list[RoundRecord], language: Language) -> None:
    """The seed of a run is no part of what a model is told, so a replay with another one finds its calls."""
    config = _config(language)
    assert _messages(config, records) == _messages(config, records, seed=1)
    assert all(DATE.search(text.replace("2000", "")) is None for text in _messages(config, records).values())


# the brief


def test_the_brief_states_every_rule_that_is_on() -> None:
    off = AdmissionRule(
        **{name: None for name in vars_of(AdmissionRule) if name.startswith(("min_", "max_"))}
    )
    for language in LANGUAGES:
        words = brief_words(language)
        thresholds = {name for name in vars_of(AdmissionRule) if name.startswith(("min_", "max_"))}
        assert set(words["rules"]) == thresholds
        for name in thresholds:
            config = replace(_config(language), admission=replace(off, **{name: 0.123}))
            said = _brief(config).scoring
            assert words["rules"][name].format(value=0.123) in said
            assert said.count("0.123") == 1


def vars_of(kind: type) -> list[str]:
    return list(kind.__dataclass_fields__)


def test_both_languages_have_the_same_sentences() -> None:
    english, chinese = (brief_words(language) for language in LANGUAGES)
    assert {table: set(words) for table, words in english.items()} == {
        table: set(words) for table, words in chinese.items()
    }
    for table, words in english.items():
        for key, text in words.items():
            assert set(re.findall(r"{[^}]*}", text)) == set(re.findall(r"{[^}]*}", chinese[table][key]))


def test_the_brief_follows_the_config() -> None:
    config = replace(_config(), horizon=3, gate=GateSettings(nodes=7, lookback=33))
    brief = make_brief(config, MarketFacts("US", "all", lag=0, fill="open"), build_vocabulary(FIELDS))
    assert "7 nodes" in brief.limits
    assert "at most 33 bars" in brief.limits
    assert "up to the close of day t." in brief.label
    assert "open[t+4] / open[t+1] - 1" in brief.label
    assert "it spans 4 bars" in brief.label
    assert "simulated" not in brief.market


def test_the_vocabulary_is_that_of_the_op_table_and_the_fields() -> None:
    brief = _brief(_config())
    assert set(brief.fields) == set(FIELDS)
    assert brief.fields["industry"] == "the industry of an instrument [group]"
    lines = {line.partition("(")[0]: line for line in brief.ops}
    assert lines["ts_std"] == f"ts_std(x, window, ddof=0, min_periods=0): {op_table()['ts_std'].definition}"
    assert "group_rank" in lines
    assert "vec_sum" not in lines
    numbers = build_vocabulary({"close": FIELDS["close"]}, ops="[group_rank]\n[rank]\nnote = 'ties'\n")
    assert [line.partition("(")[0] for line in numbers.op_lines()] == ["rank"]
    assert numbers.op_lines()[0].endswith(" (ties)")


# the templates


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_packaged_templates_pass_their_own_check(language: Language) -> None:
    assert check_templates(packaged_templates(language)) == []
    assert set(packaged_templates(language)) == set(TEMPLATES)


def test_every_placeholder_is_described_and_used() -> None:
    used = {name for form in TEMPLATES.values() for name in (*form.required, *form.optional)}
    assert used == set(PLACEHOLDERS)


def test_every_problem_of_replaced_templates_is_named_at_once() -> None:
    texts = packaged_templates("en")
    replaced = {
        "planner.user": texts["planner.user"]
        .replace("{{ slots }}", "")
        .replace("{{ memory }}", "{{ memry }}"),
        "fix.user": "{{ requests }} {% if memory %} {{ memory }}",
        "reviewer.user": "{{ candidates }} {{ candidates.lines() }}",
        "distiler.user": "",
        "proposer.user": "",
        "distiller.user": "{{ memory }} {{ trials }} {{ round }} {{ (1).__class__ }}",
    }
    found = check_templates(replaced)
    said = [f"{problem.where} {problem.message} {problem.fix}" for problem in found]
    for wanted in (
        "planner.user.md lacks {{ slots }}, the slots to plan, one a line",
        "planner.user.md has {{ memry }}, which is nothing here did you mean {{ memory }}?",
        "fix.user.md line 1: ",
        "reviewer.user.md cannot be filled: 'str object' has no attribute 'lines'",
        "distiler.user.md no template has this name did you mean distiller.user.md?",
        "proposer.user.md lacks {{ directions }}",
        "proposer.user.md lacks {{ memory }}",
    ):
        assert any(wanted in text for text in said), wanted
    assert any("distiller.user.md cannot be filled: " in text for text in said)
    with pytest.raises(ConfigProblems) as caught:
        Prompts("en", replaced)
    assert len(caught.value.problems) == len(found)


def test_a_template_of_the_workspace_replaces_one() -> None:
    own = {"reviewer.user": "Round {{ round }}, look at these:\n{{ candidates }}"}
    context = ReviewContext(7, 0, 0, CANDIDATES[:1], DIRECTIONS, _brief(_config()))
    system, user = Prompts("en", own).review(context)
    assert system == Prompts("en").review(context)[0]
    assert user.content.startswith("Round 7, look at these:\nslot 0\n")


def test_what_a_model_wrote_is_no_template() -> None:
    """Braces in formulas, memory or directions stay as they are."""
    hostile = "{{ market }} {% for x in y %} {{ [].__class__ }}"
    config = _config()
    told = Feedback(memory=hostile, seed_directions=(hostile,))
    slots = (SlotPlan(0, "momentum"),)
    text = _text(Prompts("en").plan(PlanContext(1, 0, slots, _brief(config), told, history([]))))
    assert text.count(hostile) == 2


# the replies


@pytest.mark.parametrize("reply", [PlanReply, ProposeReply, ReviewReply, MemoryReply])
def test_the_form_shown_is_that_of_the_model(reply: type[BaseModel]) -> None:
    shown = json.loads(shape(reply))
    schema = reply.model_json_schema()
    assert set(shown) == set(schema["properties"])
    for key, value in schema["properties"].items():
        if value["type"] == "array":
            assert set(shown[key][0]) == set(value["items"]["properties"])
    told = _messages(_config(), _records())
    assert any(shape(reply) in text for text in told.values())


def _plan_context(*slots: SlotPlan, feedback_on: bool = True) -> PlanContext:
    told = Feedback(buildable=("r01-s00",))
    return PlanContext(2, 0, slots, _brief(_config()), told, history([]), feedback_on)


def test_directions_are_read_slot_by_slot() -> None:
    """A bad one costs its slot and no other."""
    context = _plan_context(*(SlotPlan(slot, "momentum") for slot in range(7)))
    given: list[Any] = [
        {"slot": 1, "kind": "new", "text": " trend ", "parent": "r01-s00", "extra": 1},
        {"slot": "0", "kind": "refinement", "text": "better", "parent": "r01-s00"},
        {"slot": 2, "kind": "mutation", "text": "x", "parent": "r09-s00"},
        {"slot": 3, "kind": "invention", "text": "", "parent": None},
        {"slot": 4, "kind": "mutation", "text": "no parent"},
        {"slot": 5, "kind": "new", "text": "x" * 10**6},
        {"slot": 1, "kind": "new", "text": "again"},
        {"slot": 77, "kind": "new", "text": "stray"},
        "nothing",
        None,
        {"slot": True, "kind": "new", "text": "x"},
    ]
    found = read_directions(PlanReply(directions=given), context)
    assert found.items == (
        Direction(0, "momentum", "refinement", "better", "r01-s00"),
        Direction(1, "momentum", "new", "trend"),
    )
    notes = {note.slot: note.text for note in found.notes}
    assert notes[2] == "'r09-s00' is no trial that a direction may build on"
    assert notes[3].startswith("kind: ")
    assert "text: " in notes[3]
    assert notes[4] == "a mutation needs the id of the trial that it builds on"
    assert notes[5] == "text: String should have at most 2000 characters"
    assert notes[6] == "is not in the reply"
    assert notes[None].startswith("not asked for: slot 1 again, slot 77, an entry without a slot")


def test_a_claimed_slot_keeps_its_parent() -> None:
    context = _plan_context(SlotPlan(0, "momentum", "r01-s00"), SlotPlan(1, "reversal", "r01-s00"))
    reply = PlanReply(
        directions=[
            {"slot": 0, "kind": "new", "text": "a", "parent": "r05-s01"},
            {"slot": 1, "kind": "mutation", "text": "b"},
        ]
    )
    assert read_directions(reply, context).items == (
        Direction(0, "momentum", "refinement", "a", "r01-s00"),
        Direction(1, "reversal", "mutation", "b", "r01-s00"),
    )


def test_without_feedback_every_direction_is_new() -> None:
    context = _plan_context(SlotPlan(0, "momentum"), feedback_on=False)
    reply = PlanReply(directions=[{"slot": 0, "kind": "mutation", "text": "a", "parent": "r01-s00"}])
    assert read_directions(reply, context).items == (Direction(0, "momentum", "new", "a"),)


def test_candidates_and_reviews_are_read_slot_by_slot() -> None:
    candidates: list[Any] = [
        {"slot": 2, "name": "n", "expression": " rank(close) "},
        {"slot": 1, "name": "n", "expression": ["rank"]},
        {"slot": 3, "name": "n", "expression": "x"},
    ]
    found = read_candidates(ProposeReply(candidates=candidates), [1, 2])
    assert found.items == (Candidate(2, "n", "rank(close)"),)
    assert [note.slot for note in found.notes] == [1, None]
    reviews: list[Any] = [
        {"slot": 1, "consistent": "no idea"},
        {"slot": 2, "consistent": False, "reasons": "r"},
    ]
    read = read_reviews(ReviewReply(reviews=reviews), [1, 2])
    assert [(review.slot, review.reasons) for review in read.items] == [(2, "r")]
    assert [note.slot for note in read.notes] == [1]


_KEYS = st.sampled_from(["slot", "name", "expression", "kind"])
_ENTRIES = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 4) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner),
)


@given(st.lists(_ENTRIES, max_size=6))
def test_no_reply_breaks_the_reading(given: list[Any]) -> None:
    """Whatever the entries are, every slot asked for has an item or a note, and not both."""
    wanted = [0, 1, 2]
    found = read_candidates(ProposeReply(candidates=given), wanted)
    slots = [item.slot for item in found.items] + [n.slot for n in found.notes if n.slot is not None]
    assert sorted(slots) == wanted
