"""One frame of one chain: goal and state in, filtered angles and the next state out, without side effects.

Live, baking and streaming all call this, so that they are the same motion.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter

import numpy as np

from ..motion import Character, Filter, Kinematic, Limits, make_filter
from ..solvers.gaze import GazeSolver, Miss, Solution, misses
from ..solvers.goals import GazeError, GazeGoal
from ..solvers.skeleton import Skeleton
from ..solvers.table import make_solver

GLIDE = 0.5  # of the joints' limits, for the way from one stored posture to another: the aim along the way needs the rest
STILL = 1e-5  # [rad] of a joint: a solver that moves none by more from one tick to the next, the goal being the same, has arrived
PROGRESS = 1e-6  # [rad, m] of all that ends miss: what is less is none
NO_MORE = 60  # ticks of the same goal without progress, while joints still move: enough for a glide past a place where the aim is lost


@dataclass(frozen=True)
class Model:
    """What seldom changes: how the chain is built, solved and filtered."""

    skeleton: Skeleton
    solver: GazeSolver
    filters: tuple[Filter, ...]
    glides: tuple[Filter, ...] = ()  # of the posture, where it changes at once; none where it is an animation's own


@dataclass(frozen=True)
class State:
    """What the next frame needs of this one."""

    solution: Solution
    motion: tuple[Kinematic, ...]
    posture: tuple[Kinematic, ...]  # on its way to the goal's; empty where it does not glide
    model: Model
    goal: GazeGoal
    vain: int  # ticks of this goal that have gained nothing; from NO_MORE on it is solved no more
    problem: str  # of the outputs


@dataclass(frozen=True)
class Outputs:
    """What one tick says: the angles to show and to send, and how well they do."""

    angles: np.ndarray  # (n,) [rad] after the filter
    solution: Solution
    lag: float  # [rad] the farthest that the filter keeps a joint from the solution
    at_rest: bool  # the filter has arrived, and the solver too
    problem: str  # why the goal could not be used, or ""
    seconds: float  # of the whole tick
    goal: GazeGoal
    skeleton: Skeleton

    @cached_property
    def filtered_misses(self) -> tuple[Miss, ...]:
        """What each of the goal's ends misses after the filter: worked out when someone looks."""
        return self.solution.misses if self.problem else misses(self.skeleton, self.goal, self.skeleton.forward(self.angles.tolist()))

    @property
    def filtered_aim_error(self) -> float:
        """The angle [rad] by which the chain's own end misses its target after the filter."""
        return self.solution.aim_error if self.problem else self.filtered_misses[0].angle


def make_model(skeleton: Skeleton, solver: str, filter_name: str, character: Character, posture_jumps: bool) -> Model:
    """The chain as tick wants it; with `posture_jumps` (stored postures are switched) the body glides from one posture to the next.

    Raises:
        SkeletonError, GazeError, LimitsError: a joint or a name cannot be used; they name it and the remedy.
    """

    def filters(share: float) -> tuple[Filter, ...]:
        return tuple(
            make_filter(filter_name, Limits(j.lower, j.upper, share * j.velocity, share * j.acceleration, share * j.jerk), character)
            for j in skeleton.joints
        )

    return Model(skeleton, make_solver(solver, skeleton), filters(1.0), filters(GLIDE) if posture_jumps else ())


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
    goal, posture = _glide(model, goal, state, dt)
    again = state is not None and state.goal is goal and state.model is model
    if again and (state.vain >= NO_MORE or dt == 0.0):
        solution, vain, problem = state.solution, state.vain, state.problem
    else:
        problem = ""
        last = state.solution if state else None
        # A memory is of use to the solver that made it alone; the rest of the model may be built anew at every frame.
        memory = last.memory if last and type(state.model.solver) is type(model.solver) else None
        try:
            solution = model.solver.solve(goal, start=last.angles if last else None, memory=memory)
            vain = _vain(solution, last, state.vain if again else -1)
        except GazeError as error:
            if state is None:
                raise
            solution, vain, problem = last, NO_MORE, str(error)
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
        lag=lag,
        at_rest=vain >= NO_MORE and lag == 0.0 and not any(joint.velocity or joint.acceleration for joint in (*motion, *posture)),
        problem=problem,
        seconds=perf_counter() - begun,
        goal=goal,
        skeleton=model.skeleton,
    )
    return outputs, State(solution, motion, posture, model, goal, vain, problem)


def _vain(solution: Solution, last: Solution | None, before: int) -> int:
    """How many ticks of one goal have brought the ends no nearer: NO_MORE when the solver has done what it can.

    Args:
        solution, last: Of this tick and of the one before.
        before: The number up to the last tick; -1: the goal is a new one.
    """
    if last is None:
        return NO_MORE if solution.converged else 0
    stands = np.abs(solution.angles - last.angles).max() <= STILL
    if stands and (solution.converged or before >= 0):
        return NO_MORE
    return before + 1 if not solution.converged and _missed(solution) > _missed(last) - PROGRESS else 0


def _missed(solution: Solution) -> float:
    return sum(way.whole + way.distance for way in solution.misses)


def _has_arrived(state: State, goal: GazeGoal) -> bool:
    """Whether the posture is at rest where the goal wants it, and was wanted there before."""
    still = not any(joint.velocity or joint.acceleration for joint in state.posture)
    return bool(state.posture) and still and np.array_equal(state.goal.posture, goal.posture)


def _glide(model: Model, goal: GazeGoal, state: State | None, dt: float) -> tuple[GazeGoal, tuple[Kinematic, ...]]:
    """The goal with its posture on its way from the last one, so that the solver can hold the aim meanwhile."""
    if not model.glides or len(goal.posture) != len(model.glides):
        return goal, ()
    if state is not None and _has_arrived(state, goal):
        return goal, state.posture
    wanted = model.skeleton.clamp(goal.posture)
    if state is None:
        return goal, tuple(joint.rest(angle) for joint, angle in zip(model.glides, wanted, strict=True))
    last = state.posture or tuple(
        joint.rest(angle) for joint, angle in zip(model.glides, model.skeleton.clamp(state.goal.posture), strict=True)
    )
    posture = tuple(joint.step(now, angle, dt) for joint, now, angle in zip(model.glides, last, wanted, strict=True))
    angles = tuple(joint.position for joint in posture)
    if angles == wanted:
        return goal, posture
    if state.goal.aim == goal.aim and angles == tuple(state.goal.posture.tolist()):
        return state.goal, posture
    return replace(goal, posture=np.array(angles)), posture
