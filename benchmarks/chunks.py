"""The unit of work of a sweep: some pairs of one skeleton with one solver; the same bits wherever it is done.

A chunk travels to another process or machine and back as it is. Its answer is kept as a file, written whole or not at all.
"""

import ast
import hashlib
import os
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from limber.solvers.erik.parameters import Hyperparameters
from limber.solvers.erik.solver import Erik
from limber.solvers.gaze import GazeSolver
from limber.solvers.skeleton import Skeleton
from limber.solvers.table import make_solver

from .paper import Grid, skeleton_of
from .two_priority import VARIANTS, TwoPriority

ROOT = Path(__file__).resolve().parents[1]
ERIK_WITH = "erik "  # begins the name of an ERIK with another value: "erik max_iterations=4"
TIMES = "seconds"  # the one field that differs from run to run
Answer = dict[str, np.ndarray]


@dataclass(frozen=True)
class Chunk:
    """Pairs by their places in a grid."""

    grid: Grid
    solver: str  # of the table of solvers, of `two_priority`, or ERIK with another value
    number: int
    places: Sequence[int]

    @property
    def file(self) -> str:
        return f"{stem(self.grid.name, self.solver)}{self.number:07d}.npz"


def stem(name: str, solver: str) -> str:
    """What the files of one skeleton and solver begin with."""
    plain = re.sub(r"[^\w.=-]", "_", solver)
    return f"{name}-{plain}-"


def solver_of(name: str, skeleton: Skeleton) -> GazeSolver:
    """The solver of that name, or of a configuration of the paper's."""
    if name in VARIANTS:
        return TwoPriority(skeleton, *VARIANTS[name])
    if name.startswith(ERIK_WITH):
        field, _, value = name.removeprefix(ERIK_WITH).partition("=")
        return Erik(skeleton, replace(Hyperparameters(), **{field: ast.literal_eval(value)}))
    return make_solver(name, skeleton)


def solve_chunk(chunk: Chunk) -> tuple[str, Answer]:
    """The digest of the code that solved, and the answers: each pair from scratch, angles (m, n), the rest (m,)."""
    solver = solver_of(chunk.solver, skeleton_of(chunk.grid.name))
    solutions, seconds = [], []
    for place in chunk.places:
        goal = chunk.grid.pair(place)
        began = time.perf_counter()
        solutions.append(solver.solve(goal))
        seconds.append(time.perf_counter() - began)
    answer = {
        "angles": np.array([solution.angles for solution in solutions]),
        "orientation": np.array([solution.orientation_error for solution in solutions]),
        "posture": np.array([solution.posture_error for solution in solutions]),
        "aim": np.array([solution.aim_error for solution in solutions]),  # [rad]
        "shape": np.array([solution.shape_deviation for solution in solutions]),  # [rad]
        "iterations": np.array([solution.iterations for solution in solutions]),
        TIMES: np.array(seconds),
    }
    return code_digest(), answer


@cache
def code_digest() -> str:
    """Of the code that answers depend on."""
    files = sorted((ROOT / "solvers").rglob("*.py")) + [ROOT / "benchmarks" / f"{name}.py" for name in ("chunks", "paper", "two_priority")]
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.relative_to(ROOT).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def keep(folder: Path, chunk: Chunk, answer: Answer) -> None:
    """Writes the answer's file in one move: a run that is killed leaves no half of one."""
    unfinished = folder / f"{chunk.file}.{os.getpid()}.part"
    with unfinished.open("wb") as file:
        np.savez(file, **answer)
    unfinished.replace(folder / chunk.file)


def kept(folder: Path, chunk: Chunk) -> Answer:
    """The answer that was kept."""
    with np.load(folder / chunk.file) as file:
        return dict(file)
