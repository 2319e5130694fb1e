"""Rebuilds, in plain Python, the movers and the stage of a scene that Blender has played; see
`tests/blender/test_plain_stage.py`.
"""

import pickle
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from limber.character.body.inputs import BodyInputs
from limber.character.body.tick import make_model as make_body
from limber.character.chain.inputs import ChainInputs
from limber.character.chain.tick import make_model as make_chain
from limber.character.mechanism.tick import MechanismModel, MechanismMotor
from limber.motion import make_filter
from limber.solvers.mechanism.assembly import assemble
from limber.solvers.mechanism.solver import MechanismSolver
from limber.solvers.whole_body.body import Body

from tests.character.plain import PlainMover, View, played, values


@dataclass(frozen=True)
class Chain:
    """A chain, and its inputs in each frame."""

    settings: Mapping[str, Any]  # arguments of `make_model`
    inputs: list[ChainInputs]
    mount: "Mount | None" = None  # its mount on a body, which then determines its base and posture

    def mover(self, key: str) -> PlainMover:
        def asked(view: View, number: int) -> ChainInputs:
            inputs = self.inputs[number]
            return self.mount.stood_on(view[self.mount.body].outputs, inputs) if self.mount else inputs

        after = (self.mount.body,) if self.mount else ()
        return PlainMover(key, make_chain(**self.settings), asked, after, looks_forward=True)


@dataclass(frozen=True)
class Mount:
    """Mount of a chain on a body."""

    body: str  # key of the body
    world: np.ndarray  # (4, 4) the chain's armature in the world
    link: int  # index of the body's link above the chain
    rest: np.ndarray  # (4, 4) the chain's base in that link
    joints: tuple[int, ...]  # indices of the body's joints that the chain also has, in the chain's order
    kinematics: Body

    def stood_on(self, outputs: Any, inputs: ChainInputs) -> ChainInputs:
        frame = self.kinematics.placed(outputs.state.frames, np.array([self.link]))[0]
        frame[:3, 3] += outputs.state.base_position
        base = self.world @ (frame @ self.rest)
        return replace(inputs, base=base.tolist(), posture=outputs.state.joints[list(self.joints)])


@dataclass(frozen=True)
class WholeBody:
    """A body, and the inputs of its links in each frame."""

    settings: Mapping[str, Any]  # arguments of `make_model` except the body
    body: Mapping[str, Any]  # joints, links and limits
    inputs: list[BodyInputs]

    def mover(self, key: str) -> PlainMover:
        return PlainMover(
            key, make_body(Body(**self.body), **self.settings), lambda view, number: self.inputs[number]
        )


@dataclass(frozen=True)
class Mechanism:
    """A mechanism, and its inputs in each frame."""

    mechanism: Any
    motors: list[tuple]  # joint, index of its values, name of the filter, limits, style
    inputs: list[Any]

    def mover(self, key: str) -> PlainMover:
        solver = MechanismSolver(self.mechanism)
        motors = tuple(
            MechanismMotor(joint, index, make_filter(*told)) for joint, index, *told in self.motors
        )
        model = MechanismModel(solver, assemble(solver).state, motors)
        return PlainMover(key, model, lambda view, number: self.inputs[number])


def main(source: Path, result: Path) -> None:
    """Plays a description, and writes each mover's values (frames, n), without loading any Blender module."""
    scene, dt = pickle.loads(source.read_bytes())
    frames = len(next(iter(scene.values())).inputs)
    movers = [mover.mover(key) for key, mover in scene.items()]
    motion = played(movers[::-1], frames, dt)  # reversed, since the stage sorts them
    loaded = {name.partition(".")[0] for name in sys.modules} & {"bpy", "mathutils", "bmesh", "bpy_extras"}
    assert not loaded, f"of Blender there are {loaded}"
    np.savez(result, **{key: np.array([values(outputs[key]) for outputs in motion]) for key in scene})
