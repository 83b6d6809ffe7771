"""Reading a CSV or JSONL table: which cells are numbers, and which tables are refused."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from dashboard.imports.results.files import Wanted, read_results
from dashboard.imports.results.table import sheet
from dashboard.imports.results.table.rows import TableOptions
from dashboard.imports.results.types import ResultsError, ResultSet

HEADER = "checkpoint,candidate_score,incumbent_score"


def read_csv(tmp_path, text: str, header: str = HEADER) -> ResultSet:
    path = tmp_path / "scores.csv"
    path.write_text(f"{header}\n{text}\n", encoding="utf-8-sig")
    return read_results(path, None)


def read_jsonl(tmp_path, *rows: object) -> ResultSet:
    path = tmp_path / "scores.jsonl"
    path.write_text("\n\n".join(json.dumps(row) for row in rows))
    return read_results(path, None)


def test_it_works(tmp_path):
    results = read_csv(tmp_path, "step1000,0.5,0.25\nstep512, .5 ,1e-1\n,,\n")
    assert [(r.checkpoint, r.candidate, r.incumbent) for r in results.results] == [
        ("step512", 0.5, 0.1),
        ("step1000", 0.5, 0.25),
    ]
    assert all(r.scored and r.created_at is None and r.rule is None for r in results.results)
    assert (results.measure.source, results.measure.require_all_rows) == ("table", None)


def test_every_optional_column_is_read(tmp_path):
    header = f"{HEADER},created_at,status,status_reason,decision,rule"
    first, second, third = read_csv(
        tmp_path,
        "s1,1,2,2024-05-01T12:00:00+02:00,done,,promoted,nightly\n"
        "s2,1,2,2024-05-02,budget_stopped,cap of 5 EUR,,nightly\n"
        "s3,,,2024-05-03T00:00:00Z,open,,,nightly",
        header,
    ).results
    assert first.created_at == datetime(2024, 5, 1, 10, tzinfo=UTC)
    assert (first.decision, first.rule, first.reason) == ("promoted", "nightly", None)
    assert (second.status, second.reason, second.candidate) == ("budget_stopped", "cap of 5 EUR", None)
    assert second.created_at == datetime(2024, 5, 2, tzinfo=UTC)
    assert (third.status, third.reason) == ("open", "open; the table gives no reason")


def test_a_pair_of_columns_is_measured_on_both_sides_and_a_lone_one_on_the_candidate(tmp_path):
    header = f"{HEADER},fluency_candidate,fluency_incumbent,tone,note,empty,odd_candidate"
    results = read_csv(tmp_path, "s1,1,2,3,4,5,fine,,7\ns2,1,2,3,4,,,,", header)
    first, second = results.results
    assert [(d.key, d.candidate, d.incumbent) for d in first.dimensions] == [
        ("fluency", 3, 4),
        ("tone", 5, None),
        ("odd_candidate", 7, None),
    ]
    assert [d.key for d in second.dimensions] == ["fluency"]
    assert results.notes == (
        "column note is no dimension: row 2 holds 'fine'",
        "rubric dimensions: fluency, tone, odd_candidate",
    )


@pytest.mark.parametrize("cell", ["nan", "inf", "true", "1_000", "0x10", "1e999", "³"])
def test_a_cell_that_is_no_plain_number_is_a_reason(tmp_path, cell):
    (result,) = read_csv(tmp_path, f"s1,0.5,{cell}").results
    assert (result.status, result.candidate) == ("failed", None)
    assert result.reason == f"incumbent score of s1 is not a finite number: {cell!r}"


def test_an_integer_that_no_float_holds_is_a_reason_in_a_cell_too(tmp_path):
    (result,) = read_csv(tmp_path, "s1,9007199254740993,9007199254740992").results
    assert result.reason == (
        "candidate score of s1 is an integer beyond 2^53 that cannot be kept exactly: '9007199254740993'"
    )


def test_a_missing_score_names_its_side_and_keeps_the_reason_given(tmp_path):
    (result,) = read_csv(tmp_path, "s1,,0.5,node lost", f"{HEADER},status_reason").results
    assert result.reason == "no candidate score for s1; node lost"


def test_jsonl_takes_numbers_and_leaves_text_as_text(tmp_path):
    first, second, third = read_jsonl(
        tmp_path,
        {"checkpoint": 1000, "candidate_score": 0, "incumbent_score": 0.5, "tone": 4},
        {"checkpoint": "1001", "candidate_score": "0.5", "incumbent_score": 0.5},
        {"checkpoint": "1002", "candidate_score": True, "incumbent_score": None},
    ).results
    assert (first.checkpoint, first.candidate, first.dimensions[0].candidate) == ("1000", 0.0, 4)
    assert second.reason == "candidate score of 1001 is not a finite number: '0.5'"
    assert third.reason == "candidate score of 1002 is not a finite number: True; no incumbent score for 1002"


@pytest.mark.parametrize(
    ("text", "header", "message"),
    [
        ("s1,1", HEADER, "row 2 has not the 3 cells"),
        ("s1,1,2,3", HEADER, "row 2 has not the 3 cells"),
        ('s1,"1"x,2', HEADER, "row 2 is not CSV"),
        ("s1,1,2", 'checkpoint,"', "row 2 is not CSV"),
        ("", HEADER, "holds no rows"),
        ("s1,1", "checkpoint,score", "lacks the column candidate_score"),
        ("s1,1,2,3", f"{HEADER},checkpoint", "names a column twice"),
        (",1,2", HEADER, "row 2: no checkpoint"),
        ("s1,1,2\ns1,3,4", HEADER, "row 3: checkpoint s1 is there twice, first in row 2"),
        ("s1,1,2,promote", f"{HEADER},decision", "row 2: decision 'promote' is not one of"),
        ("s1,1,2,last week", f"{HEADER},created_at", "row 2: created_at 'last week' is not a time"),
        ("s1,1,2," + "x" * 201, f"{HEADER},rule", "rule is longer than 200"),
        ("\n".join(",1,2" for _ in range(12)), HEADER, "and 2 more"),
    ],
)
def test_a_table_that_cannot_be_placed_is_refused_with_its_row(tmp_path, text, header, message):
    with pytest.raises(ResultsError, match=message):
        read_csv(tmp_path, text, header)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "line 1 is not JSON"),
        (b"\n[]", "line 2 is not an object"),
        (b"\xff", "not UTF-8"),
        (b'{"checkpoint": "a\\ud800", "candidate_score": 1, "incumbent_score": 1}', "half a character"),
        (b'{"checkpoint": "a", "candidate_score": 1, "incumbent_score": 1, "x\\u0000": 1}', "column's name"),
        (b"[" * 200_000, "line 1 is not JSON"),
        (b'{"checkpoint": [1], "candidate_score": 1, "incumbent_score": 1}', "checkpoint is not text"),
        (
            b'{"checkpoint": "a", "candidate_score": 1, "incumbent_score": 1, "created_at": 5}',
            "created_at 5 is not a time",
        ),
    ],
)
def test_a_broken_jsonl_is_refused_with_its_line(tmp_path, content, message):
    path = tmp_path / "scores.jsonl"
    path.write_bytes(content)
    with pytest.raises(ResultsError, match=message):
        read_results(path, None)


def test_a_table_that_is_not_there_is_a_folder_or_too_large_is_refused(tmp_path, monkeypatch):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(ResultsError, match="is not a file"):
        read_results(tmp_path / "folder.csv", None)
    with pytest.raises(ResultsError, match="does not exist"):
        read_results(tmp_path / "none.csv", None)
    monkeypatch.setattr(sheet, "MAX_FILE_BYTES", 3)
    with pytest.raises(ResultsError, match="is larger than"):
        read_csv(tmp_path, "s1,1,2")


def test_a_table_holds_both_sides_itself(tmp_path):
    with pytest.raises(ResultsError, match="leave --incumbent out"):
        read_results(tmp_path / "a.csv", tmp_path)


@pytest.mark.parametrize("moment", ["9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", "1969-12-31", "2101-01-01"])
def test_a_time_that_leaves_no_room_around_it_is_named_with_its_row(tmp_path, moment):
    with pytest.raises(ResultsError, match=rf"row 3: created_at '{moment}' lies outside the years 1970 to 2100"):
        read_csv(tmp_path, f"a,1,2,\nb,1,2,{moment}", f"{HEADER},created_at")


NAMES, FIRST, SECOND = HEADER.split(","), ["step-100", "0.712", "0.7"], ["step-200", "0.725", "0.7"]
PLAIN = [NAMES, FIRST, SECOND]
COMMAS = [NAMES, ["step-100", "0,712", "0,7"], ["step-200", "0,725", "0,7"]]


def join(rows: list[list[str]], separator: str) -> str:
    return "\r\n".join(separator.join(row) for row in rows) + "\r\n"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (join([["Checkpoint", "Candidate Score", "Incumbent Score"], FIRST, SECOND], ","), "utf-8"),
        (join([NAMES, *([f'"{cell}"' for cell in row] for row in COMMAS[1:])], ","), "utf-8"),
        (join(COMMAS, ";"), "utf-8"),
        ("sep=;\r\n" + join(PLAIN, ";"), "utf-8"),
        (join(PLAIN, "\t"), "utf-16"),
        (join([NAMES, ["step-100", "71.2%", "70%"], ["step-200", "72.5%", "70%"]], ","), "utf-8"),
        (join([[*row, "", ""] for row in [*PLAIN, ["", "", ""]]], ","), "utf-8"),
        (json.dumps([dict(zip(NAMES, row, strict=True)) for row in ([100.0, 0.712, 0.7], [200.0, 0.725, 0.7])]), ""),
    ],
)
def test_a_table_is_read_as_spreadsheets_write_it(tmp_path, text, encoding):
    path = tmp_path / ("a.csv" if encoding else "a.json")
    path.write_bytes(text.encode(encoding or "utf-8"))
    results = read_results(path, None).results
    assert [(r.checkpoint.removeprefix("step-"), r.candidate, r.incumbent) for r in results] == [
        ("100", 0.712, 0.7),
        ("200", 0.725, 0.7),
    ]


def test_marks_between_thousands_and_a_true_minus_are_read(tmp_path):
    (one,) = read_csv(tmp_path, 's1,"1,201.5","\u22121,200.0"').results
    assert (one.candidate, one.incumbent) == (1201.5, -1200.0)


def test_a_number_that_can_be_two_is_refused_with_the_way_on(tmp_path):
    with pytest.raises(ResultsError, match="'1,201' can be a fraction or a number of thousands"):
        read_csv(tmp_path, 's1,"1,201","1,200"')


def test_a_percentage_among_plain_numbers_is_a_reason(tmp_path):
    first, _ = read_csv(tmp_path, "s1,12%,0.5\ns2,0.5,0.5").results
    assert first.reason == "candidate score of s1 is a percentage among plain numbers: '12%'"


@pytest.mark.parametrize("word", ["completed", "FINISHED", "Done", "success", " Succeeded "])
def test_usual_words_for_finished_are_finished(tmp_path, word):
    assert read_csv(tmp_path, f"s1,0.5,0.5,{word}", f"{HEADER},status").results[0].scored


def test_an_unknown_status_beside_a_score_is_a_question_that_an_option_answers(tmp_path):
    with pytest.raises(ResultsError, match=r"row 2: status 'fertig' stands beside a score.*--status-is fertig=done"):
        read_csv(tmp_path, "s1,0.5,0.5,fertig", f"{HEADER},status")
    options = Wanted(table=TableOptions({"fertig": "done"}))
    assert read_results(tmp_path / "scores.csv", None, options).results[0].scored


def test_what_counts_rows_or_steps_is_no_dimension(tmp_path):
    rows = "\n".join(f"{n},{n}00,s{n},0.5,0.5,{n + 1},0.7" for n in range(4))
    results = read_csv(tmp_path, rows, "Unnamed: 0,step,checkpoint,candidate_score,incumbent_score,line,tone")
    assert results.measure.dimensions == ("tone",)
    assert "column Unnamed: 0 is no dimension: it counts rows or steps" in results.notes


def test_a_reason_loses_a_terminals_codes_and_is_cut_with_a_mark(tmp_path):
    text = "\x1b[31mTraceback\x1b[0m\r\n\x07" + "x" * 20_000
    rows = [
        {"checkpoint": "a", "candidate_score": 1, "incumbent_score": 1},
        {"checkpoint": "b", "status": "failed", "status_reason": text},
    ]
    reason = read_jsonl(tmp_path, *rows).results[1].reason
    assert reason.startswith("Traceback\nxxx")
    assert reason.endswith("… (cut here: 20,010 characters in all)")


def test_a_table_of_candidates_alone_is_one_line(tmp_path):
    first, second = read_csv(tmp_path, "s1,0.5\ns2,", "checkpoint,candidate_score").results
    assert (first.scored, first.incumbent, first.incumbent_model) == (True, None, "")
    assert second.reason == "no candidate score for s2"


def test_one_checkpoint_at_two_times_is_two_results(tmp_path):
    results = read_csv(tmp_path, "s1,0.5,0.5,2024-05-01\ns1,0.6,0.5,2024-05-02", f"{HEADER},created_at").results
    assert [r.candidate for r in results] == [0.5, 0.6]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.parquet", b"PAR1rest", "is a Parquet file: save it as CSV"),
        ("a.csv", b"PK\x03\x04", "is a spreadsheet or an archive"),
        ("a.jsonl", b'{"doc_id": 1, "resps": []}', "is a samples file of lm-evaluation-harness"),
        ("a.csv", b"checkpoint,candidate_score,created_at\na,1,9/7/2026 9:30", "write 2026-09-07 or 2026-07-09"),
    ],
)
def test_what_is_no_table_is_named_with_the_way_on(tmp_path, name, content, said):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ResultsError, match=said):
        read_results(path, None)


@pytest.mark.parametrize("options", [{"metric": "acc"}, {"task": "t"}])
def test_a_metric_or_a_task_with_a_table_is_refused(tmp_path, options):
    with pytest.raises(ResultsError, match="leave --metric and --task out"):
        read_results(tmp_path / "a.csv", None, Wanted(**options))


@pytest.mark.parametrize(("lower", "scale"), [(None, "direction unknown"), (True, "lower is"), (False, "higher is")])
def test_a_table_has_the_direction_that_a_person_says(tmp_path, lower, scale):
    read_csv(tmp_path, "s1,1,2")
    assert scale in read_results(tmp_path / "scores.csv", None, Wanted(lower_is_better=lower)).measure.scale
