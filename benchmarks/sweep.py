"""Solves grids of the ERIK paper's postures and targets (its section 4.0.3) with several solvers, for
skeletons A to G, each pair from scratch.

    python -m benchmarks.sweep [--pairs 200] [--skeletons ABCDEFG] [--solvers erik dls400 ...]
    python -m benchmarks.sweep --grid facing ...
        the paper's own postures (or --grid roll: see `NestedGrid`)
    python -m benchmarks.sweep --full --grid facing --skeletons C --solvers erik
        all pairs of the grid: takes days
    python -m benchmarks.sweep --scheduler tcp://HOST:8786 ...
        on a Dask cluster

It uses all local cores. Results are stored chunk by chunk in a folder, so that the same command continues
after an interrupt, or with more solvers; another seed, size or version of the code has another folder.
Workers of a cluster must be started in this checkout or a copy of it. The same pairs give the same results
everywhere, bit for bit; only the times differ.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from limber.batch.workers import WorkersError
from limber.solvers.goals import GazeError, Orientation
from limber.solvers.table import SOLVERS

from . import runners
from .chunks import Chunk
from .jobs import FOLDER, Answer, folder_for, kept
from .paper import BODIES, Grid, NestedGrid, Pairs
from .tables import summary_table
from .two_priority import VARIANTS

# number of pairs of a skeleton; number of pairs in a chunk: some seconds for the slowest solver
PAIRS, CHUNK = 200, 50
FULL_CHUNK = 5000  # number of pairs in a chunk of a full sweep
Grids = Literal["even", "roll", "facing"]  # "even": `Grid`; others: `NestedGrid` with these targets
Results = dict[tuple[str, str], Answer]  # (skeleton, solver) -> results


@dataclass(frozen=True)
class Sweep:
    """Settings of a sweep, without solvers and skeletons, which may be added in the next run."""

    pairs: int = PAIRS
    seed: int = 0
    full: bool = False
    chunk: int = CHUNK
    grids: Grids = "even"

    def grid(self, name: str) -> Pairs:
        return Grid(name) if self.grids == "even" else NestedGrid(name, self.grids)

    def chunks(self, name: str, solver: str) -> Iterator[Chunk]:
        """All chunks of one skeleton and solver, in order."""
        grid = self.grid(name)
        indices: Sequence[int] = range(grid.size) if self.full else grid.sample(self.pairs, self.seed)
        for number, first in enumerate(range(0, len(indices), self.chunk)):
            yield Chunk(grid, solver, number, indices[first : first + self.chunk])

    def count(self, name: str) -> int:
        """Number of chunks of one skeleton and solver."""
        return -(-(self.grid(name).size if self.full else self.pairs) // self.chunk)

    def folder(self, root: Path) -> Path:
        """Folder of the sweep's stored results."""
        return folder_for(root, json.dumps(asdict(self)))


def solvers_for_orientations() -> list[str]:
    """Names of the table's solvers that can match an orientation."""
    return [name for name, info in SOLVERS.items() if info.supports(Orientation)]


def run(
    sweep: Sweep,
    names: Sequence[str],
    solvers: Sequence[str],
    root: Path = FOLDER,
    scheduler: str = "",
    workers: int = 0,
) -> Path:
    """Solves the pairs without stored results; returns the folder with all results. Raises the errors of
    `runners.complete` and of the solvers.
    """
    folder = sweep.folder(root)
    jobs = (chunk for name in names for solver in solvers for chunk in sweep.chunks(name, solver))
    runners.complete(jobs, len(solvers) * sum(map(sweep.count, names)), folder, scheduler, workers)
    return folder


def gather(sweep: Sweep, folder: Path, names: Sequence[str], solvers: Sequence[str]) -> Results:
    """All stored results, each (pairs, ...), in the order of the grid or sample."""
    results = {}
    for name in names:
        for solver in solvers:
            answers = [kept(folder, chunk) for chunk in sweep.chunks(name, solver)]
            results[name, solver] = {
                field: np.concatenate([answer[field] for answer in answers]) for field in answers[0]
            }
    return results


def arguments(text: str | None) -> argparse.ArgumentParser:
    """Parser with the options of every command that sweeps."""
    ask = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument(
        "--skeletons", default="".join(BODIES), help="letters of the paper's Table 5 (default %(default)s)"
    )
    ask.add_argument(
        "--folder", type=Path, default=FOLDER, help="where answers are kept (default build/sweep)"
    )
    ask.add_argument("--workers", type=int, default=0, help="local processes (default: one a core)")
    ask.add_argument("--scheduler", default="", metavar="ADDRESS", help="of a Dask cluster to run on instead")
    return ask


def add_sample(ask: argparse.ArgumentParser, pairs: int, grid: Grids = "even") -> None:
    """Adds the options for number, seed and grid of the pairs, with these defaults."""
    ask.add_argument("--pairs", type=int, default=pairs, help="for each skeleton (default %(default)s)")
    ask.add_argument("--seed", type=int, default=0)
    ask.add_argument(
        "--grid",
        choices=get_args(Grids),
        default=grid,
        help="grid of the pairs: `benchmarks.paper` (default %(default)s)",
    )


def asked_skeletons(ask: argparse.ArgumentParser, letters: str) -> list[str]:
    """Names of the skeletons with these letters, each once; ends the command if the paper has no skeleton for
    a letter.
    """
    names = list(dict.fromkeys(letters.upper()))
    unknown = [name for name in names if name not in BODIES]
    if unknown:
        ask.error(f"there is no skeleton {', '.join(unknown)}: choose of {''.join(BODIES)}")
    return names


def main() -> None:
    ask = arguments(__doc__)
    add_sample(ask, PAIRS)
    ask.add_argument("--full", action="store_true", help="every pair of the grid")
    ask.add_argument(
        "--solvers",
        nargs="+",
        metavar="NAME",
        default=[*solvers_for_orientations(), *VARIANTS],
        help="default: %(default)s",
    )
    options = ask.parse_args()
    names = asked_skeletons(ask, options.skeletons)
    sweep = Sweep(
        options.pairs, options.seed, options.full, FULL_CHUNK if options.full else CHUNK, options.grid
    )
    try:
        folder = run(sweep, names, options.solvers, options.folder, options.scheduler, options.workers)
    except (WorkersError, GazeError) as error:
        sys.exit(str(error))
    print("\n".join(summary_table(gather(sweep, folder, names, options.solvers))))
    print(f"answers: {folder}")


if __name__ == "__main__":
    main()
