"""Runs the main comparisons of solvers: tables on standard output, and a page with pictures.

    python -m benchmarks.report [--pairs 200] [--paths 6] [--into build/bench]
    python -m benchmarks.report --into docs            writes the page that the documents include

It solves the ERIK paper's grids and gaze paths, and compares the other libraries (see `benchmarks.sweep`,
`benchmarks.warm`, `benchmarks.peers`). Results of grids and paths
that the same code has computed before are read from build/sweep.
"""

import json
import platform
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from . import plots, warm
from .contestants import ENTRIES
from .jobs import FOLDER, ROOT
from .page import PAGE
from .paper import BODIES
from .paper_tables import GRID, PAPER_ROWS, headlines
from .peers import ROUNDS, TASKS, Row
from .peers import table as peers_table
from .runners import usable_cores
from .sweep import PAIRS, Sweep, arguments, gather, run, solvers_for_orientations
from .tables import WITHOUT_POSTURE, Glance, Results, glance_table, glances, summary_table, table_8, table_9
from .two_priority import VARIANTS
from .walks import Figures

Walked = Mapping[tuple[str, str, str], Figures]


class Race(NamedTuple):
    """Results of the libraries, and the reasons why others are missing."""

    rows: list[Row]
    missing: dict[str, str]


def raced(tasks: int, rounds: int) -> Path:
    """Runs `benchmarks.peers` in a separate process, which pins itself to one core; returns the file with its
    results.
    """
    out = FOLDER / "peers.json"
    command = [
        sys.executable,
        "-m",
        "benchmarks.peers",
        "--tasks",
        str(tasks),
        "--rounds",
        str(rounds),
        "--json",
        str(out),
    ]
    subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    return out


def kept_race(path: Path) -> Race:
    """Results in a file written by `benchmarks.peers --json`."""
    record = json.loads(path.read_text())
    return Race([Row(**row) for row in record["rows"]], record["missing"])


def machine() -> str:
    """Description of this computer."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [
            line.partition(":")[2].strip()
            for line in cpuinfo.read_text().splitlines()
            if line.startswith("model name")
        ]
        model = names[0] if names else model
    return f"{model}, {usable_cores()} cores; Python {platform.python_version()}, numpy {np.__version__}"


def page(
    rows: Sequence[Glance], results: Results, papers: Results, walked: Walked, race: Race, sizes: str
) -> str:
    """The page in Markdown; `papers` are the results on the paper's own postures."""
    of_table = {key: answer for key, answer in results.items() if key[1] not in VARIANTS}
    return PAGE.format(
        sizes=sizes,
        machine=machine(),
        glance="\n".join(glance_table(rows)),
        peers="\n".join(peers_table(race.rows)),
        missing="".join(f"Left out: {ENTRIES[name].label}: {why}.\n\n" for name, why in race.missing.items()),
        table_8="\n".join(table_8(papers, PAPER_ROWS)),
        table_9="\n".join(table_9(papers, PAPER_ROWS)),
        headlines="\n".join(headlines(papers)),
        summary="\n".join(summary_table(of_table)),
        paths="\n".join(warm.table(walked)),
    )


def main() -> None:
    ask = arguments(__doc__)
    ask.add_argument("--pairs", type=int, default=PAIRS, help="for each skeleton (default %(default)s)")
    ask.add_argument(
        "--paths", type=int, default=warm.PATHS, help="of each kind for each skeleton (default %(default)s)"
    )
    ask.add_argument("--tasks", type=int, default=TASKS, help="of the race (default %(default)s)")
    ask.add_argument("--rounds", type=int, default=ROUNDS, help="of the race (default %(default)s)")
    ask.add_argument(
        "--race",
        type=Path,
        metavar="PEERS.json",
        help="take the race from what `benchmarks.peers --json` kept",
    )
    ask.add_argument(
        "--into", type=Path, default=ROOT / "build" / "bench", help="folder of the page (default build/bench)"
    )
    options = ask.parse_args()
    began = time.monotonic()
    pictures = options.into / "pictures"
    pictures.mkdir(parents=True, exist_ok=True)
    FOLDER.mkdir(parents=True, exist_ok=True)

    print("Race", file=sys.stderr, flush=True)
    race = kept_race(options.race or raced(options.tasks, options.rounds))
    print("Pairs", file=sys.stderr, flush=True)
    names, solvers = list(BODIES), list(dict.fromkeys([*solvers_for_orientations(), *VARIANTS]))
    sweep = Sweep(options.pairs)
    results = gather(
        sweep, run(sweep, names, solvers, options.folder, options.scheduler, options.workers), names, solvers
    )
    print("The paper's pairs", file=sys.stderr, flush=True)
    own_sweep, of_paper = Sweep(options.pairs, grids=GRID), [*PAPER_ROWS, WITHOUT_POSTURE]
    papers = gather(
        own_sweep,
        run(own_sweep, names, of_paper, options.folder, options.scheduler, options.workers),
        names,
        of_paper,
    )
    print("Paths", file=sys.stderr, flush=True)
    walked = warm.run(
        warm.SKELETONS,
        solvers_for_orientations(),
        options.paths,
        options.folder,
        options.scheduler,
        options.workers,
    )

    rows = glances(results, walked)
    sizes = f"{options.pairs} pairs of each skeleton, {options.paths} paths of each kind"
    text = page(rows, results, papers, walked, race, sizes)
    (options.into / "benchmarks.md").write_text(text)
    plots.glance(rows, pictures / "solvers_glance.png")
    plots.race(race.rows, pictures / "solvers_peers.png")
    plots.distributions(results, pictures / "solvers_errors.png")
    plots.skeletons(results, pictures / "solvers_skeletons.png")
    plots.dls(results, pictures / "solvers_dls.png")
    print(text)
    print(
        f"{options.into / 'benchmarks.md'}, with its pictures, in {time.monotonic() - began:.0f} s",
        file=sys.stderr,
    )


if __name__ == "__main__":
    main()
