"""Tests that a kind of aim defined by a Python class alone works with every solver: the one of
docs/extending.md, and one for a position.
"""

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from limber.solvers.aims.aim import Aim
from limber.solvers.aims.blocks import BlockErrors
from limber.solvers.exact_aim import correct
from limber.solvers.goals import GazeGoal, GoalKindError, TargetError
from limber.solvers.kernel.library import kernel
from limber.solvers.kinematics.rotations import Vector, X, length, rotate, subtract, unit, vector_angle
from limber.solvers.kinematics.skeleton import Skeleton
from limber.solvers.table import SOLVERS, make_solver, unavailable

from tests.solvers.chains import lamp, unit_chain

EXACT = 1e-3  # [rad, or relative to the reach] tolerance
THRESHOLD = math.radians(6.5)  # [rad] tolerance for ERIK, whose threshold is not the angle alone
NAMES = list(SOLVERS)
CENTRE = (1.0, 2.0, 1.0)  # [m] point from which a distance is kept
FRAMES, SETTLED = 90, 60  # number of frames of a motion, and number after which the aim must be exact
DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "extending.md"


def profile() -> type[Aim]:
    """The class defined in the document."""
    section = DOCUMENT.read_text(encoding="utf-8").split("## A gaze goal")[1].split("\n## ")[0]
    code = re.search(r"```python\n(.*?)```", section, re.S)
    assert code is not None
    names: dict[str, Any] = {"__name__": __name__}
    exec(code[1], names)
    kind: type[Aim] = names["Profile"]
    return kind


PROFILE: Any = profile()


@dataclass(frozen=True)
class Distance(Aim):
    """Aim: the tool is at the distance `distance` [m] from `position` (base frame)."""

    position: Vector
    distance_kept: float
    words = "keep a distance"
    kind = "position"

    def errors(self, rotations, positions, reach, sides=None):
        away = positions - np.array(self.position)
        far = np.linalg.norm(away, axis=1, keepdims=True)
        return BlockErrors((self.distance_kept - far) / reach, None, (away / far / reach)[:, :, None])


def side_error(skeleton: Skeleton, angles: Any, aim: Any) -> float:
    return vector_angle(rotate(skeleton.forward(angles).tool_rotation, X), unit(aim.vector))


def distance_error(skeleton: Skeleton, angles: Any, aim: Distance) -> float:
    away = subtract(skeleton.forward(angles).tool_position, aim.position)
    return abs(length(away) - aim.distance_kept) / skeleton.reach


CHAINS = {"lamp": lamp(), "eight joints": unit_chain("YXXYXXYX", 2.0)}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("chain", CHAINS)
def test_the_aim_of_the_document_is_met_by_every_solver(name: str, chain: str) -> None:
    skeleton = CHAINS[chain]
    for vector in ((1.0, 0.5, 0.3), (0.8, -0.6, 0.3), (0.3, 0.8, 0.1)):
        aim = PROFILE(vector)
        assert not unavailable(name, skeleton, [PROFILE])
        solution = make_solver(name, skeleton).solve(GazeGoal(aim, np.full(len(skeleton), 0.1)))
        error = side_error(skeleton, solution.angles, aim)
        assert solution.converged, solution.reason
        assert error < (THRESHOLD if name == "erik" else EXACT)
        assert solution.aim_error == pytest.approx(2.0 * math.sin(0.5 * error), abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_followed_from_frame_to_frame(name: str) -> None:
    skeleton, solver, angles, memory = lamp(), make_solver(name, lamp()), None, None
    for frame in range(FRAMES):
        turned = 0.3 * math.sin(frame / 30)
        aim = PROFILE((math.cos(turned), math.sin(turned), 0.1))
        solution = solver.solve(GazeGoal(aim, np.full(5, 0.1)), angles, memory)
        angles, memory = solution.angles, solution.memory
        if frame > SETTLED:
            lag = 0.1 if name in ("transpose", "sdls") else EXACT
            assert side_error(skeleton, angles, aim) < (THRESHOLD if name == "erik" else lag)


@pytest.mark.parametrize("name", NAMES)
def test_an_aim_about_a_position_is_met_too_or_refused_in_its_words(name: str) -> None:
    skeleton = unit_chain("YXXYXXYX", 2.0)
    posture = np.full(8, 0.1)
    away = length(subtract(skeleton.forward(posture.tolist()).tool_position, CENTRE))
    goal = GazeGoal(Distance(CENTRE, 1.1 * away), posture)
    solver = make_solver(name, skeleton)
    if name.startswith("erik"):
        assert "cannot keep a distance" in unavailable(name, skeleton, [Distance])
        with pytest.raises(GoalKindError, match="cannot keep a distance"):
            solver.solve(goal)
        return
    solution = solver.solve(goal)
    for _ in range(SETTLED):  # methods with small steps take several frames
        solution = solver.solve(goal, solution.angles, solution.memory)
    assert solution.converged, solution.reason
    assert distance_error(skeleton, solution.angles, goal.aim) < EXACT  # type: ignore[arg-type]


def test_its_fields_are_checked_and_move_with_the_target() -> None:
    with pytest.raises(TargetError, match="target direction"):
        make_solver("expressive", lamp()).solve(GazeGoal(PROFILE((0.0, 0.0, 0.0)), np.zeros(5)))
    with pytest.raises(TargetError, match="distance_kept"):
        make_solver("dls", lamp()).solve(GazeGoal(Distance((0.0, 0.0, 1.0), math.nan), np.zeros(5)))
    now, before = Distance((1.0, 2.0, 3.0), 2.0), Distance((1.0, 2.0, 2.5), 2.0)
    assert now.movement_since(before) == (0.0, 0.0, 0.5)
    assert now.moved(None, (0.0, 1.0, 0.0)) == Distance((1.0, 3.0, 3.0), 2.0)
    assert PROFILE((1.0, 0.0, 0.0)).rotation_since(PROFILE((0.0, 1.0, 0.0)))[2] == pytest.approx(
        -0.5 * math.pi
    )


@pytest.mark.skipif(kernel() is None, reason="there is no compiled kernel: make kernel")
def test_the_kernel_leaves_what_it_does_not_know_to_the_reference() -> None:
    solver: Any = make_solver("expressive", lamp())
    assert solver.model.compiled is not None
    assert solver.model.compiled_for(GazeGoal(PROFILE((1.0, 0.0, 0.0)), np.zeros(5))) is None


def test_its_derivative_is_that_of_its_error() -> None:
    skeleton = unit_chain("YXXYXXYX", 2.0)
    start = np.linspace(-0.5, 0.7, 8)
    for aim in (PROFILE((0.3, 0.2, 1.0)), Distance((1.0, 2.0, 1.0), 3.0)):
        corrected = correct(skeleton, GazeGoal(aim, start), start.tolist(), [1.0] * 8)
        assert corrected.aim_error < 1e-9
        assert corrected.steps < 12  # as for Newton's method: a wrong derivative would take many more
