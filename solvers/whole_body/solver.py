"""Whole-body solver: each step linearises, solves a bounded least-squares problem and integrates.

Source: Rapetti, Tirupachuri, Darvish, Latella & Pucci 2020, "Model-Based Real-Time Motion Tracking using
Dynamical Inverse Kinematics on SO(3)"; the differences are described in `law`, `solvers.limits` and
docs/whole_body.md.
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..kernel.library import kernel
from ..kinematics.se3 import Array, exponential, logarithm
from ..kinematics.tree import BASE, LINEAR, Frames
from ..least_squares import constrained
from ..least_squares.constrained import ConstrainedSolution, Constraints, stacked
from ..limits import AccelerationLimit, JointState, bounds
from ..tolerances import EXACT, LONGEST_FRAME, MET, SHORTEST_FRAME
from .body import Body
from .compiled_step import CompiledStep
from .contacts import contact_constraints, contact_names, coupling_constraints
from .desired_motion import DesiredMotion, MotionTargets
from .law import Law
from .normal import Normal
from .options import WholeBodyOptions
from .state import KinematicState, WholeBodySolution, at_rest, moved, since
from .targets import BodyTargetError, Target, Values, check, check_links, has_position, has_rotation

# [rad or m] linearisation error of a link above which a second step corrects it: a jump of .7 degrees is
# visible. Also the error of all targets below which no better start is searched
CORRECTED_ERROR = 0.0125

# smallest damping, as a fraction of the largest diagonal entry. The penalties of active constraints are
# stiffer than the targets by 1 / MET: with less damping, a weight of 1e6 would lose the undetermined joints
# in the rounding of the penalties.
LEAST_DAMPING = 1e-8


class WholeBody:
    """Whole-body solver for targets on a body's links, which advances one step at a time."""

    def __init__(
        self, body: Body, targets: Sequence[Target], options: WholeBodyOptions | None = None
    ) -> None:
        """A solver for targets on a body's links.

        Raises:
            SkeletonError: a target is on a link that the body does not have.
            BodyTargetError: two targets of the same kind are on one link.
        """
        self.body, self.targets, self.options = body, tuple(targets), options or WholeBodyOptions()
        self.orientation_targets = tuple(target for target in targets if target.kind == "orientation")
        self.position_targets = tuple(target for target in targets if target.kind == "position")
        check_links(self.orientation_targets)
        check_links(self.position_targets)
        self.acceleration = next(
            (limit.most for limit in self.options.limits if isinstance(limit, AccelerationLimit)), None
        )
        brakes = None if self.acceleration is None else float(np.min(self.acceleration))
        self._motion_targets = MotionTargets(
            body, self.orientation_targets, self.position_targets, self.options.law, brakes
        )
        links = self._motion_targets.orientation_links, self._motion_targets.position_links
        self._normal = Normal(body, *links)
        self._levels = sorted({target.level for target in targets}) or [0]
        library = kernel()
        # the compiled step; None if every step is computed in Python
        self.compiled: CompiledStep | None = None
        if library is not None and type(self.options.law) is Law:
            damping = self.options.damping**2, self.options.damping_by_error**2
            self.compiled = CompiledStep(library, self._motion_targets, *damping)

    def start(
        self,
        joints: Array | None = None,
        base_rotation: Array | None = None,
        base_position: Array | None = None,
    ) -> KinematicState:
        """A state at rest (velocity 0).

        Args:
            joints: (n,) [rad or m], clamped to limits; None: zero.
            base_rotation: (3, 3); None: identity.
            base_position: (3,) [m]; None: the origin.
        """
        body = self.body
        angles = np.clip(
            np.zeros(len(body)) if joints is None else np.asarray(joints, float), body.lower, body.upper
        )
        turn = np.eye(3) if base_rotation is None else np.array(base_rotation, float)
        return at_rest(
            body, angles, turn, np.zeros(3) if base_position is None else np.array(base_position, float)
        )

    def missed(self, values: Values, state: KinematicState) -> tuple[Array, Array]:
        """Errors of all targets in a state: angles (k,) [rad] and distances (p,) [m]; NaN for a target
        that is lost in this frame, as `step` tells.
        """
        turns = self._motion_targets.rotations(state.frames)
        positions = self._motion_targets.positions(state.frames) + state.base_position
        known = has_rotation(values.rotation)
        turned = np.where(known[:, None, None], values.rotation, turns) @ turns.swapaxes(1, 2)
        angles = np.linalg.norm(logarithm(turned), axis=-1)
        placed = has_position(values.position)
        moves = np.where(placed[:, None], values.position, positions) - positions
        distances = np.linalg.norm(moves, axis=-1)
        return np.where(known, angles, np.nan), np.where(placed, distances, np.nan)

    def step(
        self, values: Values, state: KinematicState, dt: float
    ) -> tuple[WholeBodySolution, KinematicState]:
        """The solution and the new state after one step of `dt` [s] toward a frame's target values.

        Raises:
            BodyTargetError: the values do not suit the targets (see `targets.check`), or `dt` is not between
                `SHORTEST_FRAME` and `LONGEST_FRAME`.
            SkeletonError: a contact is of a link that the body does not have.
        """
        check(values, self.orientation_targets, self.position_targets, len(self.body))
        if not SHORTEST_FRAME <= dt <= LONGEST_FRAME:
            raise BodyTargetError(
                f"a step takes time above zero, got {dt} s: give it {SHORTEST_FRAME:g} to {LONGEST_FRAME:g} s"
            )
        if self.compiled is None:
            return self._step(values, state, dt)
        allowed = bounds(self.options.limits, self._joints(state), dt)
        after, solution = self.compiled.step(values, state, dt, allowed, self._posture_pull(dt))
        if self.acceleration is not None:
            over = self._exceeded_accelerations(state, after, self.acceleration * dt)
            solution = replace(solution, yielded=solution.yielded + over)
        return solution, after

    def _joints(self, state: KinematicState) -> JointState:
        return JointState(state.joints, state.velocity[BASE:], self.body.lower, self.body.upper)

    def _step(
        self, values: Values, state: KinematicState, dt: float
    ) -> tuple[WholeBodySolution, KinematicState]:
        """The step, computed in Python."""
        body, options = self.body, self.options
        desired = self._motion_targets.desired(values, state.frames, state.base_position, dt)
        upper = np.full(body.unknowns, np.inf if body.floating else 0.0)
        lower = -upper
        least, largest = bounds(options.limits, self._joints(state), dt)
        lower[BASE:], upper[BASE:] = least - state.joints, largest - state.joints
        constraints, names = self._constraints(values, state, dt)
        problem = _StepProblem(
            desired, state, dt, lower, upper, *self._damped(desired, values.posture, state, dt)
        )
        answer = self._solved(problem, constraints)
        after = self.moved(state, answer.x, dt)
        if options.law.corrects_linearisation and self._needs_correction(desired, state, after, answer.x):
            after, answer = self._corrected(values, problem, after, answer)
        if values.contacts:
            after, answer = self._with_contacts(values, state, after, answer, dt, lower, upper)
        yielded = tuple(
            dict.fromkeys(name for name, by in zip(names, answer.yielded.tolist(), strict=True) if by)
        )
        if self.acceleration is not None:
            yielded += self._exceeded_accelerations(state, after, self.acceleration * dt)
        bounded = answer.sides[BASE:] != 0
        after = replace(after, sides=answer.sides, multipliers=answer.multipliers)
        pose = after.joints, after.base_rotation, after.base_position, after.velocity
        return WholeBodySolution(*pose, desired.lost, yielded, bounded, answer.rounds, answer.stopped), after

    def moved(self, state: KinematicState, move: Array, dt: float) -> KinematicState:
        """The state after a move (6 + n,) of the base and the joints in `dt` [s]; see `state.moved`."""
        return moved(self.body, state, move, dt)

    def _constraints(
        self, values: Values, state: KinematicState, dt: float
    ) -> tuple[Constraints | None, tuple[str, ...]]:
        """Constraints from contacts and couplings in a step from a state, and their names."""
        parts, names = [], self.body.coupling_names
        if names:
            parts.append(coupling_constraints(self.body, state.joints))
        if values.contacts:
            parts.append(contact_constraints(self.body, state.frames, state.base_position, values.contacts))
            names += contact_names(values.contacts)
        return (stacked(parts) if parts else None), names

    def _damped(
        self, desired: DesiredMotion, posture: Array | None, state: KinematicState, dt: float
    ) -> tuple[Array, Array]:
        """Damping of the move (6 + n,), and its pull toward the posture (6 + n,); see `_StepProblem`."""
        options = self.options
        damping = options.damping**2
        damped = np.full(self.body.unknowns, damping + options.damping_by_error**2 * desired.mean_square)
        damped[:LINEAR] = damping
        posture_pull = np.zeros(self.body.unknowns)
        if posture is not None:  # joints without a target follow it; others are pulled only weakly
            posture_pull[BASE:] = self._posture_pull(dt) * (posture - state.joints)
        return damped, posture_pull

    def _posture_pull(self, dt: float) -> float:
        """Gradient toward the posture in a step of `dt` [s], per rad or m of difference."""
        return self.options.damping**2 * min(1.0, self.options.posture_gain * dt)

    def _solved(self, problem: "_StepProblem", constraints: Constraints | None) -> ConstrainedSolution:
        """The move (6 + n,) of a step, priority level by level."""
        desired, state, _, lower, upper, damped, posture_pull = problem
        frames = state.frames
        own, stopped = 0 if constraints is None else len(constraints), False
        for level in self._levels:
            chosen = self._of_level(desired, level)
            errors = (
                frames,
                chosen.turn_weights,
                chosen.rotation_vectors,
                chosen.positions,
                chosen.weights,
                chosen.moves,
            )
            matrix, vector = self._normal.equations(*errors)
            _damp(matrix, damped)
            vector += posture_pull
            answer = constrained.solve(
                matrix, vector, lower, upper, constraints, state.sides, state.multipliers
            )
            stopped |= answer.stopped
            if level != self._levels[-1]:
                constraints = self._fixed(chosen, frames, answer.x, constraints)
        if len(self._levels) == 1:
            return answer
        return answer._replace(
            multipliers=answer.multipliers[:own], yielded=answer.yielded[:own], stopped=stopped
        )

    def _of_level(self, desired: DesiredMotion, level: int) -> DesiredMotion:
        """The desired motion of one priority level alone."""
        if len(self._levels) == 1:
            return desired
        is_orientation_of_level = np.array(
            [target.level == level for target in self.orientation_targets], bool
        )
        is_position_of_level = np.array([target.level == level for target in self.position_targets], bool)
        return desired._replace(
            turn_weights=desired.turn_weights * is_orientation_of_level,
            weights=desired.weights * is_position_of_level,
        )

    def _fixed(
        self, desired: DesiredMotion, frames: Frames, move: Array, constraints: Constraints | None
    ) -> Constraints:
        """`constraints`, and further ones by which lower priority levels cannot change the motion `move`
        (6 + n,) that a level has given to the links of its targets.
        """
        parts = [
            self.body.jacobian(frames, int(link))[0]
            for link in self._motion_targets.orientation_links[desired.turn_weights > 0.0]
        ]
        parts += [
            self.body.jacobian(frames, int(link))[1]
            for link in self._motion_targets.position_links[desired.weights > 0.0]
        ]
        matrix = np.concatenate([np.zeros((0, len(move))), *parts])
        kept = Constraints(matrix, matrix @ move, matrix @ move)
        return kept if constraints is None else stacked([constraints, kept])

    def _needs_correction(
        self, desired: DesiredMotion, state: KinematicState, after: KinematicState, move: Array
    ) -> bool:
        """Whether the error of linearisation of a move (6 + n,) is above `CORRECTED_ERROR`."""
        motion_targets = self._motion_targets
        if 1.5 * np.square(move[LINEAR:]).max() < CORRECTED_ERROR:
            # the linearisation error of three revolute joints at one position, with different axes, which all
            # make the largest move
            return False
        turns, moves = self._normal.moves(state.frames, desired.positions, move)
        before, now = motion_targets.rotations(state.frames), motion_targets.rotations(after.frames)
        positions = motion_targets.positions(after.frames) + after.base_position
        rotation_error = (logarithm(now @ before.swapaxes(1, 2)) - turns)[desired.turn_weights > 0.0]
        position_error = (positions - desired.positions - state.base_position - moves)[desired.weights > 0.0]
        return (
            max(float((error * error).sum(1).max(initial=0.0)) for error in (rotation_error, position_error))
            > CORRECTED_ERROR**2
        )

    def _corrected(
        self, values: Values, problem: "_StepProblem", after: KinematicState, answer: ConstrainedSolution
    ) -> tuple[KinematicState, ConstrainedSolution]:
        """The state after a second Gauss-Newton step, which corrects the first one's error of linearisation,
        and the second step's solution.

        Bounds and damping apply to both moves together.
        """
        desired, state, dt, lower, upper, damped, posture_pull = problem
        motion_targets = self._motion_targets
        goals = exponential(desired.rotation_vectors) @ motion_targets.rotations(state.frames)
        rotation_vectors = logarithm(goals @ motion_targets.rotations(after.frames).swapaxes(1, 2))
        positions = motion_targets.positions(after.frames)
        moves = desired.positions + state.base_position + desired.moves - positions - after.base_position
        step = np.concatenate([answer.x[:BASE], after.joints - state.joints])
        bound = np.concatenate([np.zeros(BASE), step[BASE:]])
        left = _StepProblem(
            desired._replace(rotation_vectors=rotation_vectors, positions=positions, moves=moves),
            replace(after, sides=answer.sides, multipliers=answer.multipliers),
            dt,
            np.minimum(lower - bound, 0.0),
            np.maximum(upper - bound, 0.0),
            damped,
            posture_pull - damped * step,
        )
        correction = self._solved(left, self._constraints(values, after, dt)[0])
        corrected = self.moved(after, correction.x, dt)
        stopped = answer.stopped or correction.stopped
        return replace(corrected, velocity=since(corrected, state, dt)), correction._replace(stopped=stopped)

    def _with_contacts(
        self,
        values: Values,
        state: KinematicState,
        after: KinematicState,
        answer: ConstrainedSolution,
        dt: float,
        lower: Array,
        upper: Array,
    ) -> tuple[KinematicState, ConstrainedSolution]:
        """The state `after` a step, moved so that its contacts hold exactly in spite of the error of
        linearisation; and the step's unchanged solution `answer`.

        `state` is the state before the step, `lower` and `upper` (6 + n,) [m, rad] are the bounds of the
        step's move, and `dt` [s] is its duration. Nothing is corrected if contacts had to yield.
        """
        before = after
        left = sys.float_info.max
        while not answer.yielded.any():
            constraints, _ = self._constraints(values, after, dt)
            last, left = (
                left,
                (
                    np.inf
                    if constraints is None
                    else float(np.abs(constraints.lower[constraints.equal]).max())
                ),
            )
            # Each correction squares the error.
            if constraints is None or not EXACT <= left <= 0.5 * last:
                break
            step = np.concatenate([np.zeros(BASE), after.joints - state.joints])
            nearest = self._normal.equations(after.frames, *self._still(after.frames))
            _damp(nearest[0], self.options.damping**2)
            corrected = constrained.solve(
                *nearest, np.minimum(lower - step, 0.0), np.maximum(upper - step, 0.0), constraints
            )
            if corrected.yielded.any():
                break
            after = self.moved(after, corrected.x, dt)
        return (after if after is before else replace(after, velocity=since(after, state, dt))), answer

    def _still(self, frames: Frames) -> tuple[Array, Array, Array, Array, Array]:
        """Arguments of `Normal.equations` with a desired motion of 0 for all targets, so that a correction of
        contacts moves them as little as possible.
        """
        turn_weights = np.array([target.weight for target in self.orientation_targets])
        weights = np.array([target.weight for target in self.position_targets])
        return (
            turn_weights,
            np.zeros((len(turn_weights), 3)),
            self._motion_targets.positions(frames),
            weights,
            np.zeros((len(weights), 3)),
        )

    def _exceeded_accelerations(
        self, before: KinematicState, after: KinematicState, most: Array | float
    ) -> tuple[str, ...]:
        """Names of joints whose velocity changed by more than `most` (n,) in a step, because limits of
        position or velocity took precedence.
        """
        over = np.abs(after.velocity[BASE:] - before.velocity[BASE:]) > most * (1.0 + MET)
        return tuple(f"acceleration of {self.body.names[k]}" for k in np.flatnonzero(over))


class _StepProblem(NamedTuple):
    """Least-squares problem of a step that starts from a state."""

    desired: DesiredMotion
    state: KinematicState
    dt: float  # [s] duration of the step
    lower: Array  # (6 + n,) [m, rad] lower bounds of the move
    upper: Array  # (6 + n,) [m, rad] upper bounds of the move
    damped: Array  # (6 + n,) damping, added to the diagonal of the matrix
    posture_pull: Array  # (6 + n,) pull toward the posture, added to the negative gradient


def _damp(matrix: Array, damping: Array | float) -> None:
    """Adds damping, a number or (6 + n,), to the diagonal of normal equations in place: at least
    `LEAST_DAMPING` times the largest entry of the diagonal.
    """
    diagonal = matrix.diagonal()
    matrix.flat[:: len(matrix) + 1] += np.maximum(damping, LEAST_DAMPING * diagonal.max())
