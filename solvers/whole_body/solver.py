"""A body that follows targets step by step: a linearisation, a bounded least squares and an integration for each. Knows no Blender.

Source: Rapetti, Tirupachuri, Darvish, Latella & Pucci 2020, "Model-Based Real-Time Motion Tracking using Dynamical Inverse Kinematics on
SO(3)"; what differs is told in `law`, `limits` and docs/whole_body.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from .. import box
from . import program
from .articulated import Limbs
from .body import BASE, Body, Frames
from .contacts import contact_rows, coupling_rows
from .law import Law
from .limits import Limits
from .normal import Normal
from .rows import Rows, stacked
from .so3 import Array, exp, log
from .state import Solution, State, at_rest, moved, since
from .targets import Target, TargetError, Values, check
from .wanted import Wanted, Wishes

LINEAR = 3  # unknowns whose moves are exact however large: the base's place
TOUCHING = 1e-10  # [m, rad] a contact nearer to its place is there
TOUCHES = 6  # corrections of a contact in a step: each squares what is left
SETTLED = 1e-9  # [rad or m] a full solve whose moves are all smaller has ended
FULL_STEP = 0.5  # [rad or m] of a joint in a full solve: larger ones wind joints up
FULL_SOLVE = 200  # steps at most
FAR = 0.1  # [rad or m] a joint's move in a step whose second order may show
SHOWS = 0.0125  # [rad or m] by which links are elsewhere than such a move's first order said for it to be mended: a jolt of .7 degrees
HURRIED = 1e-6  # [of the limit] an acceleration beyond it by more did not hold it


@dataclass(frozen=True)
class Options:
    """How a body follows."""

    law: Law = field(default_factory=Law)
    limits: Limits = field(default_factory=Limits)
    damping: float = 1e-2  # [of a unit weight's square root] of moves: 1e-3 shakes where three hinges lock, .1 lags by half a degree
    damping_by_error: float = 0.7  # further damping, times the errors' root mean square: with .1 joints wind themselves up on far targets
    posture: Array | None = None  # (n,) [rad or m] that joints return to where targets leave them free
    posture_gain: float = 1.0  # [1/s] how soon

    def __post_init__(self) -> None:
        if not self.damping > 0.0 or not np.isfinite(self.damping):
            raise TargetError(f"the damping must be above zero, got {self.damping}: without it what no target sees has no answer")


class WholeBody:
    """Follows targets with a body."""

    def __init__(self, body: Body, targets: Sequence[Target], options: Options | None = None) -> None:
        """
        Raises:
            SkeletonError: a target is on a link that the body does not have.
            TargetError: two targets of a kind are on one link, or the posture does not have one value per joint.
        """
        self.body, self.targets, self.options = body, tuple(targets), options or Options()
        self.turning = tuple(target for target in targets if target.kind == "orientation")
        self.placed = tuple(target for target in targets if target.kind == "position")
        for group in (self.turning, self.placed):
            names = [target.link for target in group]
            twice = [name for name in names if names.count(name) > 1]
            if twice:
                raise TargetError(f"link '{twice[0]}' has two {group[0].kind} targets: give it one")
        posture = self.options.posture
        if posture is not None and np.shape(posture) != (len(body),):
            raise TargetError(f"the posture must have one value for each of the {len(body)} joints, and has the shape {np.shape(posture)}")
        acceleration = self.options.limits.acceleration
        brakes = None if acceleration is None else float(np.min(acceleration))
        self._wishes = Wishes(body, self.turning, self.placed, self.options.law, brakes)
        self._normal = Normal(body, self._wishes.turning_links, self._wishes.placed_links)
        self._limbs = Limbs(body, self._wishes.turning_links, self._wishes.placed_links, self._normal.all_at_base)
        self._sees_second_order = not self.options.law.linear and not self.options.limits.linear
        self._levels = sorted({target.level for target in targets}) or [0]

    def start(self, joints: Array | None = None, base_rotation: Array | None = None, base_position: Array | None = None) -> State:
        """A state at rest.

        Args:
            joints: (n,) [rad or m]; None: zero. Moved to the nearest within limits.
            base_rotation: (3, 3); None: none.
            base_position: (3,) [m]; None: the origin.
        """
        body = self.body
        angles = np.clip(np.zeros(len(body)) if joints is None else np.asarray(joints, float), body.lower, body.upper)
        turn = np.eye(3) if base_rotation is None else np.array(base_rotation, float)
        return at_rest(body, angles, turn, np.zeros(3) if base_position is None else np.array(base_position, float))

    def settled(self, values: Values, state: State) -> State:
        """The state at rest where a frame's values are met as well as position limits allow: a full solve, to begin with."""
        free = WholeBody(self.body, self.targets, replace(self.options, law=Law(), limits=Limits(FULL_STEP), posture=None))
        for _ in range(FULL_SOLVE):
            _, state = free.step(replace(values, angular_velocity=None, linear_velocity=None), state, 1.0)
            if np.abs(state.velocity).max() < SETTLED:
                break
        return at_rest(self.body, state.joints, state.base_rotation, state.base_position)

    def missed(self, values: Values, state: State) -> tuple[Array, Array]:
        """By how much a state misses a frame's values: angles (k,) [rad] and distances (p,) [m]; NaN where there is no value."""
        turns = self.body.placed(state.frames, self._wishes.turning_links)[:, :3, :3]
        places = self.body.placed(state.frames, self._wishes.placed_links)[:, :3, 3] + state.base_position
        known = np.isfinite(values.rotation).all((1, 2))
        turned = np.where(known[:, None, None], values.rotation, turns) @ turns.swapaxes(1, 2)
        return np.where(known, np.linalg.norm(log(turned), axis=-1), np.nan), np.linalg.norm(values.position - places, axis=-1)

    def step(self, values: Values, state: State, dt: float) -> tuple[Solution, State]:
        """One step of `dt` [s] toward a frame's values.

        Raises:
            TargetError: the values do not suit the targets, or no time passes.
        """
        check(values, self.turning, self.placed)
        if not 0.0 < dt < np.inf:
            raise TargetError(f"a step takes time above zero, got {dt} s")
        body, options = self.body, self.options
        wanted = self._wishes.wanted(values, state.frames, state.base_position, dt)
        down, up = options.limits.box(state.joints, state.velocity[BASE:], body.lower, body.upper, dt)
        base = np.full(BASE, np.inf if body.floating else 0.0)
        lower, upper = np.concatenate([-base, down]), np.concatenate([base, up])
        rows, names = self._rows(values, state, dt)
        asked = _Asked(wanted, state, dt, lower, upper, *self._damped(wanted, state, dt))
        answer = self._solved(asked, rows)
        after = self.moved(state, answer.x, dt)
        if self._sees_second_order and self._strayed(wanted, state, after, answer.x):
            after, answer = self._mended(values, asked, after, answer)
        if values.contacts:
            after, answer = self._touching(values, state, after, answer, dt, lower, upper)
        yielded = tuple(dict.fromkeys(name for name, by in zip(names, answer.yielded.tolist(), strict=True) if by))
        if options.limits.acceleration is not None:
            yielded += self._hurried(state, after, dt)
        bounded = answer.sides[BASE:] != 0
        after = replace(after, sides=answer.sides, row_sides=answer.row_sides)
        return (
            Solution(after.joints, after.base_rotation, after.base_position, after.velocity, wanted.lost, yielded, bounded, answer.rounds),
            after,
        )

    def moved(self, state: State, move: Array, dt: float) -> State:
        """The state after a move (6 + n,) of `dt` [s], as `state.moved`."""
        return moved(self.body, state, move, dt)

    def _rows(self, values: Values, state: State, dt: float) -> tuple[Rows | None, tuple[str, ...]]:
        """Contacts' and couplings' rows for a step from a state, and their names."""
        parts, names = [], self.body.coupling_names
        if names:
            parts.append(coupling_rows(self.body, state.joints, self.options.limits, dt))
        if values.contacts:
            rows, own = contact_rows(self.body, state.frames, state.base_position, values.contacts)
            parts.append(rows)
            names += own
        return (stacked(parts) if parts else None), names

    def _damped(self, wanted: Wanted, state: State, dt: float) -> tuple[Array, Array]:
        """What damping adds to the diagonal (6 + n,), and the pull of the posture (6 + n,)."""
        options = self.options
        damping = options.damping**2
        damped = np.full(self.body.unknowns, damping)
        damped[LINEAR:] += options.damping_by_error**2 * wanted.mean_square
        drawn = np.zeros(self.body.unknowns)
        if options.posture is not None:  # what no target sees follows it; what one does is drawn off by damping over weight of it
            drawn[BASE:] = damping * min(1.0, options.posture_gain * dt) * (options.posture - state.joints)
        return damped, drawn

    def _solved(self, asked: "_Asked", rows: Rows | None) -> program.Program:
        """The move (6 + n,) of a step, level by level."""
        wanted, state, _, lower, upper, damped, drawn = asked
        frames = state.frames
        own = 0 if rows is None else len(rows)
        for level in self._levels:
            chosen = self._of_level(wanted, level)
            errors = frames, chosen.turn_weights, chosen.turns, chosen.places, chosen.weights, chosen.moves
            if rows is None and self._limbs.is_quicker:
                boxed = box.minimum(self._limbs.equations(*errors, damped, drawn), lower, upper, state.sides)
                answer = program.of_box(boxed)
            else:
                matrix, vector = self._normal.equations(*errors)
                matrix.flat[:: len(matrix) + 1] += damped
                vector += drawn
                answer = _minimum(matrix, vector, lower, upper, rows, state)
            if level != self._levels[-1]:
                rows = self._kept(chosen, frames, answer.x, rows)
        return answer._replace(row_sides=answer.row_sides[:own], yielded=answer.yielded[:own])

    def _of_level(self, wanted: Wanted, level: int) -> Wanted:
        """What the targets of one level want."""
        if len(self._levels) == 1:
            return wanted
        turning = np.array([target.level == level for target in self.turning], bool)
        placed = np.array([target.level == level for target in self.placed], bool)
        return wanted._replace(turn_weights=wanted.turn_weights * turning, weights=wanted.weights * placed)

    def _kept(self, wanted: Wanted, frames: Frames, move: Array, rows: Rows | None) -> Rows:
        """Rows by which further levels leave what a level has come to."""
        parts = [self.body.jacobian(frames, int(link))[0] for link in self._wishes.turning_links[wanted.turn_weights > 0.0]]
        parts += [self.body.jacobian(frames, int(link))[1] for link in self._wishes.placed_links[wanted.weights > 0.0]]
        matrix = np.concatenate([np.zeros((0, len(move))), *parts])
        kept = Rows(matrix, matrix @ move, matrix @ move)
        return kept if rows is None else stacked([rows, kept])

    def _strayed(self, wanted: Wanted, state: State, after: State, move: Array) -> bool:
        """Whether a move (6 + n,) has taken links elsewhere than its first order said."""
        body, wishes = self.body, self._wishes
        if np.abs(move[LINEAR:]).max() < FAR:
            return False
        turns, moves = self._normal.moves(state.frames, wanted.places, move)
        before, now = (body.placed(own.frames, wishes.turning_links)[:, :3, :3] for own in (state, after))
        places = body.placed(after.frames, wishes.placed_links)[:, :3, 3] + after.base_position
        turned_off = (log(now @ before.swapaxes(1, 2)) - turns)[wanted.turn_weights > 0.0]
        moved_off = (places - wanted.places - state.base_position - moves)[wanted.weights > 0.0]
        return max(float((off * off).sum(1).max(initial=0.0)) for off in (turned_off, moved_off)) > SHOWS**2

    def _mended(self, values: Values, asked: "_Asked", after: State, answer: program.Program) -> tuple[State, program.Program]:
        """The state with its links where the step wanted them, as far as a large move has left them elsewhere by its second order.

        Gauss and Newton's second step, with the bounds and the damping of the whole move.
        """
        wanted, state, dt, lower, upper, damped, drawn = asked
        body, wishes = self.body, self._wishes
        goals = exp(wanted.turns) @ body.placed(state.frames, wishes.turning_links)[:, :3, :3]
        turns = log(goals @ body.placed(after.frames, wishes.turning_links)[:, :3, :3].swapaxes(1, 2))
        places = body.placed(after.frames, wishes.placed_links)[:, :3, 3]
        moves = wanted.places + state.base_position + wanted.moves - places - after.base_position
        made = np.concatenate([answer.x[:BASE], after.joints - state.joints])
        bound = np.concatenate([np.zeros(BASE), made[BASE:]])
        left = _Asked(
            wanted._replace(turns=turns, places=places, moves=moves),
            replace(after, sides=answer.sides, row_sides=answer.row_sides),
            dt,
            np.minimum(lower - bound, 0.0),
            np.maximum(upper - bound, 0.0),
            damped,
            drawn - damped * made,
        )
        answer = self._solved(left, self._rows(values, after, dt)[0])
        mended = self.moved(after, answer.x, dt)
        return replace(mended, velocity=since(mended, state, dt)), answer

    def _touching(
        self, values: Values, state: State, after: State, answer: program.Program, dt: float, lower: Array, upper: Array
    ) -> tuple[State, program.Program]:
        """The state with its contacts where they should be, which a linear step has missed by a second order of its move."""
        body, before = self.body, after
        for _ in range(TOUCHES):
            rows, _ = self._rows(values, after, dt)
            if rows is None or answer.yielded.any() or np.abs(rows.lower[rows.equal]).max() < TOUCHING:
                break
            made = np.concatenate([np.zeros(BASE), after.joints - state.joints])
            nearest = self._normal.equations(after.frames, *self._still())
            nearest[0].flat[:: body.unknowns + 1] += self.options.damping**2
            mended = program.solve(*nearest, np.minimum(lower - made, 0.0), np.maximum(upper - made, 0.0), rows)
            if mended.yielded.any():
                break
            after = self.moved(after, mended.x, dt)
        return (after if after is before else replace(after, velocity=since(after, state, dt))), answer

    def _still(self) -> tuple[Array, Array, Array, Array, Array]:
        """Arguments of the normal equations for targets that want no move: what is then least is how much they are disturbed."""
        turn_weights = np.array([target.weight for target in self.turning])
        weights = np.array([target.weight for target in self.placed])
        return turn_weights, np.zeros((len(turn_weights), 3)), np.zeros((len(weights), 3)), weights, np.zeros((len(weights), 3))

    def _hurried(self, before: State, after: State, dt: float) -> tuple[str, ...]:
        """Joints whose acceleration limit gave way to a limit of position or velocity."""
        most = np.asarray(self.options.limits.acceleration, float) * dt
        over = np.abs(after.velocity[BASE:] - before.velocity[BASE:]) > most * (1.0 + HURRIED)
        return tuple(f"acceleration of {self.body.names[k]}" for k in np.flatnonzero(over))


class _Asked(NamedTuple):
    """What a step asks for, from a state."""

    wanted: Wanted
    state: State
    dt: float  # [s]
    lower: Array  # (6 + n,) of the move
    upper: Array  # (6 + n,)
    damped: Array  # (6 + n,) what damping adds to the diagonal
    drawn: Array  # (6 + n,) what else pulls at the unknowns


def _minimum(matrix: Array, vector: Array, lower: Array, upper: Array, rows: Rows | None, state: State) -> program.Program:
    """The least squares of a level."""
    if rows is not None:
        return program.solve(matrix, vector, lower, upper, rows, state.sides, state.row_sides)
    return program.of_box(box.solve(matrix, vector, lower, upper, state.sides))
