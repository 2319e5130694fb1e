"""Report on the path of a frame: its files and functions, with counts."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .tracing import Calls
from .worker import ROOT

if TYPE_CHECKING:
    from .lamp import Path  # needs Blender
    from .tracing import Tracer

PROCESSES = {"blender": "Blender", "worker": "Hardware worker"}


def lines(path: "Path", with_names: bool) -> Iterator[str]:
    """Lines with the files of both processes in the order of their first calls, then counts by package."""
    parts = {process: functions(getattr(path, process)) for process in PROCESSES}
    for process, functions_by_file in parts.items():
        count = sum(map(len, functions_by_file.values()))
        yield f"{PROCESSES[process]}: {len(functions_by_file)} files, {count} functions"
        for file, names in functions_by_file.items():
            yield f"  {file:58} {len(names):3} of its functions"
            if with_names:
                yield from (f"      {name}" for name in names)
        yield ""
    yield f"{'files by package':32} {'Blender':>10} {'worker':>10} {'both':>10}"
    counted = [
        *(Counter(map(package, functions_by_file)) for functions_by_file in parts.values()),
        Counter(map(package, path.files)),
    ]
    for name in sorted(counted[-1]):
        yield f"{name:32} " + " ".join(f"{count[name] or '-':>10}" for count in counted)
    yield f"{'together':32} " + " ".join(f"{count.total():>10}" for count in counted)
    yield f"{'lines of these files':32} " + " ".join(
        f"{total_lines(files):>10}" for files in (*parts.values(), path.files)
    )


def functions(calls: Calls) -> dict[str, list[str]]:
    """Functions by file, both in the order of their first calls."""
    functions_by_file: dict[str, list[str]] = {}
    for file, name in calls:
        functions_by_file.setdefault(file, []).append(name)
    return functions_by_file


def package(file: str) -> str:
    """The first two folders of a file, such as "rig/live"; the file itself if it is in no folder."""
    return "/".join(file.split("/")[:-1][:2]) or file


def total_lines(files: list[str] | dict[str, list[str]]) -> int:
    return sum(len((ROOT / file).read_text(encoding="utf-8").splitlines()) for file in files)


def record(path: "Path") -> dict:
    """The path of a frame as JSON values."""
    return {
        "number": path.number,
        "files": len(path.files),
        "lines": total_lines(path.files),
        **{process: functions(getattr(path, process)) for process in PROCESSES},
        **crossings(path),
    }


def crossings(path: "Path | Tracer") -> dict:
    """The number of crossings into the engine, and the engine's calls back, as JSON values."""
    return {"crossings": path.crossings, "calls_back": list(path.calls_back)}
