"""Description of a character file's content, for people and for programs."""

from collections.abc import Iterable
from typing import Any

from ..character.file.archive import VERSION
from ..character.file.contents import BodyEntry, ChainEntry, CharacterFile, MechanismEntry, RobotEntry
from ..files.png import png_size
from ..solvers.kernel.library import kernel
from ..solvers.table import SOLVERS
from .paths import path_of
from .robots import protocol_of


def info(character: CharacterFile) -> dict[str, Any]:
    """Summary of a character file as a dict for JSON: names, numbers and times, not motions or meshes."""
    return {
        "name": character.name,
        "made_by": character.made_by,
        "version": list(VERSION),
        "rate": character.rate.fps / character.rate.fps_base,
        "first_frame": character.first_frame,
        "frames": character.frames,
        "seconds": (character.frames - 1) * character.rate.seconds_a_frame,
        "chains": [_chain(chain) for chain in character.chains],
        "mechanisms": [mechanism.name for mechanism in character.mechanisms],
        "bodies": [body.name for body in character.bodies],
        "joints": list(character.joint_names),
        "targets": [target.name for target in character.targets],
        "robots": [_robot(robot) for robot in character.robots],
        "values": [value.name for value in character.values],
        "states": [state.name for state in character.behaviour.states] if character.behaviour else [],
        "events": list(character.behaviour.events) if character.behaviour else [],
        "paths": _paths(character),
        "self_test_frames": len(character.self_test.commanded) if character.self_test else 0,
        "thumbnail": png_size(character.thumbnail),
        "sounds": [
            {"name": sound.name, "begin": sound.begin, "bytes": len(sound.data)} for sound in character.sounds
        ],
        "remarks": list(character.remarks),
    }


def _chain(chain: ChainEntry) -> dict[str, Any]:
    return {
        "name": chain.name,
        "rig": chain.rig,
        "joints": list(chain.joint_names),
        "solver": chain.solver,
        "filter": chain.filter_name,
        "targets": list(chain.ends[0].targets),
        "postures": [posture.name for posture in chain.postures],
    }


def _robot(robot: RobotEntry) -> dict[str, Any]:
    return {
        "name": robot.name,
        "protocol": protocol_of(robot),
        "port": robot.port,
        "joints": [joint.name for joint in robot.joints],
    }


def _paths(character: CharacterFile) -> list[str]:
    """Paths at which a script or a program can set a chain's posture, weights, influence and share, and other
    values.
    """
    paths = []
    for chain in character.chains:
        paths += [path_of("weight", chain.name, posture.name) for posture in chain.postures]
        paths += [path_of(word, chain.name) for word in ("posture", "influence", "share")]
    return paths + [path_of("value", value.name) for value in character.values]


def lines(character: CharacterFile) -> list[str]:
    """The content of a character file as lines of text, with a line on this computer's compiled kernel."""
    seconds = (character.frames - 1) * character.rate.seconds_a_frame
    text = [
        f"{character.name}, exported by {character.made_by}",
        f"{character.frames} frames, {seconds:.1f} s at {1.0 / character.rate.seconds_a_frame:g} a second",
        *map(_chain_line, character.chains),
        *map(_mechanism_line, character.mechanisms),
        *map(_body_line, character.bodies),
        *(map(_robot_line, character.robots) if character.robots else ["No robot: it plays for itself"]),
    ]
    if character.values:
        text.append(f"Values: {_listed(value.name for value in character.values)}")
    if character.behaviour is not None:
        states = _listed(state.name for state in character.behaviour.states)
        text.append(f"States: {states}; events: {_listed(character.behaviour.events)}")
    text += [f"Sound '{sound.name}' from {sound.begin:.1f} s on" for sound in character.sounds]
    if (size := png_size(character.thumbnail)) is not None:
        text.append(f"Picture of {size[0]} x {size[1]} pixels")
    return [*text, _kernel_line(), *character.remarks]


def _chain_line(chain: ChainEntry) -> str:
    return (
        f"Chain '{chain.name}' of '{chain.rig}': {len(chain.skeleton)} joints, solver"
        f" {SOLVERS[chain.solver].label}, looks at {', '.join(chain.ends[0].targets)}; postures:"
        f" {_listed(posture.name for posture in chain.postures)}"
    )


def _mechanism_line(mechanism: MechanismEntry) -> str:
    return f"Mechanism '{mechanism.name}': motors {_listed(motor.name for motor in mechanism.motors)}"


def _body_line(body: BodyEntry) -> str:
    return (
        f"Body of '{body.name}': {len(body.body)} joints, {len(body.targets)} targets; feet on the floor:"
        f" {_listed(foot.link for foot in body.feet)}"
    )


def _robot_line(robot: RobotEntry) -> str:
    return f"Robot of '{robot.name}': {protocol_of(robot)} on {robot.port}, {len(robot.joints)} joints"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def _kernel_line() -> str:
    """Line on whether this computer has the compiled kernel of the solvers."""
    library = kernel()
    if library is None:
        return "Kernel: not here: solvers are slower. Install the wheel limber_kernel for this computer"
    return f"Kernel: compiled code in {library.path}"
