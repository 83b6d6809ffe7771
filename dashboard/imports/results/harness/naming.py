"""Where a result file says which model it measured and at which step: its revision, a path, a name, its arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

ADAPTERS = ("peft", "lora_local_path", "lora", "adapter", "delta")
"""Arguments that name what was trained; the model beside them is what it was trained on."""
MODELS = ("pretrained", "model", "path", "engine", "load")
STEPS = ("iteration", "global_step", "step", "checkpoint", "ckpt_step")
_WORD = r"(?:global[-_]?step|step|checkpoint|ckpt|iteration|iter|epoch)[-_=]?\d+(?!\d)"
_WORD_IN_NAME = re.compile(rf"(?i){_WORD}")
_PART = re.compile(
    rf"(?i)(?P<before>.*?)(?<![a-z])(?P<step>{_WORD}(?:[-_]{_WORD})*|^(?:ba|ep|it|update)\d+(?!\d))(?P<after>.*)"
)
_DIGITS = re.compile(r"\d+")
_ENDINGS = (".ckpt", ".pth", ".pt", ".bin", ".safetensors", ".gguf")
_FORMS = {"hf", "huggingface", "merged", "actor", "model", "policy", "weights", "converted", "consolidated", "export"}
"""What a step's folder or its name adds without naming another model."""


@dataclass(frozen=True)
class Naming:
    """How checkpoints are named where the files do not say it rightly. Neither: as the files say."""

    pattern: re.Pattern[str] | None = None
    """Its first group, else all of it, is the checkpoint; looked for in the model's path, then in the file's."""
    checkpoint: str = ""
    """The one checkpoint that every file measured."""


AS_THE_FILES_SAY = Naming()


@dataclass(frozen=True)
class Place:
    """Which model at which checkpoint; `revision` is the model's own, None where none is named."""

    model: str
    checkpoint: str
    revision: str | None


def find_place(args: Mapping[str, str], model_name: str, fallback: str, name: str, naming: Naming) -> Place:
    """`args`: the model's arguments; `name`: the file's path inside the folder given; `fallback`: a model's name."""
    adapter = next((args[key] for key in ADAPTERS if args.get(key)), "")
    path = adapter or next((args[key] for key in MODELS if args.get(key)), "") or model_name
    path = path.strip().rstrip("/")
    revision = args.get("revision", "").strip()
    if revision in ("", "main", "None") or (adapter and split_path(path)[1]):
        revision = ""
    model, step = split_path(path)
    checkpoint = revision or step or _find_in_name(name)
    if revision:
        model = path.removesuffix(revision).rstrip("/-_.@=") if _is_step(revision) else path
    if not checkpoint:
        told = next((args[key] for key in STEPS if args.get(key)), "")
        checkpoint = told or path.rpartition("/")[2] or PurePosixPath(name).stem
    model = model or fallback
    if naming.pattern:
        found = next((m for text in (path, name) if (m := naming.pattern.search(text))), None)
        checkpoint = (found.group(1) if found.groups() else found.group()).strip() if found else ""
        if found and found.string == path and (rest := path[: found.start()] + path[found.end() :]):
            model = rest.strip("/-_.@=") or model
    return Place(model.strip(), naming.checkpoint or checkpoint.strip(), revision or None)


def split_path(path: str) -> tuple[str, str]:
    """(model, step): `/ckpt/otter/global_step_200/actor/hf` is `/ckpt/otter` at `global_step_200`; step "" for none.

    What follows the step and is no mere form of the same weights stays with the model's name.
    """
    parts = path.split("/")
    for n in range(len(parts) - 1, -1, -1):
        part = parts[n]
        for ending in _ENDINGS:
            part = part.removesuffix(ending)
        rest = [p for p in parts[n + 1 :] if p.casefold() not in _FORMS]
        if n and _DIGITS.fullmatch(part) and not rest:
            return "/".join(parts[:n]), part
        found = _PART.fullmatch(part)
        if found:
            after = found["after"].strip("-_.")
            kept = "-".join(
                p
                for p in [found["before"].rstrip("-_.@="), *re.split("[-_]", after)]
                if p.casefold() not in _FORMS and p
            )
            return "/".join([*parts[:n], *([kept] if kept else []), *rest]), found["step"]
    return path, ""


def read_step(checkpoint: str) -> int | None:
    """The training step that a checkpoint's name carries; None where it carries none."""
    if _DIGITS.fullmatch(checkpoint):
        digits = checkpoint
    else:
        found = _PART.fullmatch(checkpoint)
        digits = _DIGITS.findall(found["step"])[-1] if found else ""
    return int(digits) if digits and len(digits) <= 18 else None


def read_args(value: Any) -> dict[str, str]:
    """`model_args` as a dict: text is "key=value,key=value"."""
    if isinstance(value, str):
        return {k.strip(): v.strip() for k, equals, v in (part.partition("=") for part in value.split(",")) if equals}
    return {k: str(v) for k, v in value.items() if v is not None} if isinstance(value, dict) else {}


def _is_step(text: str) -> bool:
    found = _PART.fullmatch(text)
    return bool(found and not found["before"] and not found["after"])


def _find_in_name(name: str) -> str:
    """A step in the file's name, else in its folders, where "__" stands for "/"."""
    folders, _, file_name = name.rpartition("/")
    for text in (file_name, folders):
        if found := _WORD_IN_NAME.findall(text):
            return str(found[-1])
    return split_path(folders.replace("__", "/"))[1]
