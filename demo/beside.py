"""Another solver's solutions for the frames of a take, with their figures and pictures."""

from contextlib import contextmanager
from dataclasses import dataclass
from math import degrees

import bpy
import figures
import installed
import numpy as np

POP = 15.0  # [degrees] step of a joint in one frame that looks like a jump


@dataclass(frozen=True)
class Rival:
    """Solutions of a solver for the frames of a take, one after another, without a motion filter."""

    label: str
    solutions: list

    def report(self) -> dict:
        aim, shape = (
            [degrees(getattr(way, key)) for way in self.solutions] for key in ("aim_error", "shape_deviation")
        )
        steps = np.degrees(np.abs(np.diff([way.angles for way in self.solutions], axis=0)).max(1))
        return {
            "aim_error_deg": figures.spread(aim),
            "shape_deviation_deg": figures.spread(shape),
            "posture_error": float(np.mean([way.posture_error for way in self.solutions])),
            "pops": int((steps > POP).sum()),
            "ms": figures.quantiles(1e3 * np.array([way.seconds for way in self.solutions])),
        }


def solve(take, name: str) -> Rival:
    """Solves the goals of a take with the solver of that name."""
    table = installed.module("solvers.table")
    solver, solutions = table.make_solver(name, take.skeleton), []
    answer = installed.module("character.one_thread").in_one_thread()(solver.solve)
    for goal in take.goals:
        last = solutions[-1] if solutions else None
        solutions.append(answer(goal, last.angles if last else None, last.memory if last else None))
    return Rival(table.SOLVERS[name].label, solutions)


def farthest(take, rival: Rival, rows: list[tuple[str, tuple[int, ...]]]) -> tuple[str, tuple[int, ...]]:
    """The row of pictured frames in which the rival's shape deviation exceeds the take's the most."""

    def more(frames: tuple[int, ...]) -> float:
        return sum(
            rival.solutions[frame - 1].shape_deviation - take.solutions[frame - 1].shape_deviation
            for frame in frames
        )

    return max(rows, key=lambda row: more(row[1]))


@contextmanager
def live_with(chain, name: str):
    """Context manager in which the chain is live with another solver, so that each frame shows that solver's
    solution.
    """
    before = chain.solver
    chain.solver = name
    bpy.ops.limber.live()
    yield
    bpy.ops.limber.end_live()
    chain.solver = before
