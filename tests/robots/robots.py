"""Robots for the tests: public files, random ones, and independent forward kinematics, written from the URDF
specification alone.
"""

import math
import random
import xml.etree.ElementTree as ET
from functools import lru_cache
from pathlib import Path

import numpy as np

SHARED = (
    Path(__file__).resolve().parents[3] / "shared"
)  # folder of public robots beside the checkout, if it exists
PUBLIC = sorted(
    [*SHARED.glob("data/**/*.urdf"), *SHARED.glob("whole_body/*.urdf"), *SHARED.glob("mechanism/**/*.urdf")]
)
NO_PUBLIC = "no folder shared/ with public robots beside this checkout"

ARM = """<robot name="arm">
  <material name="blue"><color rgba="0.1 0.2 0.8 1"/></material>
  <link name="base"><visual><geometry><box size="0.2 0.1 0.05"/></geometry><material name="blue"/></visual></link>
  <link name="upper">
    <inertial><origin xyz="0 0 0.1"/><mass value="0.5"/><inertia ixx="1" ixy="2" ixz="3" iyy="4" iyz="5" izz="6"/></inertial>
  </link>
  <link name="lower"/>
  <link name="hand"><visual><geometry><sphere radius="0.04"/></geometry></visual></link>
  <link name="left"/><link name="right"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><origin xyz="0 0 0.1" rpy="0 0 0.3"/><axis xyz="0 0 2"/>
    <limit lower="-2" upper="1.5" velocity="3" effort="4"/>
  </joint>
  <joint name="elbow" type="revolute">
    <parent link="upper"/><child link="lower"/><origin xyz="0 0 0.3"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="2" velocity="2" effort="4"/>
  </joint>
  <joint name="wrist" type="fixed"><parent link="lower"/><child link="hand"/><origin xyz="0 0 0.25"/><axis xyz="0 0 0"/></joint>
  <joint name="grip" type="prismatic">
    <parent link="hand"/><child link="left"/><origin xyz="0.01 0 0.05"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="0.03" velocity="0.1" effort="1"/>
  </joint>
  <joint name="counter_grip" type="prismatic">
    <parent link="hand"/><child link="right"/><origin xyz="-0.01 0 0.05"/><axis xyz="-1 0 0"/><limit lower="0" upper="0.03"/>
    <mimic joint="grip" multiplier="0.5" offset="0.001"/>
  </joint>
</robot>
"""


def write(folder: Path, text: str, name: str = "robot.urdf") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def arbitrary(draw: random.Random, links: int = 14) -> str:
    """A tree of random joints: any frames and axes, joints at one point, all kinds, some without limits, some
    mimic joints.
    """

    def numbers(count: int, spread: float) -> str:
        return " ".join(repr(draw.gauss(0.0, spread)) for _ in range(count))

    lines = [f'<link name="link {k}"/>' for k in range(links)]
    movers: list[int] = []
    for k in range(1, links):
        kind = draw.choice(["revolute", "revolute", "revolute", "continuous", "prismatic", "fixed"])
        offset = "0 0 0" if draw.random() < 0.3 else numbers(3, 0.2)
        limit = ""
        if kind in ("revolute", "prismatic") and draw.random() < 0.8:
            lower = draw.uniform(-3.0, 0.5)
            limit = f'<limit lower="{lower!r}" upper="{draw.uniform(lower, 3.0)!r}" velocity="1" effort="1"/>'
        mimic = ""
        if movers and kind != "fixed" and draw.random() < 0.2:
            leader = draw.choice(movers)
            mimic = (
                f'<mimic joint="joint {leader}" multiplier="{draw.uniform(-2, 2)!r}"'
                f' offset="{draw.uniform(-1, 1)!r}"/>'
            )
        if kind != "fixed":
            movers.append(k)
        lines.append(
            f'<joint name="joint {k}" type="{kind}"><parent link="link'
            f' {draw.randrange(max(0, k - 3), k)}"/><child link="link {k}"/><origin xyz="{offset}"'
            f' rpy="{numbers(3, 2.0)}"/><axis xyz="{numbers(3, 1.0)}"/>{limit}{mimic}</joint>'
        )
    head, rest = lines[0], lines[1:]
    draw.shuffle(rest)  # the order has no meaning
    return '<?xml version="1.0"?>\n<robot name="arbitrary">\n' + "\n".join([head, *rest]) + "\n</robot>\n"


def _numbers(element: ET.Element | None, name: str, otherwise: str) -> np.ndarray:
    return np.array(
        [float(word) for word in (otherwise if element is None else element.get(name, otherwise)).split()]
    )


def _rpy(roll: float, pitch: float, yaw: float) -> np.ndarray:
    (cr, cp, cy), (sr, sp, sy) = np.cos([roll, pitch, yaw]), np.sin([roll, pitch, yaw])
    about_x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    about_y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    return np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]]) @ about_y @ about_x


@lru_cache(maxsize=2)
def _joints(path: Path) -> tuple[str, list[tuple]]:
    """Name of the root link, and each joint, parents first: parent, child, transform (4, 4), name, type, unit
    axis, mimic relation.
    """
    robot = ET.parse(path).getroot()
    waiting = robot.findall("joint")
    children = {joint.find("child").get("link") for joint in waiting}
    root = next(link.get("name") for link in robot.findall("link") if link.get("name") not in children)
    known, joints = {root}, []
    while waiting:
        for joint in [each for each in waiting if each.find("parent").get("link") in known]:
            waiting.remove(joint)
            known.add(joint.find("child").get("link"))
            step, origin = np.eye(4), joint.find("origin")
            step[:3, :3], step[:3, 3] = (
                _rpy(*_numbers(origin, "rpy", "0 0 0")),
                _numbers(origin, "xyz", "0 0 0"),
            )
            axis = _numbers(joint.find("axis"), "xyz", "1 0 0")
            axis /= np.linalg.norm(axis) if axis.any() else 1.0
            ends = joint.find("parent").get("link"), joint.find("child").get("link")
            joints.append((*ends, step, joint.get("name"), joint.get("type"), axis, joint.find("mimic")))
    return root, joints


def frames(path: Path, values: dict[str, float]) -> dict[str, np.ndarray]:
    """Frame (4, 4) of each link in the file's root link, for values [rad or m] of all joints; mimic joints
    follow.
    """
    root, joints = _joints(path)
    mimics = {name: mimic for _, _, _, name, _, _, mimic in joints}

    def value(name: str) -> float:
        mimic = mimics[name]
        if mimic is None:
            return values.get(name, 0.0)
        return float(mimic.get("multiplier", 1)) * value(mimic.get("joint")) + float(mimic.get("offset", 0))

    found = {root: np.eye(4)}
    for parent, child, step, name, kind, axis, _ in joints:
        move, by, (x, y, z) = np.eye(4), value(name), axis
        if kind == "prismatic":
            move[:3, 3] = by * axis
        elif kind != "fixed":
            cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
            move[:3, :3] += math.sin(by) * cross + (1 - math.cos(by)) * cross @ cross
        found[child] = found[parent] @ step @ move
    return found


def apart(wanted: np.ndarray, rotation: np.ndarray, place) -> tuple[float, float]:
    """Difference of a frame from the expected one: [m], and [rad], exact for small angles."""
    turned = wanted[:3, :3].T @ rotation
    skew = 0.5 * np.array(
        [turned[2, 1] - turned[1, 2], turned[0, 2] - turned[2, 0], turned[1, 0] - turned[0, 1]]
    )
    angle = math.atan2(float(np.linalg.norm(skew)), float(np.trace(turned) - 1.0) / 2.0)
    return float(np.linalg.norm(wanted[:3, 3] - np.array(place))), angle
