"""One frame of one chain: goal and state in, filtered angles and the next state out, without side effects.

Live, baking and streaming all call this, so that they are the same motion.
"""

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from ..motion import FILTERS, Character, Filter, Kinematic, Limits
from ..solvers.gaze import GazeError, GazeGoal, GazeSolver, Solution, aim_error, make_solver
from ..solvers.skeleton import Skeleton


@dataclass(frozen=True)
class Model:
    """What seldom changes: how the chain is built, solved and filtered."""

    skeleton: Skeleton
    solver: GazeSolver
    filters: tuple[Filter, ...]


@dataclass(frozen=True)
class State:
    """What the next frame needs of this one."""

    solution: Solution
    motion: tuple[Kinematic, ...]


@dataclass(frozen=True)
class Outputs:
    """What one tick says: the angles to show and to send, and how well they do."""

    angles: np.ndarray  # (n,) [rad] after the filter
    solution: Solution
    filtered_aim_error: float  # [rad]
    lag: float  # [rad] the farthest that the filter keeps a joint from the solution
    at_rest: bool  # the filter has arrived
    problem: str  # why the goal could not be used, or ""
    seconds: float  # of the whole tick


def make_model(skeleton: Skeleton, solver: str, filter_name: str, character: Character) -> Model:
    """Raises SkeletonError, GazeError or LimitsError where a joint or a name cannot be used; they name it and the remedy."""
    make_filter = FILTERS[filter_name].make
    filters = tuple(
        make_filter(Limits(joint.lower, joint.upper, joint.velocity, joint.acceleration, joint.jerk), character)
        for joint in skeleton.joints
    )
    return Model(skeleton, make_solver(solver, skeleton), filters)


def tick(model: Model, goal: GazeGoal, state: State | None, dt: float) -> tuple[Outputs, State]:
    """The chain's next frame.

    Args:
        model: The chain.
        goal: What the end must do, and the posture to keep.
        state: What the last tick returned; None at a new start, where the filter begins at rest in the solution.
        dt: Time since then [s]; 0 solves without moving the filter.

    Raises:
        GazeError: The goal cannot be used and there is no state to hold.
    """
    begun = perf_counter()
    problem = ""
    try:
        last = state.solution if state else None
        solution = model.solver.solve(goal, start=last.angles if last else None, memory=last.memory if last else None)
    except GazeError as error:
        if state is None:
            raise
        solution, problem = state.solution, str(error)
    if state is None:
        motion = tuple(joint.rest(angle) for joint, angle in zip(model.filters, solution.angles.tolist(), strict=True))
    else:
        motion = tuple(
            joint.step(now, angle, dt) for joint, now, angle in zip(model.filters, state.motion, solution.angles.tolist(), strict=True)
        )
    angles = np.array([joint.position for joint in motion])
    apart = np.abs(angles - solution.angles)
    outputs = Outputs(
        angles=angles,
        solution=solution,
        filtered_aim_error=aim_error(goal, model.skeleton.forward(angles.tolist())) if not problem else solution.aim_error,
        lag=float(apart.max()),
        at_rest=not apart.any() and not any(joint.velocity or joint.acceleration for joint in motion),
        problem=problem,
        seconds=perf_counter() - begun,
    )
    return outputs, State(solution, motion)
