"""From the last frame: the nearest best, a watch over better branches, and glides to them. Knows no Blender.

Every frame a few warm steps hold the aim and the shape near the last frame's angles. Beside them a handful of rows, kept in the memory,
follow the target on other branches by one step a frame; rows that meet on one branch are replaced by new starts in turn. When the aim has
been lost, or the shape has long been much worse than the best row's, the answer glides to that row: joints move straight there at a
limited speed while those that are free keep the aim.
"""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..aim_residual import residual
from ..exact_aim import EXACT, Finished
from ..goals import GazeGoal
from ..shape import Shape
from ..skeleton import Angles
from .aims import BatchedAim
from .descent import Descent, Pace, Rows, boxed
from .measure import Measure
from .model import Authored, Model, Poses
from .search import Search

WARM = Pace(proximal=1.0, largest_step=0.2)
BOLD = Pace(proximal=0.03, largest_step=0.5)
WARM_STEPS = 3
WARM_ENOUGH = math.radians(0.05)  # of movement in a step: further steps would not be seen
LARGEST_MOVE = math.radians(8)  # of a joint in a frame: what the eye takes for movement, not for a jump
RAMP = math.radians(2.1)  # a frame a frame: what a joint gains and loses of speed, 7600 deg/s2 at 60 frames a second
WATCH_EVERY = 3  # frames: the watch takes as long as the rest
YOUNG = 8  # steps after which a row may be replaced: most have found their branch by then
AWAY_COST = 0.1  # of a radian of the farthest joint against the mean squared difference of directions: long glides lose the aim for long
WATCHED = 10  # rows that follow on other branches
PATIENCE = 45  # frames that a shape may be much worse than it could be
MUCH_WORSE = math.radians(35)  # of shape deviation
LOST = math.radians(0.5)  # of aim: more than a passing lag
NEARLY = math.radians(4)  # of aim: what a watched row may lag behind the target
LOST_COUNTS = 4
SAME_BRANCH = 0.1  # [rad] of the farthest joint: rows nearer than this are one
HOLD_STEPS = 4
HOLD_WEIGHT = 1e6  # of squared aim against squared movement
STRIDE = 7  # prime to the number of starts: neighbours in the list are alike
LEAST_SHARE = 0.6  # of a joint's part in a step of a glide
ARRIVED = math.radians(5.0)  # from here the warm steps alone go on


@dataclass(frozen=True)
class Memory:
    """What one frame tells the next."""

    watched: tuple[tuple[float, ...], ...] = ()  # angles of rows on other branches
    sides: tuple[float, ...] = ()
    ages: tuple[int, ...] = ()  # steps that each row has made
    next_start: int = 0
    worse: int = 0  # frames since the shape became much worse than it could be
    lost: int = 0  # frames since the aim was lost
    goal_row: int = -1  # of the branch that is glided to
    speed: float = 0.0  # [rad] a frame, of the glide
    move: tuple[float, ...] = ()  # (n,) of the last frame
    frame: int = 0


class Box(NamedTuple):
    lower: Angles  # (n,)
    upper: Angles


class Followed(NamedTuple):
    way: Finished
    steps: int
    memory: Memory


class Tracker:
    """Follows a target frame by frame on one chain; the state is the caller's."""

    def __init__(self, model: Model, search: Search) -> None:
        self.model, self.search = model, search

    def follow(self, goal: GazeGoal, posture: tuple[float, ...], shape: Shape | Measure, start: Angles, memory: object) -> Followed:
        """The answer of the next frame after angles `start` (n,)."""
        last = memory if isinstance(memory, Memory) and all(len(row) == len(start) for row in memory.watched) else Memory()
        model = self.model
        aim = BatchedAim(model, goal)
        authored = Authored(model, np.array(posture), goal.keep)
        descent = Descent(model, authored, aim)
        watched, memory_now = self._watch(descent, aim, np.array(posture), last)
        box_low, box_high = (
            np.maximum(model.lower, start - LARGEST_MOVE * model.scale),
            np.minimum(model.upper, start + LARGEST_MOVE * model.scale),
        )
        box = Box(box_low, box_high)
        rows, steps = descent.at(start[None], None), 0
        while steps < WARM_STEPS:
            before = rows.angles
            rows = descent.step(rows, WARM, box.lower, box.upper)
            steps += 1
            if float(np.abs(rows.angles - before).max()) < WARM_ENOUGH:
                break
        box = self._smooth(start, last.move, box)
        angles, lag = self._hold(aim, model.poses(self._braked(start, rows.angles[0], last.move, box)[None]), box)
        now = self._intent(memory_now, watched, angles, (float(rows.missed[0]), lag), float(rows.cosine[0]))
        if now.goal_row >= 0:
            angles, speed = self._glide(aim, start, watched.angles[now.goal_row], box, now.speed)
            now = replace(now, speed=speed)
            if float((np.abs(angles - watched.angles[now.goal_row]) / model.scale).max()) < ARRIVED:
                now = replace(now, goal_row=-1, worse=0, lost=0, speed=0.0)
        final = model.skeleton.clamp(angles)
        pose = model.skeleton.forward(final)
        return Followed(
            Finished(final, pose, residual(model.skeleton, goal, pose).size, steps),
            steps,
            replace(now, move=tuple((np.array(final) - start).tolist())),
        )

    def _smooth(self, start: Angles, move: tuple[float, ...], box: Box) -> Box:
        """The part of the box that is reached from the last frame's movement without a jolt."""
        last, jolt = np.array(move or [0.0] * len(start)), RAMP * self.model.scale
        return Box(
            np.minimum(np.maximum(box.lower, start + last - jolt), box.upper),
            np.maximum(np.minimum(box.upper, start + last + jolt), box.lower),
        )

    def _braked(self, start: Angles, wanted: Angles, move: tuple[float, ...], box: Box) -> Angles:
        """`wanted` or, where a joint is far from it, as much of the way as lets it come to rest there without a jolt."""
        last, jolt = np.array(move or [0.0] * len(start)), RAMP * self.model.scale
        away = wanted - start
        far = np.abs(away)
        slowed = np.sign(away) * np.minimum(far, np.maximum(jolt, np.sqrt(2.0 * jolt * far) - 0.5 * jolt))
        moved: Angles = np.clip(start + np.where(np.abs(away - last) <= jolt, away, slowed), box.lower, box.upper)
        return moved

    def _intent(self, now: Memory, watched: Rows, angles: Angles, missed: tuple[float, float], cosine: float) -> Memory:
        """Whether to stay, to go on gliding or to begin."""
        if now.goal_row >= 0:
            return now
        best = int(np.argmin(watched.merit + AWAY_COST * (np.abs(watched.angles - angles) / self.model.scale).max(1)))
        gain = math.acos(max(-1.0, min(1.0, cosine))) - math.acos(max(-1.0, min(1.0, float(watched.cosine[best]))))
        held = float(watched.missed[best]) < NEARLY
        worse = now.worse + 1 if held and gain > MUCH_WORSE else 0
        # Lost where the limits stand in the way; a lag, because joints gain speed gently, counts half.
        lost = now.lost + sum(miss > LOST for miss in missed) if max(missed) > LOST else 0
        go = worse > PATIENCE or (held and lost >= LOST_COUNTS)
        return replace(now, worse=worse, lost=lost, goal_row=best if go else -1)

    def _glide(self, aim: BatchedAim, start: Angles, goal: Angles, box: Box, speed: float) -> tuple[Angles, float]:
        """A step of the way from `start` to `goal`: the farthest joint goes at the glide's speed, the others along and as the aim asks."""
        away = goal - start
        far = np.abs(away) / self.model.scale
        farthest = int(np.argmax(far))
        left = max(float(far[farthest]), ARRIVED)
        speed = min(LARGEST_MOVE, speed + RAMP, max(RAMP, math.sqrt(2.0 * RAMP * left) - 0.5 * RAMP))
        wanted = start + away * min(1.0, speed / left)
        # Every joint gets on by its least share, or those that mend the aim would undo the way.
        least_share = start + np.where(far > ARRIVED, LEAST_SHARE, 0.0) * (wanted - start)
        least_share[farthest] = wanted[farthest]
        wanted = np.clip(wanted, box.lower, box.upper)
        lower = np.where((away > 0.0) & (far > ARRIVED), np.minimum(np.maximum(box.lower, least_share), box.upper), box.lower)
        upper = np.where((away < 0.0) & (far > ARRIVED), np.maximum(np.minimum(box.upper, least_share), box.lower), box.upper)
        angles, _ = self._hold(aim, self.model.poses(np.clip(wanted, lower, upper)[None]), Box(lower, upper))
        return angles, speed

    def _hold(self, aim: BatchedAim, poses: Poses, box: Box) -> tuple[Angles, float]:
        """The nearest angles in the box that meet the aim, or nearly."""
        best, least = poses.angles[0], math.inf
        damping = np.diag(1.0 / self.model.scale**2)
        for _ in range(HOLD_STEPS):
            left = aim.missed(poses)
            size = float(left.size[0])
            if size < least:
                best, least = poses.angles[0], size
            if size < EXACT:
                break
            clip = min(1.0, 0.3 / size)
            matrix = HOLD_WEIGHT * (left.columns @ left.columns.transpose(0, 2, 1)) + damping
            descent = (left.columns @ left.error[:, :, None])[:, :, 0] * (HOLD_WEIGHT * clip)
            move = boxed(matrix, descent, box.lower - poses.angles, box.upper - poses.angles)
            poses = self.model.poses(np.clip(poses.angles + move, box.lower, box.upper))
        return best, least

    def _watch(self, descent: Descent, aim: BatchedAim, posture: Angles, last: Memory) -> tuple[Rows, Memory]:
        """One step of the watched rows, with a new start in the place of the worst of a pair that met."""
        two = aim.two_sided
        if last.watched and last.frame % WATCH_EVERY and last.goal_row < 0 and not last.lost:
            rows = descent.at(np.array(last.watched), np.array(last.sides) if two else None)
            return rows, replace(last, frame=last.frame + 1)
        starts = self.search.seeds.around(posture)
        total = len(starts) * (2 if two else 1)

        def start_row(index: int) -> tuple[Angles, float]:
            index %= total
            return starts[index % len(starts)], -1.0 if index >= len(starts) else 1.0

        angles, sides, ages = [np.array(row) for row in last.watched], list(last.sides), [age + 1 for age in last.ages]
        ahead = last.next_start
        while len(angles) < WATCHED:
            row, side = start_row(ahead * STRIDE)
            angles.append(row)
            sides.append(side)
            ages.append(0)
            ahead += 1
        rows = descent.step(descent.at(np.array(angles), np.array(sides) if two else None), BOLD)
        order = np.argsort(rows.merit, kind="stable")
        now, out_sides = rows.angles.copy(), list(sides)
        for place, i in enumerate(order):
            if i == last.goal_row or ages[i] < YOUNG:
                continue
            twins = [j for j in order[:place] if float(np.abs(now[i] - now[j]).max()) < SAME_BRANCH and out_sides[i] == out_sides[j]]
            if twins or place == WATCHED - 1:
                row, side = start_row(ahead * STRIDE)
                now[i], out_sides[i], ages[i] = row, side, 0
                ahead += 1
                break
        return rows, replace(
            last,
            watched=tuple(tuple(row.tolist()) for row in now),
            sides=tuple(out_sides),
            ages=tuple(ages),
            next_start=ahead,
            frame=last.frame + 1,
        )
