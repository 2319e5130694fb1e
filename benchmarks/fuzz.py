"""Every solver on random skeletons and goals, the awkward ones above all: what crashes, leaves limits or says what is not so.

    python -m benchmarks.fuzz [--count 10000] [--seed 0] [--solvers ccd,erik] [--frames 1] [--jobs 2]

Each case is a skeleton with a goal: from 1 to 40 joints with random axes, rest transforms, limits and slides, links without length,
joints that cannot move, chains without a bend, trees with several ends; targets of every kind, in reach or out of it, behind, at the
end's own place, at the root. Each solver that can take it up solves it from scratch, then again, then for a target that has moved a
little, from where it is. The tests make cases of the same recipes. Prints a line for each fault, with the command that shows it again,
and by how much limits are exceeded at worst.
"""

import argparse
import math
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from limber.solvers.erik.parameters import Hyperparameters
from limber.solvers.gaze import GazeSolver, Solution, misses
from limber.solvers.goals import Aim, Direction, EndGoal, Frame, GazeGoal, Orientation, Point, Position
from limber.solvers.rotations import IDENTITY, Quaternion, Vector, X, Y, Z, about, add, multiply, normalized, rotate, scale, unit
from limber.solvers.skeleton import End, Joint, Skeleton
from limber.solvers.table import SOLVERS, unavailable

MOST_JOINTS = 40
SHOW_EVERY = 5.0  # [s] between lines of progress
CHUNK = 8  # cases that a process takes at a time
HELD = 1e-12  # [rad, m] a limit exceeded by less is held
MET = 1.1e-6  # [rad, or of the reach] what a solver may still miss where it says that it has converged; the tenth is rounding
# ERIK's own measure: it converges by the weighted sum of the paper's errors.
THRESHOLDS = {"erik": Hyperparameters().threshold}

LINKS = ("any", "some without length", "none has length", "straight")
AXES = ("any", "coordinate", "along the links")
LIMITS = ("any", "wide", "several turns", "narrow", "some fixed", "all fixed")
SLIDES = (0.0, 0.0, 0.2, 1.0)
KINDS = ("orientation", "direction", "direction up", "point", "point up", "position", "frame")
WHERE = ("met by a pose", "anywhere", "behind", "at the end", "at the root", "far", "near", "along the first axis", "where it is")
UPS = ("anywhere", "along the view", "against the view", "nearly along the view")
WEIGHTS = (1.0, 1.0, 1.0, 0.0, 1e-3, 30.0)
POSTURES = ("within limits", "outside limits", "zero", "at limits")
KEEPS = (1.0, 1.0, 0.0, 0.5)


@dataclass(frozen=True)
class Recipe:
    """What a case is made of; the rest is drawn from the seed."""

    seed: int
    joints: int = 5
    ends: int = 1  # more than one: a tree
    links: str = LINKS[0]
    axes: str = AXES[0]
    limits: str = LIMITS[0]
    slides: float = 0.0  # share of the joints
    kinds: tuple[str, ...] = KINDS[:1]  # one for each goal; goals of the same end contradict each other
    where: str = WHERE[0]
    up: str = UPS[0]
    weights: tuple[float, ...] = WEIGHTS[:1]  # taken in turn
    posture: str = POSTURES[0]
    keep: float = 1.0
    symmetric: bool = True
    size: float = 1.0  # [m] about the length of a link


class Case(NamedTuple):
    """What solvers are asked."""

    skeleton: Skeleton
    goal: GazeGoal
    moved: GazeGoal  # a little later


def any_recipe(draw: random.Random) -> Recipe:
    """A recipe of anything."""
    ends = draw.choice((1, 1, 1, 2, 3))
    return Recipe(
        seed=draw.randrange(2**32),
        joints=draw.choice((1, 2, 3, draw.randint(1, 8), draw.randint(1, 8), draw.randint(1, 8), draw.randint(1, MOST_JOINTS))),
        ends=ends,
        links=draw.choice(LINKS),
        axes=draw.choice(AXES),
        limits=draw.choice(LIMITS),
        slides=draw.choice(SLIDES),
        kinds=tuple(draw.choice(KINDS) for _ in range(draw.choice((1, 1, ends, ends + 1)))),
        where=draw.choice(WHERE),
        up=draw.choice(UPS),
        weights=tuple(draw.choice(WEIGHTS) for _ in range(2)),
        posture=draw.choice(POSTURES),
        keep=draw.choice(KEEPS),
        symmetric=draw.random() < 0.7,
        size=draw.choice((1.0, 1.0, 1e-3, 1e3)),
    )


def make(recipe: Recipe) -> Case:
    """The case of a recipe: always the same one for the same recipe."""
    draw = random.Random(recipe.seed)
    skeleton = _skeleton(recipe, draw)
    posture = np.array([_angle(recipe.posture, joint, draw) for joint in skeleton.joints])
    goals = [
        EndGoal(
            _aim(recipe, kind, skeleton, e % len(skeleton.ends), posture, draw),
            e % len(skeleton.ends),
            recipe.weights[e % len(recipe.weights)],
            recipe.symmetric,
        )
        for e, kind in enumerate(recipe.kinds)
    ]
    first = goals[0]
    goal = GazeGoal(first.aim, posture, first.symmetric, first.weight, recipe.keep, tuple(goals[1:]))
    return Case(skeleton, goal, replace(goal, aim=_moved(first.aim, draw, recipe.size)))


def direction(draw: random.Random) -> Vector:
    return unit((draw.gauss(0, 1), draw.gauss(0, 1), draw.gauss(0, 1)))


def turn(draw: random.Random) -> Quaternion:
    return normalized((draw.gauss(0, 1), draw.gauss(0, 1), draw.gauss(0, 1), draw.gauss(0, 1)))


def _skeleton(recipe: Recipe, draw: random.Random) -> Skeleton:
    ends = min(recipe.ends, recipe.joints)
    joints: list[Joint] = []
    for k in range(recipe.joints):
        parent = k - 1 if ends == 1 or draw.random() < 0.8 else draw.randrange(-1, k)
        slides = draw.random() < recipe.slides
        lower, upper = _limits(recipe.limits, draw)
        if slides:
            lower, upper = 0.3 * recipe.size * lower, 0.3 * recipe.size * upper
        joints.append(
            Joint(f"joint {k}", parent, _rest(recipe, draw), _offset(recipe, draw), _axis(recipe, draw), lower, upper, _kind(slides))
        )
    tips = [recipe.joints - 1, *draw.sample(range(recipe.joints), ends)][:ends]
    tools = [End(tip, _rest(recipe, draw), _offset(recipe, draw), f"end {e}") for e, tip in enumerate(tips)]
    return Skeleton(tuple(joints), tools[0].rotation, tools[0].offset, tools[0].joint, tuple(tools[1:]))


def _kind(slides: bool) -> str:
    return "prismatic" if slides else "revolute"


def _rest(recipe: Recipe, draw: random.Random) -> Quaternion:
    return IDENTITY if recipe.links == "straight" or draw.random() < 0.3 else turn(draw)


def _offset(recipe: Recipe, draw: random.Random) -> Vector:
    if recipe.links == "none has length" or (recipe.links == "some without length" and draw.random() < 0.5):
        return (0.0, 0.0, 0.0)
    return scale(Y if recipe.links == "straight" else direction(draw), recipe.size * draw.uniform(0.1, 1.0))


def _axis(recipe: Recipe, draw: random.Random) -> Vector:
    if recipe.axes == "along the links":
        return Y
    return direction(draw) if recipe.axes == "any" else draw.choice((X, Y, Z))


def _limits(kind: str, draw: random.Random) -> tuple[float, float]:
    fixed = kind == "all fixed" or (kind == "some fixed" and draw.random() < 0.4)
    middle = draw.uniform(-1.0, 1.0)
    if fixed:
        return middle, middle
    if kind == "wide":
        return -math.pi, math.pi
    half = {"several turns": draw.uniform(3.0, 20.0), "narrow": draw.uniform(0.0, 0.1)}.get(kind, draw.uniform(0.05, 2.5))
    return middle - half, middle + half


def _angle(kind: str, joint: Joint, draw: random.Random) -> float:
    span = joint.upper - joint.lower
    return {
        "within limits": joint.lower + draw.random() * span,
        "outside limits": joint.lower + draw.uniform(-2.0, 3.0) * (span + 0.1),
        "zero": 0.0,
        "at limits": draw.choice((joint.lower, joint.upper)),
    }[kind]


def _aim(recipe: Recipe, kind: str, skeleton: Skeleton, end: int, posture: np.ndarray, draw: random.Random) -> Aim:
    start = skeleton.forward(skeleton.clamp(posture))
    rotation, place = skeleton.end_pose(start, end)
    other = skeleton.forward([draw.uniform(lower, upper) for lower, upper in zip(skeleton.lower, skeleton.upper, strict=True)])
    there, at = skeleton.end_pose(other, end)
    reach = max(skeleton.reach, 0.1 * recipe.size)
    view = rotate(there, Y)
    ahead, back = rotate(rotation, Y), scale(rotate(rotation, Y), -1.0)
    first, root = skeleton.world_axes(start)[0], start.rotations[0]

    def away(size: float) -> Vector:
        return scale(direction(draw), size)

    # Of each: the orientation, the view, the place to reach, and the one to look at.
    spots: dict[str, tuple[Quaternion, Vector, Vector, Vector]] = {
        "met by a pose": (there, view, at, add(at, scale(view, draw.uniform(0.1, 3.0) * reach))),
        "anywhere": (turn(draw), away(1.0), away(draw.uniform(0.0, 1.5) * reach), away(2.0 * reach)),
        "behind": (multiply(about(Z, math.pi), rotation), back, add(place, scale(back, 0.5 * reach)), add(place, scale(back, reach))),
        "at the end": (rotation, ahead, place, place),
        "at the root": (root, rotate(root, Y), start.places[0], start.places[0]),
        "far": (turn(draw), away(1e6), away(1e4 * reach), away(1e6 * reach)),
        "near": (rotation, away(1e-6), add(place, away(1e-3 * reach)), add(place, away(1e-3 * reach))),
        "along the first axis": (IDENTITY, first, scale(first, reach), scale(first, 3.0 * reach)),
        "where it is": (rotation, ahead, place, add(place, scale(ahead, reach))),
    }
    wanted, along, reached, seen = spots[recipe.where]
    if kind == "orientation":
        return Orientation(wanted)
    if kind == "position":
        return Position(reached)
    if kind == "frame":
        return Frame(reached, wanted)
    if kind.startswith("direction"):
        return Direction(along, _up(recipe.up, unit(along), draw) if kind.endswith("up") else None)
    return Point(seen, _up(recipe.up, unit(add(seen, scale(direction(draw), 1e-9))), draw) if kind.endswith("up") else None)


def _up(kind: str, view: Vector, draw: random.Random) -> Vector:
    return {
        "anywhere": direction(draw),
        "along the view": view,
        "against the view": scale(view, -2.0),
        "nearly along the view": add(view, scale(direction(draw), 1e-5)),
    }[kind]


def _moved(aim: Aim, draw: random.Random, size: float) -> Aim:
    small = about(direction(draw), 0.02)
    if isinstance(aim, Orientation):
        return Orientation(multiply(small, aim.wxyz))
    if isinstance(aim, Direction):
        return replace(aim, vector=rotate(small, aim.vector))
    place = add(aim.place, scale(direction(draw), 0.02 * size))
    return replace(aim, place=place, wxyz=multiply(small, aim.wxyz)) if isinstance(aim, Frame) else replace(aim, place=place)


class Tried(NamedTuple):
    """How one solver did on one case."""

    faults: list[str]
    excess: float  # [rad, m] by which limits are exceeded at worst
    seconds: float  # of the longest solve


def available(name: str, case: Case) -> bool:
    """Whether a solver says that it can take up the case."""
    return not unavailable(name, case.skeleton, [type(wanted.aim) for wanted in case.goal.ends])


def attempt(name: str, case: Case, frames: int = 1, make_it: Callable[[Skeleton], GazeSolver] | None = None) -> Tried:
    """A solver from scratch, again, and on for so many frames while the target moves there and back; each of them twice."""
    skeleton, goal, moved = case
    make_it = make_it or SOLVERS[name].make
    solver = make_it(skeleton)
    posture = goal.posture.copy()
    last = solver.solve(goal)
    faults = faults_of(name, skeleton, goal, last)
    faults += _differences("solved twice", last, make_it(skeleton).solve(goal))
    excess, longest = _excess(skeleton, last), last.seconds
    for frame in range(1, frames + 1):
        here, now = last.angles.copy(), (goal, moved)[frame % 2]
        solution = solver.solve(now, here, last.memory)
        faults += [f"frame {frame}: {fault}" for fault in faults_of(name, skeleton, now, solution)]
        faults += _differences(f"frame {frame}, solved twice", solution, solver.solve(now, here, last.memory))
        if not (np.array_equal(posture, goal.posture) and np.array_equal(here, last.angles)):
            faults.append(f"frame {frame}: the posture or the start was changed in place")
        excess, longest, last = max(excess, _excess(skeleton, solution)), max(longest, solution.seconds), solution
    return Tried(faults, excess, longest)


def _excess(skeleton: Skeleton, solution: Solution) -> float:
    over = np.maximum(np.array(skeleton.lower) - solution.angles, solution.angles - np.array(skeleton.upper))
    return float(np.max(over, initial=0.0))


def _differences(when: str, one: Solution, other: Solution) -> list[str]:
    same = np.array_equal(one.angles, other.angles) and (one.iterations, one.converged) == (other.iterations, other.converged)
    return [] if same else [f"{when}, it answers otherwise"]


def faults_of(name: str, skeleton: Skeleton, goal: GazeGoal, solution: Solution) -> list[str]:
    """What is wrong with an answer."""
    faults = []
    figures = [solution.aim_error, solution.orientation_error, solution.posture_error, solution.shape_deviation]
    figures += [part for way in solution.misses for part in way]
    if solution.angles.shape != (len(skeleton),) or not np.isfinite(solution.angles).all():
        return [f"the angles are {solution.angles}"]
    if not all(map(math.isfinite, figures)):
        faults.append(f"a figure is not finite: {figures}")
    if _excess(skeleton, solution) > HELD:
        faults.append(f"limits are exceeded by {_excess(skeleton, solution):.2g}")
    if len(solution.misses) != len(goal.ends):
        faults.append(f"{len(solution.misses)} misses for {len(goal.ends)} goals")
    if not solution.converged and not solution.reason:
        faults.append("it has not converged, and gives no reason")
    if solution.converged and solution.reason:
        faults.append(f"it has converged, and gives a reason: {solution.reason}")
    if solution.converged and not _met(name, skeleton, goal, solution):
        faults.append(f"it says that it has converged, and misses {solution.misses}")
    return faults


def _met(name: str, skeleton: Skeleton, goal: GazeGoal, solution: Solution) -> bool:
    missed = misses(skeleton, goal, skeleton.forward(solution.angles.tolist()))
    if name in THRESHOLDS:
        return solution.orientation_error + solution.posture_error <= THRESHOLDS[name] + MET
    return all(way.whole <= MET and way.distance <= MET * skeleton.reach for way in missed)


class Tally:
    """What a run came to, solver by solver."""

    def __init__(self, names: Sequence[str]) -> None:
        self.solved, self.faulty = Counter[str](), Counter[str]()
        self.excess, self.slowest = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)

    def add(self, name: str, tried: Tried) -> None:
        self.solved[name] += 1
        self.faulty[name] += bool(tried.faults)
        self.excess[name] = max(self.excess[name], tried.excess)
        self.slowest[name] = max(self.slowest[name], tried.seconds)

    def lines(self) -> list[str]:
        head = f"{'solver':16} {'cases':>7} {'faulty':>7} {'limits exceeded':>16} {'slowest ms':>11}"
        return [head, *(self._line(name) for name in self.excess)]

    def _line(self, name: str) -> str:
        figures = f"{self.solved[name]:7} {self.faulty[name]:7} {self.excess[name]:16.2g} {1e3 * self.slowest[name]:11.1f}"
        return f"{name:16} {figures}"


def try_all(seed: int, names: Sequence[str], frames: int) -> list[tuple[str, Tried]]:
    """How each solver that can take it up did on the case of a seed."""
    case = make(any_recipe(random.Random(seed)))
    return [(name, _caught(name, case, frames)) for name in names if available(name, case)]


def _caught(name: str, case: Case, frames: int) -> Tried:
    try:
        return attempt(name, case, frames)
    except Exception as error:  # whatever it is, it is what is looked for
        return Tried([f"{type(error).__name__}: {error}"], 0.0, 0.0)


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--count", type=int, default=10000, help="cases (default 10000: an hour of processor time)")
    ask.add_argument("--seed", type=int, default=0, help="of the first case; the others count on from it")
    ask.add_argument("--frames", type=int, default=1, help="that follow the first one (default 1)")
    ask.add_argument("--solvers", default=",".join(SOLVERS), help="names, with commas (default all)")
    ask.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: as many as there are cores)")
    asked = ask.parse_args()
    names = asked.solvers.split(",")
    seeds = range(asked.seed, asked.seed + asked.count)
    tally, shown = Tally(names), time.perf_counter()
    with ProcessPoolExecutor(asked.jobs) as pool:
        results = pool.map(partial(try_all, names=names, frames=asked.frames), seeds, chunksize=CHUNK)
        for seed, tries in zip(seeds, results, strict=True):
            for name, tried in tries:
                tally.add(name, tried)
                again = f"python -m benchmarks.fuzz --count 1 --seed {seed} --frames {asked.frames} --solvers {name}"
                for fault in tried.faults:
                    print(f"{name}: {fault}  ({again})", flush=True)
            if time.perf_counter() - shown > SHOW_EVERY:
                shown = time.perf_counter()
                print(f"  {seed - asked.seed + 1} of {asked.count} cases", file=sys.stderr, flush=True)
    print("\n".join(tally.lines()))
    if tally.faulty.total():
        sys.exit(f"{tally.faulty.total()} answers are faulty")


if __name__ == "__main__":
    main()
