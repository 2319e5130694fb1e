"""Compares Limber with other libraries on mechanisms with closed loops: the same paths from the same poses,
with each library's own method to close loops.

    python -m benchmarks.mechanism_peers [--rounds 3] [--only MECHANISM ...]

Frames come at 60 a second, each from the last solution. A library steps until loops and goals are met to
1e-8, at most 20 times, and in a second run one step per frame, as in a live loop. The time of a frame is the
processor time of its steps on one core, the least of all rounds. The same code evaluates every solution:
residuals of the loops, errors of the goals, rotation of bodies in a frame, and changes of the assembly mode.
No joint has limits. The libraries run in .venv-bench (`python -m benchmarks.environment`); unavailable ones
are named.
"""

import argparse
import gc
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from limber.solvers.kinematics.rotations import to_matrix
from limber.solvers.kinematics.se3 import angle_of, frame_array
from limber.solvers.mechanism.solution import AssemblyState

from .mechanism_cases import Race, races
from .mechanism_contestants import CONTESTANTS, Contestant
from .whole_body.peers import beside_peers

MET = 1e-8  # [m, rad] tolerance of met goals
BROKEN = 1e-6  # [m, rad] residual above which a loop counts as broken


@dataclass(frozen=True)
class Row:
    """Results of one contestant on one mechanism, with as many steps as needed and, for fields that say so,
    with one step per frame.
    """

    race: str
    name: str
    median: float  # [ms] median time of a frame
    p99: float
    steps: float  # mean number of steps per frame
    open: float  # [m or rad] largest residual of the loops
    error: float  # [m or rad] largest error of goals that can be reached
    jump: float  # [deg] largest rotation of a body from frame to frame
    flips: int  # number of changes to another assembly mode
    # with one step per frame: time of a frame [ms], largest residual, largest error
    once: tuple[float, float, float] | None


class Judge:
    """Evaluates the solutions of all contestants in the same way."""

    def __init__(self, race: Race) -> None:
        self.race, self.solver = race, race.solver
        mechanism = self.solver.mechanism
        self.bodies = [mechanism.body_index[goal.body] for goal in race.goals[0].frames]

    def open(self, state: AssemblyState) -> float:
        """Largest residual of a loop [m or rad]."""
        frames = self.solver.tree.forward(state.values, balls=state.balls)
        return float(self.solver.loops.sizes(frames, {}).max())

    def error(self, state: AssemblyState, k: int) -> float:
        """Largest error of a goal [m or rad] in frame `k`."""
        poses, largest = self.solver.poses(state), 0.0
        for body, goal in zip(self.bodies, self.race.goals[k].frames, strict=True):
            end = poses[body] @ frame_array(goal.on_body)
            largest = max(largest, float(np.linalg.norm(end[:3, 3] - goal.position)))
            if goal.rotation is not None:
                largest = max(largest, float(angle_of(np.array(to_matrix(goal.rotation)).T @ end[:3, :3])))
        return largest

    def jump(self, states: Sequence[AssemblyState]) -> float:
        """Largest rotation of a body from frame to frame [deg]."""
        rotations = np.array([self.solver.poses(state)[:, :3, :3] for state in states])
        return float(np.degrees(angle_of(rotations[:-1].swapaxes(-1, -2) @ rotations[1:]).max()))

    def flips(self, states: Sequence[AssemblyState]) -> int:
        """Number of closed solutions in another assembly mode than the closed one before."""
        branch, count = None, 0
        for state in states:
            if self.open(state) > BROKEN:
                continue
            frames = self.solver.tree.forward(state.values, balls=state.balls)
            loops = self.solver.loops.linear(frames, self.solver.tree.screws(frames), {})[1]
            if branch is None:
                branch = self.solver.branches.begin(loops, state.values)
            else:
                branch, is_other = self.solver.branches.follow(branch, loops, state.values)
                count += is_other
        return count


def walked(
    contestant: Contestant, judge: Judge, most_steps: int
) -> tuple[np.ndarray, list[int], list[AssemblyState]]:
    """(times (f,) [s], numbers of steps, solutions) of all frames."""
    race = judge.race
    contestant.reset(race.start)
    seconds, steps, states = np.zeros(len(race.goals)), [], []
    for k in range(len(race.goals)):
        contestant.aim(k)
        steps.append(0)
        while steps[-1] < most_steps:
            began = time.process_time()
            contestant.step()
            seconds[k] += time.process_time() - began
            steps[-1] += 1
            state = contestant.state()
            if judge.open(state) <= MET and judge.error(state, k) <= MET:
                break
        states.append(state)
    return seconds, steps, states


def row_of(contestant: Contestant, judge: Judge, rounds: int) -> Row:
    """Results of a contestant."""

    def figures(most: int) -> tuple[np.ndarray, list[int], list[AssemblyState], float, float]:
        runs = [walked(contestant, judge, most) for _ in range(rounds)]
        _, steps, states = runs[0]
        missed = [judge.error(state, k) for k, state in enumerate(states) if judge.race.can_reach[k]]
        return (
            1e3 * np.min([seconds for seconds, _, _ in runs], axis=0),
            steps,
            states,
            max(map(judge.open, states)),
            max(missed),
        )

    times, steps, states, gap, missed = figures(contestant.most)
    once = None
    if contestant.most > 1:
        single = figures(1)
        once = (float(np.median(single[0])), *single[3:])
    spread = float(np.median(times)), float(np.quantile(times, 0.99)), float(np.mean(steps))
    return Row(
        judge.race.name, contestant.label, *spread, gap, missed, judge.jump(states), judge.flips(states), once
    )


def run(race: Race, rounds: int) -> tuple[list[Row], dict[str, str]]:
    """Results of the contestants, and why some have none: their library is missing, or they fail. Cautious
    ones take part only if a target is out of reach.
    """
    judge, rows, missing = Judge(race), [], {}
    for kind in CONTESTANTS:
        if kind.is_cautious and all(race.can_reach):
            continue
        try:
            rows.append(row_of(kind(race), judge, rounds))
        except ImportError as error:
            missing[kind.label] = str(error)
        except (RuntimeError, ValueError, ArithmeticError) as error:
            missing[f"{kind.label} on {race.name}"] = f"{type(error).__name__}: {error}"
    return rows, missing


def table(rows: Sequence[Row]) -> list[str]:
    """Lines of a Markdown table."""
    titles = (
        "mechanism",
        "solver",
        "ms a frame",
        "p99",
        "steps",
        "loops open by",
        "goals missed by",
        "jump, deg",
        "flips",
    )
    titles += ("one step: ms", "open by", "missed by")
    lines = [f"| {' | '.join(titles)} |", "|" + "---|" * len(titles)]
    for row in rows:
        once = (
            "- | - | -"
            if row.once is None
            else f"{row.once[0]:.3f} | {_size(row.once[1])} | {row.once[2]:.0e}"
        )
        cells = (
            f"{row.median:.3f} | {row.p99:.3f} | {row.steps:.1f} | {_size(row.open)} | {row.error:.0e} |"
            f" {row.jump:.1f} | {row.flips}"
        )
        lines.append(f"| {row.race} | {row.name} | {cells} | {once} |")
    return lines


def _size(gap: float) -> str:
    return f"**{gap:.0e}**" if gap > BROKEN else f"{gap:.0e}"


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument(
        "--rounds", type=int, default=3, help="of which each frame's least time counts (default 3)"
    )
    ask.add_argument("--only", nargs="+", metavar="MECHANISM", help="those whose names begin so")
    options = ask.parse_args()
    beside_peers("benchmarks.mechanism_peers")
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    gc.disable()  # so that no frame contains a pause of the garbage collector
    rows, missing = [], {}
    for race in races():
        if not options.only or race.name.startswith(tuple(options.only)):
            race_rows, without = run(race, options.rounds)
            rows += race_rows
            missing |= without
    print("\n".join(table(rows)))
    for name, why in missing.items():
        print(f"left out: {name}: {why}")


if __name__ == "__main__":
    main()
