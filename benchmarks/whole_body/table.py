"""Figure 7 of Rapetti et al. 2020 as a table: error, error of velocity and time by method, model and motion.

    python -m benchmarks.whole_body.table --urdf FILE [FILE ...] [--steps 360]

Motions are made on each model within its limits (`motions`), with orientation targets for all links at
different positions, and a position target for the root; the cables of iCub's shoulders bound sums of their
joints where the model has them. MNTE is eq. 14 (0 to 2, of which the paper shows logarithms), RMSE eq. 15
[rad/s]; the first 2 s are discarded as there. Instantaneous optimisation solves each frame until no joint
moves by more than a thousandth of a radian; pair-wise, it solves each pair of links by itself, on the joints
between them. The other libraries make one step per frame, in .venv-bench (`python -m
benchmarks.environment`); unavailable ones are named.
"""

import argparse
import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from limber.robots import reading
from limber.robots.skeleton import robot_skeleton
from limber.robots.tree import LinkTree, build_tree
from limber.solvers.kinematics.rotations import to_matrix
from limber.solvers.kinematics.se3 import logarithm
from limber.solvers.kinematics.skeleton import End
from limber.solvers.whole_body.body import Body, Coupling
from limber.solvers.whole_body.law import Law
from limber.solvers.whole_body.solver import WholeBody
from limber.solvers.whole_body.state import KinematicState, since
from limber.solvers.whole_body.targets import Target, Values

from . import robot
from .__main__ import Arrays, first, follower, frames_of
from .libraries import NO_LIMIT, OTHERS, Mink, Pinocchio
from .motions import KINDS, motion
from .peers import beside_peers
from .printed import PaperLaw

TRANSIENT = 2.0  # [s] beginning that is discarded, as in the paper
PAPER_GAIN = 20.0  # [1/s] gain K of the paper's law, a third of the largest stable one at 60 Hz
ENDED = 1e-3  # [rad or m] largest move at which an instantaneous solve has converged
SAME_PLACE = 1e-6  # [m] distance within which two positions are equal
MOST_UPDATES = 30  # largest number of updates of an instantaneous solve

# iCub's shoulders hang on cables whose lengths bound sums of pitch, roll and yaw [deg]; the figures are those
# that its makers' kinematics library, iKin, holds the arms to.
PULLEY = 1.71  # pulley ratio: factor of the angles in the lengths of the first two cables
CABLES = (
    ((PULLEY, -PULLEY, 0.0), -347.0, np.inf),
    ((PULLEY, -PULLEY, -PULLEY), -366.57, 112.42),
    ((0.0, 1.0, 1.0), -66.6, 213.3),
)


def couplings_for(tree: LinkTree) -> list[Coupling]:
    """Couplings for the cables of iCub's shoulders, if a model has these joints."""
    names, couplings = {joint.name for joint in tree.joints}, []
    for side in "lr":
        joints = [f"{side}_shoulder_{axis_name}" for axis_name in ("pitch", "roll", "yaw")]
        if names.issuperset(joints):
            for k, (factors, low, high) in enumerate(CABLES):
                couplings.append(
                    Coupling(
                        f"{side} cable {k}",
                        dict(zip(joints, factors, strict=True)),
                        math.radians(low),
                        math.radians(high),
                    )
                )
    return couplings


def tracked_links(tree: LinkTree) -> list[str]:
    """Names of the root, and of links that a joint moves and that have no next joint, or one at another
    position: links between hinges at one position are no segments.
    """
    tracked = []
    for k, branch in enumerate(tree.branches):
        below = [tree.branches[child] for child in tree.children[k]]
        moves = branch.joint is not None and branch.joint.is_movable
        if k == 0 or (
            moves and (not below or any(np.linalg.norm(child.before.offset) > SAME_PLACE for child in below))
        ):
            tracked.append(branch.link)
    return tracked


def dynamical(solver: WholeBody, arrays: Arrays) -> tuple[list[KinematicState], list[float]]:
    """States of all frames with one step each, and processor times [s] of these."""
    state, states, seconds = first(solver, arrays), [], []
    for values in frames_of(arrays):
        began = time.process_time()
        _, state = solver.step(values, state, float(arrays["dt"]))
        seconds.append(time.process_time() - began)
        states.append(state)
    return states, seconds


def instantaneous(solver: WholeBody, arrays: Arrays) -> tuple[list[KinematicState], list[float]]:
    """States of all frames with as many steps each as it takes until nothing moves by more than `ENDED`, at
    most `MOST_UPDATES`, and processor times [s] of these; the velocity is that from the previous frame.
    """
    dt = float(arrays["dt"])
    state, states, seconds = first(solver, arrays), [], []
    for values in frames_of(arrays):
        began, before = time.process_time(), state
        for _ in range(MOST_UPDATES):
            _, state = solver.step(values, state, dt)
            if np.abs(state.velocity).max() * dt < ENDED:
                break
        seconds.append(time.process_time() - began)
        states.append(replace(state, velocity=since(state, before, dt)))
    return states, seconds


Peer = Pinocchio | Mink
# orientations (frames, links, 3, 3) of the links, and processor time [s] for each frame
Run = Callable[[], tuple[np.ndarray, list[float]]]


class PairWise:
    """A small solver for each pair of neighbouring links, for the joints between them."""

    def __init__(self, tree: LinkTree, body: Body, links: Sequence[str]) -> None:
        """`links`: names of the links, the root first."""
        self.body = body
        built = robot_skeleton(tree, links[1:])
        # rotations of the links in their joints' frames
        link_in_joint = np.array([np.eye(3), *(to_matrix(end.rotation) for end in built.skeleton.ends)])
        self.to_joint = link_in_joint.swapaxes(1, 2)
        row_of = {-1: 0} | {end.joint: row for row, end in enumerate(built.skeleton.ends, 1)}
        self.pairs = []
        for row, (end, name) in enumerate(zip(built.skeleton.ends, built.ends, strict=True), 1):
            path, k = [end.joint], built.skeleton.joints[end.joint].parent
            while k not in row_of:
                path.insert(0, k)
                k = built.skeleton.joints[k].parent
            joints = [replace(built.skeleton.joints[j], parent=index - 1) for index, j in enumerate(path)]
            part = Body(
                joints,
                [End(len(path) - 1, end.rotation, end.offset, name)],
                False,
                body.lower[path],
                body.upper[path],
            )
            self.pairs.append((WholeBody(part, [Target(name)]), np.array(path), row_of[k], row))

    def run(self, arrays: Arrays) -> tuple[list[KinematicState], list[float]]:
        """States and processor times [s] of all frames; each pair's steps end as in `instantaneous`."""
        dt, whole = float(arrays["dt"]), WholeBody(self.body, [])
        last, states, seconds = first(whole, arrays), [], []
        for values in frames_of(arrays):
            began, joints = time.process_time(), last.joints.copy()
            for solver, path, above, target_index in self.pairs:
                state = solver.start(joints[path], values.rotation[above] @ self.to_joint[above])
                for _ in range(MOST_UPDATES):
                    _, state = solver.step(
                        Values(values.rotation[target_index : target_index + 1]), state, dt
                    )
                    if np.abs(state.velocity).max() * dt < ENDED:
                        break
                joints[path] = state.joints
            seconds.append(time.process_time() - began)
            after = whole.start(joints, values.rotation[0], values.position[0])
            states.append(replace(after, velocity=since(after, last, dt)))
            last = after
        return states, seconds


def turns_of(body: Body, links: Sequence[str], states: Sequence[KinematicState]) -> np.ndarray:
    """Orientations (t, k, 3, 3) of links in these states."""
    rows = body.link_indices(links)
    return np.array([body.placed(state.frames, rows)[:, :3, :3] for state in states])


def by_peer(peer: Peer, arrays: Arrays) -> tuple[np.ndarray, list[float]]:
    """Orientations (frames, links, 3, 3) of the links, as another library computes them, and its processor
    time [s] for each frame.
    """
    peer.reset()
    rotations, seconds = [], []
    for k in range(len(arrays["rotation"])):
        began = time.process_time()
        peer.step(k)
        seconds.append(time.process_time() - began)
        rotations.append(peer.rotations())
    return np.array(rotations), seconds


def scores(arrays: Arrays, rotations: np.ndarray) -> tuple[float, float]:
    """(MNTE, RMSE of the velocity [rad/s]) after the transient, from rotations (t, k, 3, 3) of the links in
    each frame; the velocity is the difference of successive orientations.
    """
    dt, desired = float(arrays["dt"]), arrays["rotation"]
    late = slice(min(round(TRANSIENT / dt), len(rotations) - 2), None)
    # eq. 14, at least 0 in spite of rounding
    mnte = np.maximum(0.5 * (3.0 - np.einsum("tkij,tkij->tk", rotations, desired)), 0.0)
    spins, desired_spins = (
        logarithm(orientations[1:] @ orientations[:-1].swapaxes(-1, -2)) / dt
        for orientations in (rotations, desired)
    )
    rmse = np.sqrt(((spins - desired_spins) ** 2).mean((1, 2)))
    return float(mnte[late].mean()), float(rmse[late].mean())


def methods(tree: LinkTree, body: Body, arrays: Arrays) -> dict[str, Run]:
    """Limber's own methods and the paper's law, by name."""
    links = [str(link) for link in arrays["links"]]
    own, paper = follower(body, arrays, Law()), follower(body, arrays, PaperLaw(PAPER_GAIN))

    def told(run: Callable[[], tuple[list[KinematicState], list[float]]]) -> Run:
        def answer() -> tuple[np.ndarray, list[float]]:
            states, seconds = run()
            return turns_of(body, links, states), seconds

        return answer

    return {
        "dynamical, Limber's": told(lambda: dynamical(own, arrays)),
        "dynamical, the paper's law": told(lambda: dynamical(paper, arrays)),
        "instantaneous, whole body": told(lambda: instantaneous(own, arrays)),
        "instantaneous, pair-wise": told(lambda: PairWise(tree, body, links).run(arrays)),
    }


def others(path: Path, arrays: Arrays, couplings: Sequence[Coupling]) -> tuple[dict[str, Run], list[str]]:
    """The available other libraries by name, and the reasons why others are unavailable."""
    running: dict[str, Run] = {}
    missing = []
    for kind in OTHERS:
        takes_rows = kind is Pinocchio
        try:
            peer = (
                Pinocchio(path, arrays, NO_LIMIT, couplings) if takes_rows else kind(path, arrays, NO_LIMIT)
            )
        except (ImportError, ValueError, RuntimeError) as error:
            missing.append(f"left out: {kind.label} on {path.stem}: {' '.join(str(error).split())[:120]}")
            continue
        label = kind.label if takes_rows or not couplings else f"{kind.label}, no couplings"
        running[label] = lambda peer=peer: by_peer(peer, arrays)  # type: ignore[misc]
    return running, missing


def lines_for(path: Path, steps: int) -> Iterator[str]:
    """Lines of the table for one model, followed by sentences on missing libraries."""
    tree = build_tree(reading.read(path))
    couplings = couplings_for(tree)
    body = robot.body(tree, further=couplings)
    links = tracked_links(tree)
    model = f"{path.stem}, {len(body)} joints, {len(links)} links" + (
        f", {len(couplings)} coupled rows" if couplings else ""
    )
    missing: list[str] = []
    for kind in KINDS:
        arrays = motion(body, links, tree.root, kind, steps)
        peers, missing = others(path, arrays, couplings)
        for name, run in (methods(tree, body, arrays) | peers).items():
            rotations, seconds = run()
            mnte, rmse = scores(arrays, rotations)
            half, most = 1e3 * np.quantile(seconds, (0.5, 0.99))
            yield f"| {model} | {kind} | {name} | {mnte:.2e} | {rmse:.2e} | {half:.3f} | {most:.3f} |"
    yield from missing


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--urdf", type=Path, nargs="+", required=True)
    ask.add_argument("--steps", type=int, default=360, help="frames of 1/60 s (default 360)")
    options = ask.parse_args()
    beside_peers("benchmarks.whole_body.table")
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    left_out = [f"left out: {path}: there is no such file" for path in options.urdf if not path.exists()]
    print(
        "| model | motion | method | MNTE | RMSE, rad/s | median, ms | p99, ms"
        " |\n|---|---|---|---|---|---|---|"
    )
    for path in filter(Path.exists, options.urdf):
        for line in lines_for(path, options.steps):
            if line.startswith("|"):
                print(line, flush=True)
            else:
                left_out.append(line)
    print("\n".join(left_out))


if __name__ == "__main__":
    main()
