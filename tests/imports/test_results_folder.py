"""Finding result files in a folder: what is read, what is named as damaged, what is passed over."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pytest

from dashboard.imports.results.files import Wanted, read_results
from dashboard.imports.results.harness import file as harness_file
from dashboard.imports.results.harness import folder as harness_folder
from dashboard.imports.results.harness.file import decode_file
from dashboard.imports.results.types import FileError, ResultsError
from tests.imports.harness_files import write_old
from tests.imports.test_results_files import read, write_pair


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "not JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[" * 200_000, "beyond all bounds"),
        (b'{"results": {"t": {"acc": ' + b"9" * 5000 + b"}}}", "beyond all bounds"),
        (b'{"results": {}}', 'no "results"'),
        (b'{"results": {"t": {}}, "config": {"model_args": {"revision": "' + b"x" * 300 + b'"}}}', "longer than"),
        (b'{"results": {"t\\u0000": {}}}', "null character"),
        (b'{"results": {"t": {}}, "model_name": "a\\ud800"}', "half a character"),
    ],
)
def test_an_unreadable_file_is_named_and_the_rest_read(tmp_path, content, message):
    write_pair(tmp_path, 1, {"acc": 0.5})
    (tmp_path / "new" / "bad.json").write_bytes(content)
    results = read(tmp_path)
    assert [r.checkpoint for r in results.results] == ["step1"]
    (problem,) = results.problems
    assert problem.path.endswith("bad.json")
    assert message in problem.message


def test_a_file_over_the_size_cap_is_named(tmp_path, monkeypatch):
    write_pair(tmp_path, 1, {"acc": 0.5})
    monkeypatch.setattr(harness_file, "MAX_FILE_BYTES", 10)
    with pytest.raises(ResultsError, match=r"no candidate file could be read: .*larger than"):
        read(tmp_path)


def test_links_in_a_loop_broken_links_and_pipes_end_with_a_name_each(tmp_path):
    write_pair(tmp_path, 1, {"acc": 0.5})
    (tmp_path / "new" / "again").symlink_to(tmp_path / "new")
    (tmp_path / "new" / "self.json").symlink_to(tmp_path / "new" / "self.json")
    (tmp_path / "new" / "gone.json").symlink_to(tmp_path / "nowhere.json")
    (tmp_path / "new" / "same.json").symlink_to(tmp_path / "new" / "tiny_step1.json")
    os.mkfifo(tmp_path / "new" / "pipe.json")
    results = read(tmp_path)
    assert [r.checkpoint for r in results.results] == ["step1"]
    assert sorted(Path(p.path).name for p in results.problems) == ["gone.json", "pipe.json", "self.json"]
    assert results.notes == ()


def test_an_empty_or_missing_folder_is_refused(tmp_path):
    with pytest.raises(ResultsError, match="does not exist"):
        read_results(tmp_path / "none", None, Wanted(metric="acc", task="t"))
    with pytest.raises(ResultsError, match=r"holds no \*\.json"):
        read_results(tmp_path, None, Wanted(metric="acc", task="t"))


def test_a_sample_log_beside_the_results_is_not_a_result(tmp_path):
    write_pair(tmp_path, 1, {"acc": 0.5})
    (tmp_path / "new" / "samples_lambada_2024.jsonl").write_text("{}\n")
    assert read(tmp_path).problems == ()


def test_the_order_of_files_on_disk_does_not_matter(tmp_path, monkeypatch):
    for step in range(12):
        write_pair(tmp_path, step, {"acc": step / 20})
    expected = read(tmp_path)
    walk = os.walk

    def shuffled(*args, **options):
        for folder, folders, names in walk(*args, **options):
            random.Random(3).shuffle(names)
            yield folder, folders, names

    monkeypatch.setattr(harness_folder.os, "walk", shuffled)
    assert read(tmp_path) == expected


def test_progress_counts_every_file(tmp_path):
    write_pair(tmp_path, 1, {"acc": 0.5})
    seen: list[tuple[int, int]] = []
    read(tmp_path, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 1), (1, 1)]


def test_a_folder_is_not_a_file_to_load(tmp_path):
    with pytest.raises(FileError, match="not a regular file"):
        harness_file.load_json(tmp_path)


def test_a_byte_order_mark_is_no_fault(tmp_path):
    write_pair(tmp_path, 1, {"acc": 0.5})
    path = tmp_path / "new" / "tiny_step1.json"
    path.write_text(json.dumps(json.loads(path.read_text())), encoding="utf-8-sig")
    assert read(tmp_path).problems == ()


@pytest.mark.parametrize(
    ("document", "tool"),
    [
        ({"config_general": {}, "results": {"all": {"acc": 1}}}, "lighteval"),
        ({"eval": {}, "plan": {}, "results": {"scores": []}}, "Inspect"),
        ({"evalId": "x", "results": {"results": []}}, "promptfoo"),
        ({"mteb_version": "1"}, "MTEB"),
        ({"adapter_spec": {}}, "HELM"),
        ([{"name": {"name": "exact_match"}}], "HELM"),
        ([{"doc_id": 1, "resps": []}], "lm-evaluation-harness with one row a question"),
    ],
)
def test_a_file_of_another_tool_is_refused_by_that_tools_name(document, tool):
    with pytest.raises(FileError, match=f"it is a file of {tool}"):
        decode_file(document, "a.json", "folder")


def test_an_average_in_a_file_is_never_averaged_again(tmp_path):
    write_old(tmp_path, 1, {"a": {"acc": 0.2}, "b": {"acc": 0.4}, "average": {"acc": 0.9}})
    assert read_results(tmp_path, None, Wanted(metric="acc", task="*")).measure.dimensions == ("a", "b")
