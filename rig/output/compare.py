"""Comparison of solvers on a chain: each suitable solver solves the same frames, and a table shows the
results.

The scene does not change; the table is for this session only.
"""

from dataclasses import dataclass, field
from math import degrees
from statistics import fmean, median
from time import perf_counter
from typing import NamedTuple

import bpy
import numpy as np

from ...character.one_thread import in_one_thread
from ...solvers.gaze import GazeSolution, GazeSolver
from ...solvers.goals import GazeError, GazeGoal
from ...solvers.kinematics.skeleton import Skeleton
from ...solvers.table import SOLVERS, make_solver
from ..blender.errors import RigError
from ..bones.hanging import HangingBones
from ..chains import chain as build
from ..chains.skeleton import ChainReader
from ..live import live
from ..live.chain_session import SETUP_ERRORS
from ..live.movers import mover_of
from ..live.stage import SceneStage
from . import discontinuities
from .stepped import SteppedJob

# number of solves of a solver's first frame; the first solve, which fills caches, is left out of the median
# time
REPEATS = 5
REPEAT_FOR = 0.1  # [s] time after which no further solve of that frame begins


class ComparedColumn(NamedTuple):
    """A column of the comparison's table."""

    heading: str
    meaning: str
    digits: int
    needs_position: bool = False  # whether the column has values only for goals with a position


COLUMNS: dict[str, ComparedColumn] = {
    "aim": ComparedColumn("Aim", "Largest error of an end's direction, in degrees: mean of all frames", 3),
    "distance": ComparedColumn(
        "Position", "Largest error of an end's position, in millimetres: mean of all frames", 1, True
    ),
    "shape": ComparedColumn(
        "Shape", "Shape deviation, the visible difference to the posture, in degrees: mean of all frames", 2
    ),
    "jumps": ComparedColumn(
        "Jumps",
        f"Frames in which a joint rotates by more than {degrees(discontinuities.ROTATION):.0f} degrees, or"
        f" moves by more than {discontinuities.SHARE:.0%} of its range, at once",
        0,
    ),
    "milliseconds": ComparedColumn("ms", "Time for a frame in milliseconds: median", 2),
    "iterations": ComparedColumn("Steps", "Iterations as the solver counts them: mean", 1),
    "orientation": ComparedColumn("Orient.", "The ERIK paper's orientation error, 0 to 1: mean", 4),
    "posture": ComparedColumn("Posture", "The ERIK paper's posture error, weighted, 0 to 1: mean", 4),
    "worst": ComparedColumn("Worst", "Largest error of an end's direction in any frame, in degrees", 2),
}


@dataclass(frozen=True)
class ComparedSolver:
    """Results of one solver; without numbers if the solver cannot be used."""

    name: str
    label: str
    figures: dict[str, float] = field(default_factory=dict)  # key of a column -> number of the row
    why_not: str = ""


@dataclass
class ComparisonTable:
    """Table with the results of a comparison of solvers."""

    rows: list[ComparedSolver]
    frames: range
    remark: str = ""  # sentence on frames that could not be compared
    column: str = ""  # key of the column by which rows are sorted; "": the order of the table of solvers
    is_reversed: bool = False

    @property
    def columns(self) -> list[str]:
        """Keys of the columns; those for positions only if a solver misses one."""
        has_positions = any(row.figures.get("distance", 0.0) > 0.0 for row in self.rows)
        return [key for key, column in COLUMNS.items() if has_positions or not column.needs_position]

    def sort(self, column: str) -> None:
        """Sorts the table by a column; a second call with the same column reverses the order. Solvers that
        cannot be used stay at the end.
        """
        self.is_reversed = column == self.column and not self.is_reversed
        self.column = column

    def sorted_rows(self) -> list[ComparedSolver]:
        """The rows in the chosen order; solvers that cannot be used come last."""
        usable = [row for row in self.rows if not row.why_not]
        if self.column == "name":
            usable.sort(key=lambda row: row.label.lower(), reverse=self.is_reversed)
        elif self.column:
            usable.sort(key=lambda row: row.figures[self.column], reverse=self.is_reversed)
        return usable + [row for row in self.rows if row.why_not]

    def csv(self) -> str:
        """The table as comma-separated values with full precision."""
        keys = list(COLUMNS)
        lines = [",".join(("solver", *keys, "not available"))]
        for row in self.sorted_rows():
            figures = [repr(row.figures[key]) if key in row.figures else "" for key in keys]
            lines.append(",".join((row.name, *figures, f'"{row.why_not}"' if row.why_not else "")))
        return "\n".join(lines) + "\n"


# each chain's last comparison, by the armature object's session_uid and the chain's uid
_tables: dict[tuple[int, str], ComparisonTable] = {}


def table(rig: bpy.types.Object, chain: bpy.types.PropertyGroup) -> ComparisonTable | None:
    """The last comparison of a chain in this session; None if there is none."""
    return _tables.get((rig.session_uid, chain.uid))


def forget() -> None:
    """Discards all tables, before Blender frees the data that they refer to."""
    _tables.clear()


def set_as_text(key: str, value: float) -> str:
    """A number of a row as text, with the digits of its column (`key`)."""
    return f"{value:.{COLUMNS[key].digits}f}"


class _Contestant:
    """One solver, with its state and results, during a comparison."""

    def __init__(self, name: str, options: object) -> None:
        self.name, self.options = name, options
        self.skeleton: Skeleton | None = None
        self.solver: GazeSolver | None = None
        self.last: GazeSolution | None = None
        self.solutions: list[GazeSolution] = []
        self.distances: list[float] = []
        self.angles: list[float] = []
        self.seconds: list[float] = []
        self.jumps = 0

    def solve(self, skeleton: Skeleton, goal: GazeGoal, repeats: int, dt: float) -> None:
        """Solves the next frame, `dt` [s] after the last, and stores its errors, its time and whether a joint
        jumps. To measure the time it solves up to `repeats` times from the same start, for `REPEAT_FOR`.
        """
        if skeleton is not self.skeleton:
            self.skeleton, self.solver = skeleton, make_solver(self.name, skeleton, self.options)
        start, memory = (self.last.angles, self.last.memory) if self.last else (None, None)
        solutions, until = [], perf_counter() + REPEAT_FOR
        while len(solutions) < repeats and (not solutions or perf_counter() < until):
            solutions.append(self.solver.solve(goal, start=start, memory=memory, dt=dt))
        solution = solutions[-1]
        if self.last is not None and len(self.last.angles) == len(solution.angles):
            self.jumps += bool((np.abs(solution.angles - self.last.angles) > _largest_steps(skeleton)).any())
        self.last = solution
        self.solutions.append(solution)
        self.seconds.append(median(repeated.seconds for repeated in solutions[min(1, len(solutions) - 1) :]))
        self.angles.append(max(error.angle for error in solution.measured.errors))
        self.distances.append(max(error.distance for error in solution.measured.errors))

    def row(self) -> ComparedSolver:
        """The solver's row of the table."""
        solutions = self.solutions
        figures = {
            "aim": degrees(fmean(self.angles)),
            "worst": degrees(max(self.angles)),
            "distance": 1e3 * fmean(self.distances),
            "shape": degrees(fmean(solution.shape_deviation for solution in solutions)),
            "jumps": float(self.jumps),
            "milliseconds": 1e3 * median(self.seconds),
            "iterations": fmean(solution.iterations for solution in solutions),
            "orientation": fmean(solution.orientation_error for solution in solutions),
            "posture": fmean(solution.posture_error for solution in solutions),
        }
        return ComparedSolver(self.name, SOLVERS[self.name].label, figures)


def _largest_steps(skeleton: Skeleton) -> np.ndarray:
    """Largest motion (n,) [rad; prismatic joints m] of each joint from one frame to the next that is no
    discontinuity.
    """
    return np.array(
        [
            discontinuities.beyond(joint.lower, joint.upper, joint.kind == "prismatic")
            for joint in skeleton.joints
        ]
    )


class Comparison(SteppedJob):
    """A comparison of solvers on some frames; one step solves one frame with one solver. Both `finish` and
    `cancel` restore the scene.

    Args:
        scene: The scene with the chain's rig.
        rig, chain: The chain.
        frames: Frames to compare, in order; None: only the current one.

    Raises:
        RigError: the range is empty, the chain cannot be read, or no solver can be used.
    """

    def __init__(
        self,
        scene: bpy.types.Scene,
        rig: bpy.types.Object,
        chain: bpy.types.PropertyGroup,
        frames: range | None = None,
    ) -> None:
        if frames is not None and not frames:
            raise RigError(
                f"The range to compare ends at frame {frames.stop - 1}, before it starts at {frames.start}:"
                " exchange the two"
            )
        self.rig, self.chain, self.mover = rig, chain, mover_of(rig, chain)
        self.moves = frames is not None
        self.frames = frames or range(scene.frame_current, scene.frame_current + 1)
        try:
            reader = ChainReader(rig, chain, HangingBones(rig))
            build.skeleton_now(rig, chain)
        except SETUP_ERRORS as error:
            raise RigError(str(error)) from error
        self.refused = {name: build.why_not_solver(rig, chain, name) for name in SOLVERS}
        self.contestants = [
            _Contestant(name, build.solver_options(chain, name, reader))
            for name, why in self.refused.items()
            if not why
        ]
        if not self.contestants:
            raise RigError(next(iter(self.refused.values())))
        self.pairs = [
            (rig, chain),
            *(pair for pair in live.live_movers(scene) if (pair[0], pair[1].uid) != (rig, chain.uid)),
        ]
        self.stage = SceneStage({(rig.session_uid, chain.uid): self.contestants[0].name})
        self.done = 0  # number of completed steps
        self.left_out: dict[int, str] = {}  # frame without a goal -> the reason
        self._goal: tuple[Skeleton, GazeGoal] | None = None
        super().__init__(scene)

    @property
    def total(self) -> int:
        """Number of steps of the comparison."""
        return len(self.frames) * len(self.contestants)

    @property
    def frame(self) -> int:
        """Scene frame of the comparison's next step."""
        return self.frames[min(self.done // len(self.contestants), len(self.frames) - 1)]

    @in_one_thread()
    def step(self) -> bool:
        """Solves one frame with one solver; returns whether there are more steps.

        Raises:
            RigError: the setup cannot be solved in the first frame.
        """
        contestant = self.contestants[self.done % len(self.contestants)]
        if contestant is self.contestants[0]:
            self._read_frame()
        if self._goal:
            skeleton, goal = self._goal
            try:
                repeats = 1 if self.moves and contestant.solutions else REPEATS
                contestant.solve(skeleton, goal, repeats, self.seconds_a_frame)
            except GazeError as error:
                self.left_out[self.frame] = str(error)
        self.done += 1
        return self.done < self.total

    def _read_frame(self) -> None:
        """Reads the goal of a frame, as the first solver and the other movers leave it; without one, stores
        the reason.

        Raises:
            RigError: the setup cannot be solved in the first frame.
        """
        frame, first = self.frame, self.done == 0
        if self.moves:
            self.scene.frame_set(frame)
        self.stage.advance(
            self.pairs, bpy.context.evaluated_depsgraph_get(), 0.0 if first else self.seconds_a_frame
        )
        session = self.stage.session(self.rig, self.chain)
        self._goal = None
        if session.problem:
            if session.outputs is None:
                raise RigError(f"Frame {frame}: {session.problem}")
            self.left_out[frame] = session.problem
        else:
            self._goal = session.model.skeleton, session.outputs.goal

    def finish(self) -> ComparisonTable:
        """Ends the comparison; returns the table, which is also stored for the panel."""
        self._end()
        rows_by_name = {
            contestant.name: contestant.row() for contestant in self.contestants if contestant.solutions
        }
        why = next(iter(self.left_out.values()), "")
        rows = [
            rows_by_name.get(name)
            or ComparedSolver(name, SOLVERS[name].label, why_not=self.refused[name] or why)
            for name in SOLVERS
        ]
        remark = ""
        if self.left_out:
            remark = f"Frames left out: {len(self.left_out)}. Frame {next(iter(self.left_out))}: {why}"
        _tables[self.rig.session_uid, self.chain.uid] = new_table = ComparisonTable(rows, self.frames, remark)
        return new_table

    @property
    def keeps_unkeyed(self) -> bool:
        return self.moves

    def _put_back(self) -> None:
        if self.moves:
            super()._put_back()
