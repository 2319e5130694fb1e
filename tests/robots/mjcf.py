"""MJCF files for the tests: random ones, and the frames that MuJoCo computes for their bodies."""

import random
from pathlib import Path

import numpy as np
import pytest

NO_MUJOCO = "MuJoCo is not installed: pip install -r requirements/dev.txt"

ARM = """<mujoco model="arm">
  <compiler angle="degree" meshdir="meshes"/>
  <default>
    <default class="servo">
      <joint axis="0 1 0" range="-90 45"/>
      <position kp="10" forcerange="-3 3"/>
      <default class="seen"><geom group="2" type="mesh"/></default>
    </default>
  </default>
  <asset><material name="red" rgba="1 0 0 1"/><mesh file="upper.stl" scale="0.001 0.001 0.001"/></asset>
  <worldbody>
    <geom type="plane" size="1 1 .1"/>
    <body name="base" pos="0 0 1">
      <geom type="box" size=".1 .05 .025" rgba="0 0 1 1"/>
      <body name="upper" childclass="servo" pos="0 0 .1" euler="0 0 90">
        <inertial pos="0 0 .1" mass=".5" fullinertia="1 2 3 4 5 6"/>
        <joint name="shoulder" pos="0 0 .02"/>
        <geom class="seen" mesh="upper" material="red"/>
        <geom type="capsule" fromto="0 0 0 0 0 .3" size=".02" group="3"/>
        <body name="hand" pos="0 0 .3">
          <joint name="lift" type="slide" axis="0 0 1" range="0 .1"/>
          <joint name="turn" axis="0 0 1" range="-180 180" ref="10"/>
          <site name="grip" pos="0 0 .1"/>
          <camera name="eye" pos=".02 0 0"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator><position name="m" joint="shoulder" class="servo" ctrlrange="-1 1"/></actuator>
</mujoco>
"""


def arbitrary(draw: random.Random, bodies: int = 10) -> str:
    """A random tree of bodies: several joints in one body, joints beside it, frames, classes, all notations
    of an orientation.
    """

    def numbers(count: int, spread: float = 1.0) -> str:
        return " ".join(repr(draw.gauss(0.0, spread)) for _ in range(count))

    def turned() -> str:
        word, count = draw.choice(
            [("quat", 4), ("axisangle", 4), ("xyaxes", 6), ("zaxis", 3), ("euler", 3), ("", 0)]
        )
        return f'{word}="{numbers(count, 40.0 if word == "euler" else 1.0)}"' if word else ""

    def joint(name: str) -> str:
        kind = draw.choice(["hinge", "hinge", "hinge", "slide", "ball"])
        own = f'type="{kind}"' if kind != "hinge" else ""
        axis = "" if kind == "ball" or draw.random() < 0.3 else f'axis="{numbers(3)}"'
        pos = f'pos="{numbers(3, 0.1)}"' if draw.random() < 0.5 else ""
        ref = f'ref="{numbers(1, 0.5)}"' if kind != "ball" and draw.random() < 0.3 else ""
        given = 'class="deep"' if draw.random() < 0.2 else ""
        return f'<joint name="{name}" {own} {axis} {pos} {ref} {given}/>'

    def body(k: int) -> str:
        kinds = [joint(f"j{k}_{i}") for i in range(draw.choice([0, 1, 1, 1, 2, 3]))]
        if any('type="ball"' in each for each in kinds):
            kinds = kinds[:1]
        inside = (
            "".join(kinds) + '<geom size=".1"/>' + f'<site name="s{k}" pos="{numbers(3, 0.1)}" {turned()}/>'
        )
        inside += "".join(body(child) for child in children[k])
        if draw.random() < 0.3:
            inside = f'<frame pos="{numbers(3, 0.1)}" {turned()}>{inside}</frame>'
        klass = 'childclass="wide"' if draw.random() < 0.3 else ""
        return f'<body name="b{k}" pos="{numbers(3, 0.3)}" {turned()} {klass}>{inside}</body>'

    children: list[list[int]] = [[] for _ in range(bodies)]
    for k in range(1, bodies):
        children[draw.randrange(max(0, k - 3), k)].append(k)
    sequence = draw.choice(["xyz", "zyx", "XYZ", "xyx", "xYz"])
    angle = draw.choice(["degree", "radian"])
    defaults = '<default><joint axis="0 1 0"/></default><default><default class="wide"><joint pos="0 0 .1"/>'
    defaults += '<default class="deep"><joint axis="1 1 0"/></default></default></default>'
    return (
        f'<mujoco><compiler angle="{angle}"'
        f' eulerseq="{sequence}"/>{defaults}<worldbody>{body(0)}</worldbody></mujoco>'
    )


class Referee:
    """MuJoCo's own model of a file."""

    def __init__(self, path: Path) -> None:
        self.mujoco = pytest.importorskip("mujoco", reason=NO_MUJOCO)
        # otherwise MuJoCo writes a log into the current folder
        self.mujoco.set_mju_user_warning(lambda _warning: None)
        self.model = self.mujoco.MjModel.from_xml_path(str(path))
        self.data = self.mujoco.MjData(self.model)

    def frames(self, values: dict[str, float]) -> dict[str, np.ndarray]:
        """Frame (4, 4) in the world of each named body and site, for values [rad or m] of all joints; those
        of a ball joint are NAME_x, _y, _z.
        """
        model, data = self.model, self.data
        for j in range(model.njnt):
            name, at = model.joint(j).name, model.jnt_qposadr[j]
            if model.jnt_type[j] == self.mujoco.mjtJoint.mjJNT_BALL:
                data.qpos[at : at + 4] = self._ball([values[f"{name}_{letter}"] for letter in "xyz"])
            elif model.jnt_type[j] != self.mujoco.mjtJoint.mjJNT_FREE:
                data.qpos[at] = values[name]
        self.mujoco.mj_kinematics(model, data)
        found = {
            model.site(k).name: self._frame(data.site_xpos[k], data.site_xmat[k]) for k in range(model.nsite)
        }
        return found | {
            model.body(k).name: self._frame(data.xpos[k], data.xmat[k]) for k in range(1, model.nbody)
        }

    def values(self, draw: random.Random) -> dict[str, float]:
        """Random values of all joints."""
        names = []
        for j in range(self.model.njnt):
            name = self.model.joint(j).name
            is_ball = self.model.jnt_type[j] == self.mujoco.mjtJoint.mjJNT_BALL
            names += [f"{name}_{letter}" for letter in "xyz"] if is_ball else [name]
        return {name: draw.uniform(-3.0, 3.0) for name in names}

    def _ball(self, angles: list[float]) -> np.ndarray:
        found = np.array([1.0, 0.0, 0.0, 0.0])
        for axis, angle in zip(np.eye(3), angles, strict=True):
            turn, product = np.zeros(4), np.zeros(4)
            self.mujoco.mju_axisAngle2Quat(turn, axis, angle)
            self.mujoco.mju_mulQuat(product, found, turn)
            found = product
        return found

    @staticmethod
    def _frame(position: np.ndarray, matrix: np.ndarray) -> np.ndarray:
        found = np.eye(4)
        found[:3, :3], found[:3, 3] = matrix.reshape(3, 3), position
        return found

    def frames_at(self, keyframe: int) -> dict[str, np.ndarray]:
        """Frames (4, 4) of all named bodies and sites in a keyframe."""
        self.mujoco.mj_resetDataKeyframe(self.model, self.data, keyframe)
        self.mujoco.mj_kinematics(self.model, self.data)
        return {
            self.model.body(k).name: self._frame(self.data.xpos[k], self.data.xmat[k])
            for k in range(1, self.model.nbody)
        }
