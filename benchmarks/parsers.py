"""Compares the extension's readers of YAML and COLLADA with PyYAML and pycollada, on hostile, damaged and
real files.

    python -m benchmarks.parsers [--damaged 2000] [FILE or FOLDER ...]

Each hostile text (parser_cases.py) is read in a separate process, limited to 30 s and 3 GB. A reader may read
or refuse it. ESCAPED is an exception that is not the reader's own, HUNG a time above 30 s, NOT FINITE a mesh
with such corners, CRASHED a process that failed. Damaged texts are small ones with a few words changed. For
real files (.yaml, .yml, .dae; also those in folders) results are compared: the same keys and texts; the same
faces to 1e-5 of the mesh's size. pycollada is not a dependency: `pip install pycollada` in .venv adds it to
the comparison; otherwise its absence is printed.
"""

import argparse
import json
import math
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .parser_cases import YAML, dae, dae_cases, damaged, yaml_cases

LIMIT = 30.0  # [s] largest time for one file
MEMORY = 3 << 30  # [bytes] largest address space of a process that reads a hostile file
ALIKE = 1e-5  # tolerance, relative to the mesh's size; pycollada reads in single precision
Face = tuple[tuple[float, ...], ...]


class RefusedError(Exception):
    """A reader has refused a file with its own error."""


class HungError(BaseException):
    """A reader has exceeded the time limit."""


def our_yaml(path: Path) -> Any:
    from limber.robots.errors import UrdfError
    from limber.robots.yaml_text import parse_yaml

    try:
        return parse_yaml(path.read_bytes().decode("utf-8-sig"), path.name)
    except UrdfError as error:
        raise RefusedError(error) from error


def py_yaml(path: Path) -> Any:
    """Result of PyYAML's parser: scalars as text, None for an empty one or a plain null. Raises RefusedError
    for what PyYAML refuses, such as several documents; aliases and tags are accepted.
    """
    import yaml

    try:
        return _texts(yaml.compose(path.read_bytes().decode("utf-8-sig"), yaml.BaseLoader))
    except yaml.YAMLError as error:
        raise RefusedError(error) from error


def _texts(node: Any) -> Any:
    if node is None:
        return {}
    if isinstance(node.value, str):
        return None if node.style is None and node.value in ("", "~", "null", "Null", "NULL") else node.value
    if node.id == "mapping":
        return {_texts(key) if key.style else key.value: _texts(value) for key, value in node.value}
    return [_texts(each) for each in node.value]


def our_dae(path: Path) -> list[Face]:
    from limber.robots.collada import read_collada
    from limber.robots.faces import MeshError

    try:
        mesh = read_collada(path, "FILE")
    except MeshError as error:
        raise RefusedError(error) from error
    return [tuple(mesh.corners[k] for k in face) for face in mesh.faces]


def py_dae(path: Path) -> list[Face]:
    """Faces read by pycollada, with the additions that a reader built on it needs: unit and up axis are
    applied, repeated corners removed. Raises RefusedError if it refuses the file, or finds no faces.
    """
    import collada
    import numpy as np

    warnings.simplefilter("ignore")
    rotations = {"Y_UP": ((1, 0, 0), (0, 0, -1), (0, 1, 0)), "X_UP": ((0, -1, 0), (0, 0, -1), (1, 0, 0))}
    try:
        with path.open("rb") as file:
            document = collada.Collada(
                file, ignore=[collada.DaeBrokenRefError, collada.common.DaeUnsupportedError]
            )
        asset = document.assetInfo
        scaled_rotation = np.array(rotations.get(asset.upaxis, np.eye(3))) * (asset.unitmeter or 1.0)
        faces: list[Face] = []
        for geometry in document.scene.objects("geometry") if document.scene else ():
            for part in geometry.primitives():
                if part.vertex is None or (
                    not hasattr(part, "polyindex") and "Triangle" not in type(part).__name__
                ):
                    continue
                corners, index = (part.vertex @ scaled_rotation.T).tolist(), part.vertex_index
                rows = (
                    [part._vertex_index[a:b] for a, b in part.polyindex]
                    if hasattr(part, "polyindex")
                    else index
                )
                faces += [
                    tuple(tuple(corners[k]) for k in dict.fromkeys(row.tolist()))
                    for row in rows
                    if len(row) > 2
                ]
    except collada.DaeError as error:
        raise RefusedError(error) from error
    if not faces:
        raise RefusedError("no faces")
    return faces


READERS: dict[str, dict[str, Callable[[Path], Any]]] = {
    ".yaml": {"ours": our_yaml, "PyYAML": py_yaml},
    ".dae": {"ours": our_dae, "pycollada": py_dae},
}
CASES = {".yaml": yaml_cases, ".dae": dae_cases}


def attempt(read: Callable[[Path], Any], path: Path) -> tuple[str, Any, float]:
    """Reads a file; returns the outcome ("read", "refused", or of a fault "NOT FINITE", "HUNG", "ESCAPED"),
    what was read or the error's text (None if it hung), and the processor time [s].
    """

    def hang(*_: object) -> None:
        raise HungError

    signal.signal(signal.SIGALRM, hang)
    signal.setitimer(signal.ITIMER_REAL, LIMIT)
    began = time.process_time()
    try:
        outcome, answer = "read", read(path)
        if path.suffix == ".dae" and not all(
            math.isfinite(part) for face in answer for corner in face for part in corner
        ):
            outcome = "NOT FINITE"
    except RefusedError as error:
        outcome, answer = "refused", str(error)
    except HungError:
        outcome, answer = "HUNG", None
    except Exception as error:  # any other exception is a fault that this comparison searches for
        outcome, answer = "ESCAPED", f"{type(error).__name__}: {error}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
    return outcome, answer, time.process_time() - began


def hostile(suffix: str, name: str, case: str) -> None:
    """Reads one case in this process, with at most `MEMORY`; prints as JSON the outcome, the error if it
    escaped, the time [s], and the memory used [MB].
    """
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"case{suffix}"
        path.write_text(dae() if suffix == ".dae" else YAML, encoding="utf-8")
        attempt(READERS[suffix][name], path)  # first reading, so that imports do not affect the measurement
        path.write_text(CASES[suffix]()[case], encoding="utf-8")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        outcome, answer, seconds = attempt(READERS[suffix][name], path)
        taken = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
    print(json.dumps([outcome, str(answer)[:40] if outcome == "ESCAPED" else "", seconds, taken]))


def show_hostile(suffix: str, names: list[str]) -> None:
    print(f"\n{'hostile ' + suffix:28}" + "".join(f"{name:>44}" for name in names))
    for case in CASES[suffix]():
        cells = []
        for name in names:
            command = [sys.executable, "-m", "benchmarks.parsers", "--case", suffix, name, case]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            outcome, what, seconds, taken = (
                json.loads(done.stdout) if done.returncode == 0 else ("CRASHED", "", 0.0, 0)
            )
            cells.append(f"{outcome} {what[:18]} {seconds:6.2f} s {taken:5} MB")
        print(f"{case:28}" + "".join(f"{cell:>44}" for cell in cells), flush=True)


def show_damaged(suffix: str, names: list[str], count: int) -> None:
    draw, source = random.Random(0), dae() if suffix == ".dae" else YAML
    tally: dict[str, Counter[str]] = {name: Counter() for name in names}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"damaged{suffix}"
        for _ in range(count):
            path.write_text(damaged(source, draw), encoding="utf-8")
            for name in names:
                tally[name][attempt(READERS[suffix][name], path)[0]] += 1
    print(f"\n{count} damaged {suffix}: " + "; ".join(f"{name}: {dict(tally[name])}" for name in names))


def _files(paths: list[Path], suffixes: tuple[str, ...]) -> Iterator[Path]:
    for path in paths:
        files = [path] if path.is_file() else sorted(path.rglob("*"))
        yield from (each for each in files if each.suffix.lower() in suffixes and each.is_file())


def _numbers(faces: list[Face]) -> list[float]:
    return [part for face in faces for corner in face for part in corner]


def _same(first: Any, second: Any) -> bool:
    if not isinstance(first, list):
        return bool(first == second)
    mine, theirs = _numbers(first), _numbers(second)
    size = max(map(abs, mine))
    return list(map(len, first)) == list(map(len, second)) and all(
        abs(a - b) <= ALIKE * size for a, b in zip(mine, theirs, strict=True)
    )


def show_real(suffix: str, names: list[str], paths: list[Path]) -> None:
    tally: Counter[str] = Counter()
    times = dict.fromkeys(names, 0.0)
    for path in _files(paths, (".yaml", ".yml") if suffix == ".yaml" else (suffix,)):
        done = {name: attempt(READERS[suffix][name], path) for name in names}
        for name in names:
            times[name] += done[name][2]
        outcomes = [done[name][0] for name in names]
        same = outcomes == ["read", "read"] and _same(done[names[0]][1], done[names[1]][1])
        outcome = "the same" if same else " / ".join(outcomes) if set(outcomes) != {"read"} else "DIFFERENT"
        tally[outcome] += 1
        if outcome not in ("the same", "refused / refused"):
            print(f"  {path}: {outcome}")
    print(
        f"real {suffix}: {dict(tally)}; "
        + ", ".join(f"{name} {seconds:.1f} s" for name, seconds in times.items())
    )


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("paths", nargs="*", type=Path, help="real files, or folders of them")
    ask.add_argument("--damaged", type=int, default=2000, help="damaged texts of each kind (default 2000)")
    ask.add_argument("--case", nargs=3, help=argparse.SUPPRESS)
    options = ask.parse_args()
    if options.case:
        hostile(*options.case)
        return
    for suffix, readers in READERS.items():
        names = list(readers)
        if suffix == ".dae" and find_spec("collada") is None:
            print("pycollada is not installed and left out: pip install pycollada")
            names.remove("pycollada")
        show_hostile(suffix, names)
        show_damaged(suffix, names, options.damaged)
        if options.paths:
            show_real(suffix, names, options.paths)


if __name__ == "__main__":
    main()
