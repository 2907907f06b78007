from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from assay.errors import AssayError, DataError
from assay.reports import Document
from assay.reports._case import FactorCase, Refused, ReportSource
from assay.reports.documents import find_quote, read_document
from assay.reports.gold import (
    ANNOTATOR,
    GoldRecord,
    asset_batch,
    check_split,
    export_batch,
    gold_case,
    gold_cases,
    gold_records,
    read_batch,
    require_annotated,
    require_trainable,
    similarity,
)
from assay.reports.gold import _build as build
from assay.reports.gold._batch import FORMAT
from assay.reports.gold._records import FEATURES, REPORTS_FOLDER
from assay.reports.verifier import CAPS, GATE, WEIGHTS
from assay.spec import FactorSpec, declaration_issues, read_expr, universe_of

RECORDS = gold_records()
STATED = [record for record in RECORDS if record.spec is not None]
RUNNING = [record for record in RECORDS if record.status == "spec"]


@pytest.fixture(scope="module")
def documents() -> dict[str, Document]:
    return {record.report: read_document(record.report_path) for record in RECORDS}


def by_id(record: GoldRecord) -> str:
    return record.case_id


# -- what the set holds ------------------------------------------------------------------------------------


def test_half_of_at_least_44_reports_is_chinese() -> None:
    reports = Counter(record.language for record in {record.report: record for record in RECORDS}.values())
    assert reports["zh"] == reports["en"]
    assert reports.total() >= 44
    assert {path.name for path in REPORTS_FOLDER.iterdir()} == {record.report for record in RECORDS}


def test_both_languages_have_specs_refusals_and_conflicts() -> None:
    counts = Counter((record.language, record.status) for record in RECORDS)
    for language in ("zh", "en"):
        assert counts[language, "spec"] >= 15
        assert counts[language, "refused"] >= 10
        assert counts[language, "conflict"] >= 2


def test_every_reason_of_a_refusal_occurs() -> None:
    assert {record.reason for record in RECORDS} - {None} == {
        "extract.no_factor",
        "extract.minute_data",
        "extract.fundamental_data",
        "extract.unsupported_op",
        "extract.unsupported_field",
        "extract.several_targets",
        "extract.conflicting_window",
        "extract.conflicting_direction",
        "extract.conflicting_field",
    }


def test_every_feature_is_tried_and_the_readme_counts_it() -> None:
    assert {feature for record in RECORDS for feature in record.features} == set(FEATURES)
    readme = build.README_FILE.read_text(encoding="utf-8")
    assert build.readme_of(RECORDS) == readme
    reports = len({record.report for record in RECORDS})
    assert readme.startswith(f"# The gold set\n\n{reports} reports, half Chinese")
    assert f"{len(RECORDS)} questions" in readme


def test_the_holdout_is_about_a_third_and_has_both_languages_and_all_outcomes() -> None:
    holdout = [record for record in RECORDS if record.split == "holdout"]
    assert 0.25 <= len(holdout) / len(RECORDS) <= 0.38
    assert {(record.language, record.status) for record in holdout} >= {
        ("zh", "spec"), ("zh", "refused"), ("zh", "conflict"), ("en", "spec"), ("en", "refused"),
    }  # fmt: skip
    assert len(gold_cases("holdout")) == len(holdout)
    assert len(gold_cases("train")) + len(holdout) == len(gold_cases())


def test_all_ops_that_run_occur() -> None:
    formulas = " ".join(record.spec.expr for record in RUNNING if record.spec is not None)
    for op in (
        "RANK", "TS_MEAN", "TS_STD", "TS_MIN", "TS_MAX", "TS_PCTCHANGE", "TS_SUM", "INDUSTRY_NEUTRALIZE",
        "DELAY", "DELTA", "LOG", "ABS", "SIGN",
    ):  # fmt: skip
        assert f"{op}(" in formulas


def test_long_reports_have_pages_and_their_furniture_is_left_out(documents: dict[str, Document]) -> None:
    long = {record.report for record in RECORDS if "long" in record.features}
    assert len(long) == 3
    for name in long:
        assert 10 <= len(documents[name].pages) <= 20
        assert "furniture_removed" in documents[name].flags


# -- the records agree with the texts ----------------------------------------------------------------------


@pytest.mark.parametrize("record", RECORDS, ids=by_id)
def test_quotes_stand_in_their_chunks_and_pages(record: GoldRecord, documents: dict[str, Document]) -> None:
    document = documents[record.report]
    for span in record.evidence:
        places = find_quote(document, span.quote, span.chunk_id)
        assert places, span
        located = document.locate(places[0].start, places[0].end)
        assert (span.page_start, span.char_start, span.page_end, span.char_end) == (
            located.page_start, located.char_start, located.page_end, located.char_end,
        )  # fmt: skip


@pytest.mark.parametrize("record", STATED, ids=by_id)
def test_declared_fields_have_evidence_and_undeclared_ones_none(record: GoldRecord) -> None:
    spec = record.spec
    assert spec is not None
    cited = {span.field for span in record.evidence}
    declared = {"universe", "frequency", "neutralization", "rebalance"} - set(spec.undeclared)
    assert cited == {"name", "expr", "windows", "direction"} | declared
    assert record.direction in ("positive", "negative")


@pytest.mark.parametrize("record", STATED, ids=by_id)
def test_the_quote_of_the_universe_names_it(record: GoldRecord) -> None:
    quotes = [span.quote for span in record.evidence if span.field == "universe"]
    assert record.spec is not None
    assert {universe_of(quote) for quote in quotes} <= {record.spec.universe}


@pytest.mark.parametrize("record", RUNNING, ids=by_id)
def test_formulas_run_and_agree_with_the_fields(record: GoldRecord) -> None:
    spec = record.stated
    assert spec is not None
    read = read_expr(spec)
    assert read.runnable, read.refusal
    assert spec.windows == read.windows
    assert [issue for issue in declaration_issues(spec) if issue.hard] == []


def test_refused_formulas_stop_at_what_they_need() -> None:
    refused = {record.case_id: record for record in STATED if record.status == "refused"}
    assert len(refused) == 6
    for record in refused.values():
        assert record.spec is not None
        read = read_expr(record.spec)
        assert not read.runnable
        assert record.needs is not None
        assert record.needs in record.spec.expr
        assert (read.off_whitelist == (record.needs,)) == (record.needs == "TS_CORR")
        assert read.unsupported == (record.needs != "TS_CORR")
        assert isinstance(record.case().gold, Refused)


def test_needs_are_given_where_an_op_or_a_field_is_missing() -> None:
    for record in RECORDS:
        missing = record.reason in ("extract.unsupported_op", "extract.unsupported_field")
        assert (record.needs is not None) == missing


def test_targets_are_candidates_and_candidates_have_questions() -> None:
    several = [record for record in RECORDS if record.candidates]
    assert several
    for record in several:
        computable = {found.name: found.computable for found in record.candidates}
        if record.target is not None:
            assert computable[record.target] == (record.status == "spec")
        elif record.status == "spec":
            assert [name for name, runs in computable.items() if runs] == [record.spec.name]  # type: ignore[union-attr]
        else:
            assert record.reason == "extract.several_targets"
            assert sum(computable.values()) > 1


def test_a_conflict_cites_both_places() -> None:
    for record in RECORDS:
        if record.status == "conflict":
            assert len({span.quote for span in record.evidence}) >= 2
            assert len({span.field for span in record.evidence}) == 1


def test_planted_orders_are_in_the_text_and_the_evidence_is_not_in_them() -> None:
    planted = [record for record in RECORDS if record.planted]
    assert {record.language for record in planted} == {"zh", "en"}
    for record in planted:
        clean = record.text_without_planted()
        assert len(clean) < len(record.report_path.read_text(encoding="utf-8"))
        document = read_document(clean.encode(), name=record.report)
        assert all(find_quote(document, span.quote) for span in record.evidence)


def test_files_are_those_that_the_annotations_give() -> None:
    records = build.build_records()
    assert records == RECORDS, "run: python -m assay.reports.gold._build"
    assert build.RECORDS_FILE.read_text(encoding="utf-8") == build.records_text(records)
    shipped = json.loads(build.MANIFEST_FILE.read_text(encoding="utf-8"))
    assert shipped == build.manifest_of(records), "run: python -m assay.reports.gold._build"


def test_the_manifest_holds_the_hash_of_each_report() -> None:
    files = json.loads(build.MANIFEST_FILE.read_text(encoding="utf-8"))["files"]
    for record in RECORDS:
        digest = hashlib.sha256(record.report_path.read_bytes()).hexdigest()
        assert files[f"report/{record.report}"] == digest
        assert {f"case/{record.case_id}.json", f"gold/{record.case_id}.json"} <= set(files)
    assert "verifier.json" in files


def test_cases_carry_the_evidence_and_say_who_annotated_them() -> None:
    for record, case in zip(RECORDS, gold_cases(), strict=True):
        assert case.annotator == ANNOTATOR == "the project's authors"
        assert case.origin == "annotated"
        if isinstance(case.gold, FactorSpec):
            assert case.gold.evidence == record.evidence
            assert case.direction == record.direction
        else:
            assert case.gold.status == record.status


def test_an_unknown_case_is_refused_with_close_names() -> None:
    assert gold_case("zh-01").gold.name == "二十日反转"  # type: ignore[union-attr]
    with pytest.raises(DataError) as caught:
        gold_case("zh07-range")
    assert caught.value.fix is not None
    assert "zh-07-range" in caught.value.fix


def test_a_line_that_is_no_record_is_refused_with_its_place(tmp_path: Path) -> None:
    first = build.RECORDS_FILE.read_text(encoding="utf-8").splitlines()[0]
    bad = json.loads(first)
    bad["origin"] = "extracted"
    path = tmp_path / "gold.jsonl"
    path.write_text(f"{first}\n{json.dumps(bad)}\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"line 2 is no gold record: origin"):
        gold_records(path)


# -- splits and origins ------------------------------------------------------------------------------------


def test_the_shipped_split_is_clean() -> None:
    check_split(gold_cases())
    require_annotated(gold_cases())
    require_trainable(gold_cases("train"))


def leak(case: FactorCase, text: str, **changes: str) -> FactorCase:
    """A case of the other side with its own names, and this text."""
    own = {"case_id": "leak", "group_id": "leak", "institution": "Leak", "series": "Leak", **changes}
    side = "holdout" if case.split == "train" else "train"
    return replace(case, split=side, document=ReportSource("leak.md", text=text), **own)


@pytest.mark.parametrize("case_id", ["zh-04", "en-05", "zh-01", "en-02"])
def test_a_copy_with_other_numbers_and_names_is_a_leak(case_id: str) -> None:
    case = gold_case(case_id)
    text = case.document.content().decode()
    for old, new in (("0", "7"), ("2", "4"), ("5", "9"), ("证券", "研究所"), ("Securities", "Partners")):
        text = text.replace(old, new)
    with pytest.raises(DataError, match=rf"{case_id}.*near-duplicates|leak\.md.*near-duplicates"):
        check_split([*gold_cases(), leak(case, text)])


def test_an_excerpt_of_a_long_report_is_a_leak() -> None:
    case = gold_case("zh-09")
    pages = case.document.content().decode().split("\f")
    with pytest.raises(DataError, match="zh-09"):
        check_split([*gold_cases(), leak(case, pages[4])])


def test_a_new_text_is_no_leak() -> None:
    case = gold_case("en-01")
    check_split([*gold_cases(), leak(case, "Nothing in this sentence stands in any of the other reports.")])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"group_id": "erewhon-notes"}, "the group erewhon-notes is on both sides"),
        (
            {"institution": "Erewhon Securities", "series": "Factor Notes"},
            "the series Erewhon Securities / Factor Notes is on both sides",
        ),
        ({"case_id": "en-01"}, "the case en-01 stands 2 times"),
    ],
)
def test_a_shared_group_series_or_id_is_a_leak(changes: dict[str, str], message: str) -> None:
    case = leak(gold_case("en-01"), "A text of its own, about the weather in three towns.", **changes)
    with pytest.raises(DataError, match=message):
        check_split([*gold_cases(), case])


def test_similarity_ignores_blanks_and_case() -> None:
    same = similarity("The mean gap is\nsmall.", "the mean  GAP is small.")
    assert same.jaccard == 1.0
    assert same.near_duplicate
    assert not similarity("The mean gap is small.", "完全不同的一句话。").near_duplicate


@pytest.mark.parametrize("origin", ["extracted", "injected"])
def test_only_annotated_cases_are_gold(origin: str) -> None:
    case = replace(gold_case("zh-01"), origin=origin)
    with pytest.raises(DataError, match=rf"zh-01 \({origin}\)"):
        require_annotated([gold_case("zh-02"), case])


def test_gold_names_its_annotator() -> None:
    with pytest.raises(DataError, match=r"zh-01 \(no annotator\)"):
        require_annotated([replace(gold_case("zh-01"), annotator=" ")])


def test_injected_and_held_out_cases_are_no_training_rows() -> None:
    injected = replace(gold_case("zh-01"), origin="injected")
    with pytest.raises(DataError, match=r"zh-01 \(injected\), zh-09 \(holdout\)"):
        require_trainable([injected, gold_case("zh-02"), gold_case("zh-09")])
    require_trainable([replace(gold_case("zh-01"), origin="extracted")])


# -- asset batches -----------------------------------------------------------------------------------------


def test_a_batch_is_read_back_as_the_same_cases(tmp_path: Path) -> None:
    cases = gold_cases("holdout")
    batch = export_batch(cases, tmp_path / "batch")
    back = read_batch(tmp_path / "batch")
    assert asset_batch(back).manifest == batch.manifest
    assert {case.case_id: case.gold for case in back} == {case.case_id: case.gold for case in cases}


def test_the_origin_of_an_injected_case_survives_the_batch(tmp_path: Path) -> None:
    export_batch([replace(gold_case("en-01"), origin="injected")], tmp_path / "batch")
    (case,) = read_batch(tmp_path / "batch")
    with pytest.raises(DataError, match="injected"):
        require_annotated([case])


@pytest.mark.parametrize("name", ["report/en-01.md", "gold/en-01.json", "verifier.json"])
def test_a_changed_file_of_a_batch_is_refused_by_name(tmp_path: Path, name: str) -> None:
    export_batch([gold_case("en-01")], tmp_path / "batch")
    path = tmp_path / "batch" / name
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(DataError, match=name):
        read_batch(tmp_path / "batch")


def test_a_batch_carries_the_table_of_the_verifier_whole(tmp_path: Path) -> None:
    export_batch([gold_case("en-01")], tmp_path / "batch")
    table = json.loads((tmp_path / "batch" / "verifier.json").read_text(encoding="utf-8"))
    assert (table["weights"], table["gate"]) == (dict(WEIGHTS), GATE)
    assert {name: cap["at_most"] for name, cap in table["caps"].items()} == {
        name: most for name, (most, _) in CAPS.items()
    }


def test_a_file_that_is_not_in_the_manifest_is_refused(tmp_path: Path) -> None:
    export_batch([gold_case("en-01")], tmp_path / "batch")
    (tmp_path / "batch" / "gold" / "en-99.json").write_text("{}")
    with pytest.raises(DataError, match=r"gold/en-99\.json"):
        read_batch(tmp_path / "batch")
    with pytest.raises(DataError, match="no manifest"):
        read_batch(tmp_path)
    for text, said in (("[" * 100_000, "no manifest"), (f'{{"format": "{FORMAT}", "files": 5}}', "no files")):
        (tmp_path / "manifest.json").write_text(text)
        with pytest.raises(DataError, match=said):
            read_batch(tmp_path)


def test_a_batch_refuses_two_reports_of_one_name_and_an_existing_folder(tmp_path: Path) -> None:
    case = gold_case("en-01")
    other = replace(case, case_id="other", document=ReportSource("en-01.md", text="Another text."))
    with pytest.raises(DataError, match=r"two reports are called en-01\.md"):
        asset_batch([case, other])
    with pytest.raises(DataError, match="two cases have one id"):
        asset_batch([case, case])
    (tmp_path / "batch").mkdir()
    with pytest.raises(AssayError, match="exists already"):
        export_batch([case], tmp_path / "batch")


# -- the build ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("quote", "message"), [("a passage that nobody wrote", "is not in the report"), ("the", "more than once")]
)
def test_a_quote_must_stand_exactly_once(quote: str, message: str, documents: dict[str, Document]) -> None:
    with pytest.raises(DataError, match=message):
        build._evidence(documents["en-01.md"], {"expr": [quote]})
