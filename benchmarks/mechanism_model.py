"""A mechanism with closed loops for other libraries: its spanning tree as MJCF, with sites for closures and
goals.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from limber.solvers.kinematics.rotations import from_matrix
from limber.solvers.kinematics.se3 import frame_array
from limber.solvers.mechanism.counting import count

from .mechanism_cases import Race

WEIGHT = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'  # inertial element, which the format requires


@dataclass(frozen=True)
class Ends:
    """Names of the sites in the libraries' models."""

    goals: tuple[str, ...]  # site of each goal's frame
    pairs: tuple[tuple[str, str], ...]  # (site, site) of each pair of points that must coincide
    # axes of each pair, in the frame of its first site, that are constrained; the others are redundant
    axes: tuple[str, ...]


def model_of(race: Race) -> tuple[str, Ends]:
    """The spanning tree as MJCF, which all libraries read: a body "n3" with a joint "j3" for each node, on a
    ground with a free joint "root", which every library locks (without one, some lose the sites on the
    ground); and its sites.

    A ball joint is closed by one point, a hinge by two points on its axis; in a mechanism with redundant
    constraints, such as planar loops, each is closed by one point with two axes. Raises ValueError if another
    kind of joint closes a loop.
    """
    solver, tree, size = race.solver, race.solver.tree, race.solver.tree.size
    is_planar = count(solver, race.start).redundancy > 0
    sites: dict[int, list[str]] = {}
    pairs, axes = [], []

    def put(link: int, further: np.ndarray, name: str) -> str:
        sites.setdefault(int(tree.carrying[link]), []).append(
            f'<site name="{name}" {_placed(tree.ends[link] @ further)}/>'
        )
        return name

    along = np.eye(4)
    along[2, 3] = size
    for k, closure in enumerate(tree.closures):
        kind = closure.kind
        if kind not in ("revolute", "spherical"):
            raise ValueError(
                f"{race.name}: a loop that a {kind} joint closes cannot be told here: close it by a hinge or"
                " a ball"
            )
        pairs.append(
            (put(closure.on_parent, np.eye(4), f"parent {k}"), put(closure.on_child, np.eye(4), f"child {k}"))
        )
        axes.append("xy" if is_planar else "xyz")
        if kind == "revolute" and not is_planar:
            pairs.append(
                (
                    put(closure.on_parent, along, f"parent's axis {k}"),
                    put(closure.on_child, along, f"child's axis {k}"),
                )
            )
            axes.append("xy")
    goals = []
    for k, goal in enumerate(race.goals[0].frames):
        goals.append(put(solver.mechanism.body_index[goal.body], frame_array(goal.on_body), f"goal {k}"))

    def body(k: int) -> str:
        kind = {"revolute": "hinge", "prismatic": "slide", "spherical": "ball"}[tree.kinds[k]]
        axis = (
            ""
            if kind == "ball"
            else ' axis="' + " ".join(map(str, tree.axes[tree.first[k], :, 0].tolist())) + '"'
        )
        return (
            f'<body name="n{k}" {_placed(tree.rests[k])}>{WEIGHT}<joint name="j{k}"'
            f' type="{kind}"{axis}/>{inside(k)}</body>'
        )

    def inside(k: int) -> str:
        return "".join(
            [*sites.get(k, ()), *(body(child) for child, parent in enumerate(tree.parents) if parent == k)]
        )

    ground = f'<body name="ground">{WEIGHT}<freejoint name="root"/>{inside(-1)}</body>'
    return f"<mujoco><worldbody>{ground}</worldbody></mujoco>", Ends(tuple(goals), tuple(pairs), tuple(axes))


def _placed(frame: np.ndarray) -> str:
    numbers = [
        " ".join(f"{float(part):.17g}" for part in parts)
        for parts in (frame[:3, 3], from_matrix(frame[:3, :3].tolist()))
    ]
    return f'pos="{numbers[0]}" quat="{numbers[1]}"'


@contextmanager
def kept(text: str) -> Iterator[str]:
    """Context manager: path of a temporary file with a model's text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.xml"
        path.write_text(text)
        yield str(path)
