"""One frame of one chain: goal and state in, filtered angles and the next state out, without side effects.

Live, baking and streaming all call this, so that they are the same motion.
"""

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from ..motion import FILTERS, Character, Filter, Kinematic, Limits
from ..solvers.gaze import GazeError, GazeGoal, GazeSolver, Solution, aim_error, make_solver
from ..solvers.skeleton import Skeleton

PROGRESS = 1e-6  # [rad] of aim: a solver that gains less on a goal that stands still has done what it can


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
    model: Model
    goal: GazeGoal
    final: bool  # the solver would find nothing better for the same goal
    problem: str  # of the outputs


@dataclass(frozen=True)
class Outputs:
    """What one tick says: the angles to show and to send, and how well they do."""

    angles: np.ndarray  # (n,) [rad] after the filter
    solution: Solution
    filtered_aim_error: float  # [rad]
    lag: float  # [rad] the farthest that the filter keeps a joint from the solution
    at_rest: bool  # the filter has arrived, and the solver too
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

    A goal that is the very one of the last tick is solved no more once nothing is to be gained: a target at rest is answered by a pose at
    rest, and the same frame asked for twice by the same pose.

    Args:
        model: The chain.
        goal: What the end must do, and the posture to keep.
        state: What the last tick returned; None at a new start, where the filter begins at rest in the solution.
        dt: Time since then [s]; 0 solves without moving the filter.

    Raises:
        GazeError: The goal cannot be used and there is no state to hold.
    """
    begun = perf_counter()
    again = state is not None and state.goal is goal and state.model is model
    if again and (state.final or dt == 0.0):
        solution, final, problem = state.solution, state.final, state.problem
    else:
        problem = ""
        last = state.solution if state else None
        try:
            solution = model.solver.solve(goal, start=last.angles if last else None, memory=last.memory if last else None)
            final = solution.converged or (again and solution.aim_error > last.aim_error - PROGRESS)
        except GazeError as error:
            if state is None:
                raise
            solution, final, problem = last, True, str(error)
    wanted = solution.angles.tolist()
    if state is None:
        motion = tuple(joint.rest(angle) for joint, angle in zip(model.filters, wanted, strict=True))
    else:
        motion = tuple(joint.step(now, angle, dt) for joint, now, angle in zip(model.filters, state.motion, wanted, strict=True))
    angles = [joint.position for joint in motion]
    lag = max(abs(angle - target) for angle, target in zip(angles, wanted, strict=True))
    outputs = Outputs(
        angles=np.array(angles),
        solution=solution,
        filtered_aim_error=solution.aim_error if problem else aim_error(goal, model.skeleton.forward(angles)),
        lag=lag,
        at_rest=final and lag == 0.0 and not any(joint.velocity or joint.acceleration for joint in motion),
        problem=problem,
        seconds=perf_counter() - begun,
    )
    return outputs, State(solution, motion, model, goal, final, problem)
