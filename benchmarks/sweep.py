"""Solvers on grids over the ERIK paper's postures and targets (its section 4.0.3), skeletons A to G, each
pair from scratch.

    python -m benchmarks.sweep [--pairs 200] [--skeletons ABCDEFG] [--solvers erik dls400 ...]
    python -m benchmarks.sweep --grid facing ...                             the paper's own postures (or
        --grid roll: see `NestedGrid`)
    python -m benchmarks.sweep --full --grid facing --skeletons C --solvers erik           all of them: days
    python -m benchmarks.sweep --scheduler tcp://HOST:8786 ...               on a Dask cluster

Runs on all local cores. Answers are kept chunk by chunk in a folder, so that the same command after an
interrupt, or with more solvers, goes on where it was; another seed, size or version of the code has a folder
of its own. Workers of a cluster must be started in this checkout or a copy of it. Wherever it ran, the same
pairs have the same answers, to the bit; only the times differ.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from limber.batch.spread import SpreadError
from limber.solvers.goals import GazeError, Orientation
from limber.solvers.table import SOLVERS

from . import runners
from .chunks import Chunk
from .jobs import FOLDER, Answer, folder_for, kept
from .paper import BODIES, Grid, NestedGrid, Pairs
from .tables import summary_table
from .two_priority import VARIANTS

PAIRS, CHUNK = 200, 50  # pairs of a skeleton; of them in a chunk: some seconds for the slowest solver
FULL_CHUNK = 5000
Grids = Literal["even", "roll", "facing"]  # `Grid`, or a `NestedGrid` of such targets
Results = dict[tuple[str, str], Answer]  # by skeleton and solver


@dataclass(frozen=True)
class Sweep:
    """What is solved; solvers and skeletons apart, of which there may be more at the next run."""

    pairs: int = PAIRS
    seed: int = 0
    full: bool = False
    chunk: int = CHUNK
    grids: Grids = "even"

    def grid(self, name: str) -> Pairs:
        return Grid(name) if self.grids == "even" else NestedGrid(name, self.grids)

    def chunks(self, name: str, solver: str) -> Iterator[Chunk]:
        """All of one skeleton and solver, in order."""
        grid = self.grid(name)
        indices: Sequence[int] = range(grid.size) if self.full else grid.sample(self.pairs, self.seed)
        for number, first in enumerate(range(0, len(indices), self.chunk)):
            yield Chunk(grid, solver, number, indices[first : first + self.chunk])

    def count(self, name: str) -> int:
        """Chunks of one skeleton and solver."""
        return -(-(self.grid(name).size if self.full else self.pairs) // self.chunk)

    def folder(self, root: Path) -> Path:
        """Where its answers are kept."""
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
    """Solves what is not kept yet; the folder with all answers. Raises what `runners.complete` and solvers
    do.
    """
    folder = sweep.folder(root)
    jobs = (chunk for name in names for solver in solvers for chunk in sweep.chunks(name, solver))
    runners.complete(jobs, len(solvers) * sum(map(sweep.count, names)), folder, scheduler, workers)
    return folder


def gather(sweep: Sweep, folder: Path, names: Sequence[str], solvers: Sequence[str]) -> Results:
    """All kept answers, each (pairs, ...) in the order of the grid or sample."""
    results = {}
    for name in names:
        for solver in solvers:
            answers = [kept(folder, chunk) for chunk in sweep.chunks(name, solver)]
            results[name, solver] = {
                field: np.concatenate([answer[field] for answer in answers]) for field in answers[0]
            }
    return results


def arguments(text: str | None) -> argparse.ArgumentParser:
    """What every command that sweeps can be asked."""
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
    """How many pairs, and which."""
    ask.add_argument("--pairs", type=int, default=pairs, help="for each skeleton (default %(default)s)")
    ask.add_argument("--seed", type=int, default=0)
    ask.add_argument(
        "--grid",
        choices=get_args(Grids),
        default=grid,
        help="grid of the pairs: `benchmarks.paper` (default %(default)s)",
    )


def asked_skeletons(ask: argparse.ArgumentParser, letters: str) -> list[str]:
    """Those letters, or the command ends."""
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
    except (SpreadError, GazeError) as error:
        sys.exit(str(error))
    print("\n".join(summary_table(gather(sweep, folder, names, options.solvers))))
    print(f"answers: {folder}")


if __name__ == "__main__":
    main()
