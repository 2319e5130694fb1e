"""Draws the solutions of the solvers in `SHOWN` for the same postures and targets: the picture of the page
"Which solver?".

    python -m benchmarks.side_by_side docs/pictures/which_solver.png

Each cell shows the authored posture in grey, the solver's solution in colour, and the direction in which its
end looks.
"""

import argparse
import math
from pathlib import Path

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np
from limber.solvers.gaze import GazeSolution
from limber.solvers.goals import GazeGoal, Point
from limber.solvers.kinematics.rotations import IDENTITY, X, Y, Z, about, rotate
from limber.solvers.kinematics.skeleton import Joint, Pose, Skeleton
from limber.solvers.table import SOLVERS, make_solver

SHOWN = ("expressive", "erik", "erik_exact", "ccd", "dls", "sdls")
INK, AUTHORED, BODY, RAY, TARGET = "#1d2630", "#b4bcc6", "#c8442a", "#e9b44c", "#1f6fb2"
TURN, TILT = math.radians(-60), math.radians(12)  # [rad] view of the picture: rotation about Z, and elevation
# name -> (posture (6,) [rad], position of the target [m])
SITUATIONS = {
    "proud, looks up": ((0.0, 0.15, -0.3, 0.0, 0.3, 0.0), (1.6, 0.6, 1.9)),
    "curious, looks aside": ((0.0, -0.7, 0.9, 0.0, -0.5, 0.0), (2.0, -0.4, 0.7)),
    "sad, looks behind": ((0.0, 0.5, -1.5, 0.0, -0.2, 0.0), (-0.9, -1.8, 0.6)),
}


def creature() -> Skeleton:
    """Skeleton of a lamp with a neck that twists: two joints rotate about the body's axis, three bend, one
    rolls the head.
    """
    reach = math.radians(110)

    def joint(
        name: str, parent: int, up: float, axis: tuple[float, float, float], limit: float = reach
    ) -> Joint:
        return Joint(name, parent, IDENTITY, (0.0, 0.0, up), axis, -limit, limit)

    return Skeleton(
        (
            joint("base", -1, 0.05, Z, math.radians(170)),
            joint("hip", 0, 0.08, X),
            joint("elbow", 1, 0.4, X),
            joint("twist", 2, 0.0, Z),
            joint("neck", 3, 0.35, X),
            joint("roll", 4, 0.0, Y),
        ),
        about(X, 0.0),
        (0.0, 0.18, 0.0),
    )


def seen(points: list) -> np.ndarray:
    """Projection (k, 2) of positions (k, 3) onto the picture."""
    x, y, z = np.array(points, dtype=float).T
    across, away = x * math.cos(TURN) - y * math.sin(TURN), x * math.sin(TURN) + y * math.cos(TURN)
    return np.stack([across, z * math.cos(TILT) + away * math.sin(TILT)], 1)


def draw_body(axes, pose: Pose, colour: str, width: float) -> None:
    line = seen([(0.0, 0.0, 0.0), *pose.positions, pose.tool_position])
    axes.plot(*line.T, color=colour, lw=width, solid_capstyle="round", solid_joinstyle="round")
    axes.plot(*line[1:-1].T, "o", color=colour, ms=1.3 * width)


def draw_cell(axes, chain: Skeleton, goal: GazeGoal, solution: GazeSolution) -> None:
    assert isinstance(goal.aim, Point)
    pose = chain.forward(solution.angles.tolist())
    far = math.dist(goal.aim.position, pose.tool_position)
    looks = rotate(pose.tool_rotation, Y)
    ray = seen(
        [pose.tool_position, tuple(p + far * v for p, v in zip(pose.tool_position, looks, strict=True))]
    )
    axes.plot(*ray.T, color=RAY, lw=4, alpha=0.6, solid_capstyle="butt")
    draw_body(axes, chain.forward(goal.posture.tolist()), AUTHORED, 3.0)
    draw_body(axes, pose, BODY, 3.0)
    axes.plot(*seen([goal.aim.position]).T, "o", color=TARGET, ms=11)
    figures = (
        f"aim {math.degrees(solution.aim_error):.1f}, shape {math.degrees(solution.shape_deviation):.0f} deg"
    )
    axes.set_title(figures, fontsize=9.5, color=INK, y=-0.12)
    axes.set_aspect("equal")
    axes.set(xlim=(-0.95, 0.95), ylim=(-0.1, 1.25), xticks=[], yticks=[])
    for side in axes.spines.values():
        side.set_color("#dfe3e8")


def picture(path: Path) -> None:
    """Draws all situations with all solvers in `SHOWN`, into a file."""
    chain = creature()
    figure, grid = plt.subplots(
        len(SITUATIONS), len(SHOWN), figsize=(2.6 * len(SHOWN), 2.3 * len(SITUATIONS)), layout="constrained"
    )
    for row, (label, (posture, position)) in zip(grid, SITUATIONS.items(), strict=True):
        goal = GazeGoal(Point(position), np.array(posture))
        for axes, name in zip(row, SHOWN, strict=True):
            draw_cell(axes, chain, goal, make_solver(name, chain).solve(goal))
        row[0].set_ylabel(label, fontsize=11, color=INK)
    for axes, name in zip(grid[0], SHOWN, strict=True):
        axes.text(
            0.5,
            1.06,
            SOLVERS[name].label,
            transform=axes.transAxes,
            ha="center",
            fontsize=12,
            weight="bold",
            color=INK,
        )
    figure.savefig(path, dpi=80)
    plt.close(figure)


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("picture", type=Path)
    picture(ask.parse_args().picture)


if __name__ == "__main__":
    main()
