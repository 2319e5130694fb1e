"""Tests every solver on random chains with prismatic joints, for points that can be looked at.

    python -m benchmarks.slides [--chains 150] [--solvers erik expressive ...]

Chains have two to six joints of limited range, a third of them prismatic; each point is looked at by a random
pose; the posture is another random pose, within .4 of the joints' ranges.
"""

import argparse
import math
import random

import numpy as np
from limber.solvers.goals import GazeGoal, Point
from limber.solvers.kinematics.rotations import IDENTITY, X, Y, Z, add, rotate, scale
from limber.solvers.kinematics.skeleton import Joint, Skeleton
from limber.solvers.table import SOLVERS, make_solver

PRISMATIC = 0.35  # share of prismatic joints
# [deg] the ERIK paper's threshold .04 as an angle
THRESHOLD = math.degrees(4.0 * math.asin(0.04 / math.sqrt(2.0)))


def cases(count: int, seed: int = 3) -> list[tuple[Skeleton, GazeGoal]]:
    """Random chains, each with a goal that can be met."""
    draw = random.Random(seed)
    chains_and_goals = []
    for _ in range(count):
        joints = draw.randint(2, 6)
        kinds = [draw.random() < PRISMATIC for _ in range(joints)]
        kinds[0] = kinds[0] and not all(kinds)
        kinds[-1] = kinds[-1] or not any(kinds)
        chain = Skeleton(
            tuple(_joint(draw, k, kind) for k, kind in enumerate(kinds)), tool_offset=(0.0, 0.5, 0.0)
        )
        pose = chain.forward(_pose(draw, chain, 1.0))
        point = add(pose.tool_position, scale(rotate(pose.tool_rotation, Y), draw.uniform(0.5, 4.0)))
        chains_and_goals.append((chain, GazeGoal(Point(point), np.array(_pose(draw, chain, 0.4)))))
    return chains_and_goals


def _joint(draw: random.Random, k: int, is_prismatic: bool) -> Joint:
    reach = draw.uniform(0.2, 1.5)
    kind = "prismatic" if is_prismatic else "revolute"
    return Joint(
        f"{k}", k - 1, IDENTITY, (0.0, 1.0 if k else 0.0, 0.0), draw.choice((X, Y, Z)), -reach, reach, kind
    )


def _pose(draw: random.Random, chain: Skeleton, share: float) -> list[float]:
    return [share * draw.uniform(joint.lower, joint.upper) for joint in chain.joints]


def table(count: int, solvers: list[str]) -> list[str]:
    """Lines of the table in Markdown."""
    lines = [f"| solver | aim error, deg: mean | largest | over {THRESHOLD:.1f} deg |", "|---|---|---|---|"]
    for name in solvers:
        errors = np.degrees([make_solver(name, chain).solve(goal).aim_error for chain, goal in cases(count)])
        lines.append(
            f"| {SOLVERS[name].label} | {errors.mean():.2f} | {errors.max():.1f} |"
            f" {np.mean(errors > THRESHOLD):.1%} |"
        )
    return lines


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--chains", type=int, default=150, help="default %(default)s")
    ask.add_argument(
        "--solvers", nargs="+", choices=SOLVERS, metavar="NAME", default=list(SOLVERS), help="default: all"
    )
    options = ask.parse_args()
    print("\n".join(table(options.chains, options.solvers)))


if __name__ == "__main__":
    main()
