"""Finds the result files in a folder: each is read, named as damaged, or passed over as none."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from dashboard.imports.results.harness.file import HarnessFile, decode_file, load_json
from dashboard.imports.results.harness.naming import AS_THE_FILES_SAY, Naming
from dashboard.imports.results.types import FileError, OtherFile, Problem, ResultsError, natural_key

_OTHERS = (
    "._", "samples_", "config", "generation_config", "tokenizer", "special_tokens_map", "added_tokens", "vocab",
    "adapter_config", "trainer_state", "preprocessor_config", "training_args", "package",
)  # fmt: skip
"""How the names of files begin that lie beside results and are none."""


@dataclass
class Folder:
    """What lies in a folder."""

    files: list[HarnessFile] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    """Result files that could not be read, and those of another tool."""
    others: list[str] = field(default_factory=list)
    """JSON files that are no results."""


def read_folder(
    root: Path, naming: Naming = AS_THE_FILES_SAY, progress: Callable[[int, int], None] | None = None
) -> Folder:
    """Every *.json under a folder, or the one file. Raises ResultsError where there is none.

    Links to folders are followed once each, so a loop of links ends. Order is by path, whatever the disk says.
    """
    if not root.exists():
        raise ResultsError(f"{root} does not exist")
    folder = Folder()
    found = [root] if root.is_file() else _walk(root, folder.problems)
    paths = sorted(found, key=lambda p: natural_key(str(p.relative_to(root))))
    if not paths:
        raise ResultsError(f"{root} holds no *.json result file (a CSV or JSONL table is given as a file)")
    seen: set[str] = set()
    for number, path in enumerate(paths, 1):
        name = path.name if root.is_file() else str(path.relative_to(root))
        try:
            real = os.path.realpath(path, strict=True)
            if real in seen:
                continue
            seen.add(real)
            if root.is_dir() and path.name.casefold().startswith(_OTHERS):
                folder.others.append(name)
                continue
            folder.files.append(decode_file(load_json(path), name, root.name, naming))
        except (OtherFile, FileError, OSError) as error:
            if isinstance(error, OtherFile) and root.is_dir() and not path.name.startswith("results_"):
                folder.others.append(name)
            else:
                folder.problems.append(Problem(str(path), str(getattr(error, "strerror", None) or error)))
        finally:
            if progress:
                progress(number, len(paths))
    return folder


def _walk(root: Path, problems: list[Problem]) -> Iterator[Path]:
    seen: set[tuple[int, int]] = set()

    def name_folder(error: OSError) -> None:
        problems.append(Problem(str(error.filename), error.strerror or str(error)))

    for folder, folders, names in os.walk(root, followlinks=True, onerror=name_folder):
        stat = os.stat(folder)
        if (stat.st_dev, stat.st_ino) in seen:
            folders.clear()
            continue
        seen.add((stat.st_dev, stat.st_ino))
        yield from (Path(folder, name) for name in names if name.lower().endswith(".json"))
