"""The paper's Figure 7 as a table: error, error of velocity and time by method, model and motion.

    python -m benchmarks.whole_body.table --urdf FILE [FILE ...] [--steps 360]

Motions are made on each model within its limits (`motions`), with orientations of all links that have a place of their own and the root's
position; iCub-like couplings hold where the model has iCub's shoulders and torso. MNTE is eq. 14 (0 to 2, of which the paper shows
logarithms), RMSE eq. 15 [rad/s]; the first 2 s are discarded as there. Instantaneous optimisation solves each frame until no joint moves by
more than a thousandth of a radian; pair-wise, it solves each pair of links by itself, on the joints between them.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from limber.solvers.rotations import to_matrix
from limber.solvers.skeleton import End
from limber.solvers.whole_body.body import Body, Coupling
from limber.solvers.whole_body.law import Law
from limber.solvers.whole_body.solver import WholeBody
from limber.solvers.whole_body.state import State, since
from limber.solvers.whole_body.targets import Target, Values
from limber.urdf import reading
from limber.urdf import skeleton as robot_skeleton
from limber.urdf.tree import Tree, grow
from limber.urdf.whole_body import body as body_of

from .__main__ import Arrays, first, follower, frames_of
from .motions import KINDS, motion

TRANSIENT = 2.0  # [s] discarded, as in the paper
PAPER_GAIN = 20.0  # [1/s] K of the paper's law, a third of what is stable at 60 Hz
ENDED = 1e-3  # [rad or m] an instantaneous solve whose moves are smaller has converged
SAME_PLACE = 1e-6  # [m]
MOST = 30  # updates of an instantaneous solve

# Stand-ins for iCub's tendons: shoulder joints that bound each other's sums. Sizes are of its kind, not its own data sheet's.
COUPLED = [({f"{side}_shoulder_pitch": 1.71, f"{side}_shoulder_roll": -1.71}, -6.06, 1.5) for side in ("l", "r")] + [
    ({f"{side}_shoulder_roll": 1.71, f"{side}_shoulder_yaw": 1.71}, -1.2, 4.0) for side in ("l", "r")
]


def couplings_for(tree: Tree) -> list[Coupling]:
    """The couplings whose joints a model has."""
    names = {joint.name for joint in tree.joints}
    return [Coupling(f"coupling {k}", factors, low, high) for k, (factors, low, high) in enumerate(COUPLED) if set(factors) <= names]


def tracked_links(tree: Tree) -> list[str]:
    """The root, and links after which the next joint is elsewhere: those between hinges at one place are no segments."""
    found = []
    for k, branch in enumerate(tree.branches):
        below = [tree.branches[child] for child in tree.children[k]]
        moves = branch.joint is not None and branch.joint.moves
        if k == 0 or (moves and (not below or any(np.linalg.norm(child.before.offset) > SAME_PLACE for child in below))):
            found.append(branch.link)
    return found


def dynamical(solver: WholeBody, given: Arrays) -> tuple[list[State], list[float]]:
    """One step a frame."""
    state, states, seconds = first(solver, given), [], []
    for values in frames_of(given):
        began = time.process_time()
        _, state = solver.step(values, state, float(given["dt"]))
        seconds.append(time.process_time() - began)
        states.append(state)
    return states, seconds


def instantaneous(solver: WholeBody, given: Arrays) -> tuple[list[State], list[float]]:
    """Steps until none moves a joint; the velocity is what took the frame before to it."""
    dt = float(given["dt"])
    state, states, seconds = first(solver, given), [], []
    for values in frames_of(given):
        began, before = time.process_time(), state
        for _ in range(MOST):
            _, state = solver.step(values, state, dt)
            if np.abs(state.velocity).max() * dt < ENDED:
                break
        seconds.append(time.process_time() - began)
        states.append(replace(state, velocity=since(state, before, dt)))
    return states, seconds


class PairWise:
    """A small solver for each pair of neighbouring links, on the joints between them."""

    def __init__(self, tree: Tree, body: Body, links: Sequence[str]) -> None:
        """`links`, the root first."""
        self.body = body
        built = robot_skeleton.build(tree, links[1:])
        own = np.array([np.eye(3), *(to_matrix(end.rotation) for end in built.skeleton.ends)])  # links' axes in their joints' own
        self.to_joint = own.swapaxes(1, 2)
        row_of = {-1: 0} | {end.joint: row for row, end in enumerate(built.skeleton.ends, 1)}
        self.pairs = []
        for row, (end, name) in enumerate(zip(built.skeleton.ends, built.ends, strict=True), 1):
            path, k = [end.joint], built.skeleton.joints[end.joint].parent
            while k not in row_of:
                path.insert(0, k)
                k = built.skeleton.joints[k].parent
            joints = [replace(built.skeleton.joints[j], parent=place - 1) for place, j in enumerate(path)]
            part = Body(joints, [End(len(path) - 1, end.rotation, end.offset, name)], False, body.lower[path], body.upper[path])
            self.pairs.append((WholeBody(part, [Target(name)]), np.array(path), row_of[k], row))

    def run(self, given: Arrays) -> tuple[list[State], list[float]]:
        """As `instantaneous`."""
        dt, whole = float(given["dt"]), WholeBody(self.body, [])
        last, states, seconds = first(whole, given), [], []
        for values in frames_of(given):
            began, joints = time.process_time(), last.joints.copy()
            for solver, path, above, own in self.pairs:
                state = solver.start(joints[path], values.rotation[above] @ self.to_joint[above])
                for _ in range(MOST):
                    _, state = solver.step(Values(values.rotation[own : own + 1]), state, dt)
                    if np.abs(state.velocity).max() * dt < ENDED:
                        break
                joints[path] = state.joints
            seconds.append(time.process_time() - began)
            after = whole.start(joints, values.rotation[0], values.position[0])
            states.append(replace(after, velocity=since(after, last, dt)))
            last = after
        return states, seconds


def scores(body: Body, given: Arrays, states: Sequence[State]) -> tuple[float, float]:
    """MNTE and RMSE of velocity [rad/s] after the transient."""
    rows = body.rows([str(link) for link in given["links"]])
    moved_by = body.moved_by[body.carriers[rows]]
    mnte, rmse = [], []
    for k in range(min(round(TRANSIENT / float(given["dt"])), len(states) - 1), len(states)):
        turns = body.placed(states[k].frames, rows)[:, :3, :3]
        mnte.append(0.5 * (3.0 - np.einsum("kij,kij->k", turns, given["rotation"][k])).mean())
        spin = moved_by @ (states[k].frames.angular * states[k].velocity[:, None])
        rmse.append(np.sqrt(((spin - given["angular_velocity"][k]) ** 2).mean()))
    return float(np.mean(mnte)), float(np.mean(rmse))


def methods(tree: Tree, body: Body, given: Arrays) -> dict[str, Callable[[], tuple[list[State], list[float]]]]:
    """What is compared, by name."""
    own, paper = follower(body, given, Law()), follower(body, given, Law("paper", PAPER_GAIN))
    return {
        "dynamical, Limber's": lambda: dynamical(own, given),
        "dynamical, the paper's law": lambda: dynamical(paper, given),
        "instantaneous, whole body": lambda: instantaneous(own, given),
        "instantaneous, pair-wise": lambda: PairWise(tree, body, [str(link) for link in given["links"]]).run(given),
    }


def lines_for(path: Path, steps: int) -> list[str]:
    """The table's lines for one model."""
    tree = grow(reading.read(path))
    body = body_of(tree, further=couplings_for(tree))
    links = tracked_links(tree)
    lines = []
    for kind in KINDS:
        given = motion(body, links, tree.root, kind, steps)
        for name, run in methods(tree, body, given).items():
            states, seconds = run()
            mnte, rmse = scores(body, given, states)
            half, most = 1e3 * np.quantile(seconds, (0.5, 0.99))
            model = f"{path.stem}, {len(body)} joints, {len(links)} links"
            lines.append(f"| {model} | {kind} | {name} | {mnte:.2e} | {rmse:.2e} | {half:.3f} | {most:.3f} |")
    return lines


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--urdf", type=Path, nargs="+", required=True)
    ask.add_argument("--steps", type=int, default=360, help="frames of 1/60 s (default 360)")
    asked = ask.parse_args()
    print("| model | motion | method | MNTE | RMSE, rad/s | median, ms | p99, ms |\n|---|---|---|---|---|---|---|")
    for path in asked.urdf:
        for line in lines_for(path, asked.steps):
            print(line, flush=True)


if __name__ == "__main__":
    main()
