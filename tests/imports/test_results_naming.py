"""Where the step stands in a model's path, and which model is left without it."""

from __future__ import annotations

import re

import pytest

from dashboard.imports.results.harness.direction import HIGHER, LOWER, find_direction
from dashboard.imports.results.harness.naming import Naming, find_place, read_args, read_step, split_path


@pytest.mark.parametrize(
    ("path", "model", "step"),
    [
        ("/ckpt/otter/global_step_200/actor/huggingface", "/ckpt/otter", "global_step_200"),
        ("out/otter/checkpoint-50-merged", "out/otter", "checkpoint-50"),
        ("out/otter/checkpoint-50-awq", "out/otter/awq", "checkpoint-50"),
        ("/ckpt/otter/ba100/hf", "/ckpt/otter", "ba100"),
        ("/ckpt/otter/iter_0005000/hf", "/ckpt/otter", "iter_0005000"),
        ("/ckpt/otter/10000", "/ckpt/otter", "10000"),
        ("/ckpt/otter/epoch=3-step=1000.ckpt", "/ckpt/otter", "epoch=3-step=1000"),
        ("lab/tiny-step8", "lab/tiny", "step8"),
        ("/ckpt/global_step_200/critic", "/ckpt/critic", "global_step_200"),
        ("lab/tiny-v2", "lab/tiny-v2", ""),
    ],
)
def test_the_step_is_told_from_the_path(path, model, step):
    assert split_path(path) == (model, step)


def test_an_adapters_path_goes_before_the_model_it_was_trained_on():
    args = read_args("pretrained=lab/base,revision=abc,lora_local_path=/ckpt/lora/checkpoint-500")
    place = find_place(args, "lab/base", "hf", "run1/results.json", Naming())
    assert (place.model, place.checkpoint, place.revision) == ("/ckpt/lora", "checkpoint-500", None)


def test_a_person_can_say_where_the_checkpoint_stands():
    args = {"pretrained": "ft:otter:wk36"}
    assert find_place(args, "", "hf", "a.json", Naming(re.compile(r"wk(\d+)"))).checkpoint == "36"
    assert find_place(args, "", "hf", "a.json", Naming(re.compile("wk37"))).checkpoint == ""
    assert find_place(args, "", "hf", "a.json", Naming(checkpoint="now")).checkpoint == "now"


@pytest.mark.parametrize(
    ("checkpoint", "step"),
    [("step512", 512), ("iter_0005000", 5000), ("10000", 10000), ("epoch=3-step=1000", 1000), ("tiny-v2", None)],
)
def test_only_a_step_is_a_number(checkpoint, step):
    assert read_step(checkpoint) == step


def test_each_direction_is_one_and_what_the_harness_leaves_open_has_none():
    assert not HIGHER & LOWER
    assert (find_direction("word_perplexity,none"), find_direction("acc"), find_direction("pct_stereotype")) == (
        True,
        False,
        None,
    )
