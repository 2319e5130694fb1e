"""Export of a scene's character to a file that plays without Blender: engine models, and the authored values
of each frame.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import bpy
import numpy as np

from ...character.behaviour.data import Behaviour
from ...character.behaviour.ready import READY
from ...character.file.contents import (
    Anchor,
    ChainLink,
    CharacterFile,
    Rate,
    SelfTest,
    TargetEntry,
    ValueEntry,
)
from ...character.file.engine import engine_digest
from ...character.file.tracks import track
from ...character.stage import in_order
from ...hardware.errors import HardwareError
from ...motion import MotionError
from ..behaviour import authored
from ..blender.errors import RigError
from ..blender.limber_version import limber_version
from ..bones.file_joints import SourceKey
from ..live import live
from ..live.mover import Key, Mover
from ..live.movers import BodyMover, ChainMover, MechanismMover, movers_of
from ..live.stage import SceneStage, in_one_order
from ..live.uses import Use, why_not
from ..robot.device import driven_names
from ..robot.lid_values import lid_path
from ..robot.value_filters import value_filter
from ..robot.values import value_of
from ..scene.dependencies import moved_targets
from ..scene.placement import Hanging
from .character_bodies import ExportedBody
from .character_chains import ExportedChain
from .character_mechanisms import ExportedMechanism
from .character_picture import character_picture
from .character_robots import ExportedRobot
from .character_sounds import clip_sounds
from .stepped import SteppedJob, scene_frames

SCENE = "SCENE"  # value of `behaviour` for the scene's own behaviour
TEST_FOR = 10.0  # [s] duration of the self-test; a shorter clip is tested to its end


class ExportedValue(NamedTuple):
    """A value of the robot other than its joints: its name in the file, the object with the robot, and its
    settings.
    """

    name: str
    owner: bpy.types.Object
    settings: bpy.types.PropertyGroup


def _exported_values(movers: list[Mover]) -> list[ExportedValue]:
    """Values of the movers' robots. If values of two objects have the same name, the object's name is put
    before it.

    Raises:
        RigError: two values of an object have the same name.
    """
    owners = dict.fromkeys(mover.owner for mover in movers)
    pairs = [(owner, value) for owner in owners for value in owner.limber.device.auxiliaries]
    for k, (owner, value) in enumerate(pairs):
        if any(owner == other and value.name == other_value.name for other, other_value in pairs[:k]):
            raise RigError(
                f"Two values of '{owner.name}' are called '{value.name}': rename one of them in the Robot"
                " panel, then export"
            )
    # the player finds a value by its name alone, so names must be unique in the file
    names = [value.name for _, value in pairs]
    return [
        ExportedValue(
            value.name if names.count(value.name) == 1 else f"{owner.name}/{value.name}", owner, value
        )
        for owner, value in pairs
    ]


class CharacterExport(SteppedJob):
    """Reads the scene's movers over its frames, one frame per step. Nothing is written before `finish`.

    Args:
        scene: The scene; exported are its chains that are live or (unless their armature's body is live) have
            a target, its bodies that follow a motion, and its mechanisms that are live or have motors.
        name: Name of the character.
        behaviour: "SCENE" for the scene's own, a key of `READY` for a built-in set, or "NONE".
        is_look_ahead: Whether only the first frame is read, to know what the file cannot contain.

    Raises:
        RigError: there is no such mover, a chain or mechanism cannot be baked or a mover not be read, the
            frame range is empty, or two values of an object have the same name.
    """

    keeps_unkeyed = True

    def __init__(
        self, scene: bpy.types.Scene, name: str, behaviour: str = "SCENE", is_look_ahead: bool = False
    ) -> None:
        self.name, self.behaviour = name, behaviour
        exported, self.left_out = _exported(scene)
        self.frames = scene_frames(scene)
        if not len(self.frames):
            raise RigError("The scene's frame range is empty: set Start before End in the Output properties")
        self.movers = in_one_order(exported)
        self.stage = SceneStage()
        live.prepare(self.stage, self.movers)
        chains, mechanisms, bodies = (
            [(mover, self.stage.session(*mover)) for mover in self.movers if isinstance(mover, kind)]
            for kind in (ChainMover, MechanismMover, BodyMover)
        )
        self.chains = _exported_chains(chains)
        self.mechanisms = [ExportedMechanism(*pair) for pair in mechanisms]
        self.bodies = [ExportedBody(*pair) for pair in bodies]
        # name of a target in the file -> (object, bone)
        self.targets = {name: target for reader in self._readers for name, target in reader.targets.items()}
        self.world_matrices: dict[str, list[np.ndarray]] = {name: [] for name in self.targets}
        self.hangings: dict[str, list[Hanging | None]] = {name: [] for name in self.targets}
        self.exported_values = _exported_values(self.movers)
        self.values: dict[str, list[float]] = {value.name: [] for value in self.exported_values}
        self.robots, self.no_robots = _robots(self.movers)
        self.total, self.done = 1 if is_look_ahead else len(self.frames), 0
        # key of a mover that depends on itself in some frame -> key of the mover through which it does
        self.cycles: dict[Key, Key] = {}
        self.picture = b""  # PNG picture of the first frame
        self.sounds = clip_sounds(scene, self.frames)
        super().__init__(scene)

    @property
    def _readers(self) -> list:
        """The readers of all movers: of chains, of mechanisms, then of bodies."""
        return [*self.chains.values(), *self.mechanisms, *self.bodies]

    @property
    def says(self) -> str:
        return f"Reading frame {self.frames[min(self.done, self.total - 1)]} of {self.frames[-1]}"

    def step(self) -> bool:
        """Reads one frame; returns whether there are more.

        Raises:
            RigError: a mover cannot be solved in the first frame.
        """
        frame = self.frames[self.done]
        self.scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        self.stage.advance(self.movers, depsgraph, self.seconds_a_frame if self.done else 0.0)
        self.cycles |= self.stage.feedback
        placement = self.stage.placement(self.movers, depsgraph)
        for reader in self._readers:
            reader.read(frame, placement)
        if not self.done:
            self.picture = character_picture(self._rigs(), placement)
        for name, (target, bone) in self.targets.items():
            matrix = placement.object(target)
            self.world_matrices[name].append(
                np.array(matrix @ placement.bone(target, bone) if bone else matrix, float)
            )
            self.hangings[name].append(placement.hanging(target, bone))
        for value in self.exported_values:
            number = value_of(value.settings)
            self.values[value.name].append(0.0 if number is None else number)
        for robot in self.robots:
            robot.read()
        self.done += 1
        return self.done < self.total

    def finish(self) -> CharacterFile:
        """Ends the export; returns the file's content. Raises RigError if the behaviour cannot be used."""
        fps, base = self.scene.render.fps, self.scene.render.fps_base
        chains = self._in_order()
        entries = tuple(chain.entry(self._anchor) for chain in chains)
        posture_names = dict.fromkeys(posture.name for entry in entries for posture in entry.postures)
        character = CharacterFile(
            name=self.name,
            made_by=f"Limber {limber_version()} for Blender {bpy.app.version_string}",
            engine=engine_digest(),
            rate=Rate(float(fps), float(base)),
            first_frame=self.frames[0],
            frames=self.total,
            chains=entries,
            targets=tuple(
                TargetEntry(name, self._anchor(self.hangings[name], matrices))
                for name, matrices in self.world_matrices.items()
            ),
            values=tuple(
                ValueEntry(
                    value.name,
                    track(np.array(self.values[value.name])),
                    value_filter(value.settings),
                    self._lids_of(value.settings),
                )
                for value in self.exported_values
            ),
            robots=tuple(robot.entry(self._names(), self._value_names(robot.rig)) for robot in self.robots),
            behaviour=self._behaviour(posture_names),
            mechanisms=tuple(mechanism.entry(self._anchor) for mechanism in self.mechanisms),
            bodies=tuple(body.entry() for body in self.bodies),
            remarks=tuple(self._remarks()),
            thumbnail=self.picture,
            sounds=self.sounds.sounds,
        )
        self._end()
        return replace(character, self_test=self._self_test(character, chains))

    def _rigs(self) -> dict[bpy.types.Object, set[str]]:
        """The movers' armatures, and the bones that they move."""
        rigs: dict[bpy.types.Object, set[str]] = {}
        for mover in self.movers:
            if mover.owner.type == "ARMATURE":
                rigs.setdefault(mover.owner, set()).update(mover.links(self.stage.session(*mover)))
        return rigs

    def _lids_of(self, auxiliary: bpy.types.PropertyGroup) -> str:
        """Name of the chain whose eyelids a value follows; "" if it follows none."""
        for exported in self.chains.values():
            owner, chain = exported.mover
            if auxiliary.owner == owner and auxiliary.path == lid_path(chain):
                return exported.name
        return ""

    def _value_names(self, owner: bpy.types.Object) -> dict[str, str]:
        """Names of an object's values in the file, by their names in the object."""
        return {value.settings.name: value.name for value in self.exported_values if value.owner == owner}

    def _behaviour(self, posture_names: Iterable[str]) -> Behaviour | None:
        """The behaviour of the file; None if the character has none.

        Raises:
            RigError: the scene's behaviour cannot be used.
        """
        if self.behaviour in READY:
            return READY[self.behaviour](posture_names)
        if self.behaviour != SCENE:
            return None
        cast = [authored.CastChain(chain.name, *chain.mover) for chain in self.chains.values()]
        return authored.behaviour(self.scene, cast)

    def _names(self) -> dict[SourceKey, str]:
        """Names of the file's joints, by the source that a robot's joint follows; a chain's names take
        precedence over a body's.
        """
        names: dict[SourceKey, str] = {}
        for reader in (*self.bodies, *self.mechanisms, *self.chains.values()):
            uid = reader.mover.settings.uid
            names |= {(uid, *key): name for key, name in reader.joint_names.items()}
        body_joints = {body.mover.owner: body.joint_names for body in self.bodies}
        # joints of chains that are not exported have the names that the body gives them
        for owner, joint_names in body_joints.items():
            for chain in owner.limber.chains:
                for joint in chain.joints:
                    if joint.key in joint_names:
                        names.setdefault((chain.uid, *joint.key), joint_names[joint.key])
        return names

    def _self_test(self, character: CharacterFile, chains: list[ExportedChain]) -> SelfTest:
        """The file's self-test: the values of all joints in the first seconds, as computed in Blender."""
        tested = min(self.total, round(TEST_FOR / character.rate.seconds_a_frame) + 1)

        def joined(name: str) -> np.ndarray:
            columns = [
                *(getattr(reader, name)[:tested] for reader in (*chains, *self.mechanisms)),
                *(
                    np.array(getattr(body, name)[:tested])[:, character.columns(entry)]
                    for body, entry in zip(self.bodies, character.bodies, strict=True)
                ),
            ]
            return np.hstack([np.array(column, float).reshape(tested, -1) for column in columns])

        return SelfTest(joined("commanded"), joined("desired"))

    def _in_order(self) -> list[ExportedChain]:
        """The chains, ordered so that each comes after the chain that carries it."""
        chains = list(self.chains.values())
        indices = {chain.name: k for k, chain in enumerate(chains)}
        links = [chain.anchor(self._anchor).link for chain in chains]
        needs = [[indices[link.chain]] if link is not None else [] for link in links]
        return [chains[k] for k in in_order(needs, [True] * len(needs)).indices]

    def _anchor(self, hanging: list[Hanging | None], world: list[np.ndarray]) -> Anchor:
        """Motion of an object over the frames: relative to a joint of another exported chain, if that joint
        carries it in all frames, else in the world.

        Args:
            hanging: What carries the object in each frame; None: nothing.
            world: World matrix (4, 4) of the object in each frame.
        """
        links = {carrier and (carrier.key, carrier.joint) for carrier in hanging}
        first = next(iter(links))
        if first is None or len(links) > 1 or first[0] not in self.chains:
            return Anchor(None, track(np.array(world)))
        link = ChainLink(self.chains[first[0]].name, first[1])
        return Anchor(link, track(np.array([carrier.relative for carrier in hanging])))

    def _remarks(self) -> list[str]:
        """Sentences on what is not in the file or differs there, and on faults of the scene's behaviour."""
        remarks = [f"{mover.label} is not in the file: {why}" for mover, why in self.left_out]
        remarks += [f"The robot of '{name}' is not in the file: {why}" for name, why in self.no_robots]
        remarks += [
            f"Value '{value.settings.name}' of '{value.owner.name}' is '{value.name}' in the file, since another"
            " object has one of that name"
            for value in self.exported_values
            if value.name != value.settings.name
        ]
        if self.behaviour == SCENE:
            remarks += [finding.sentence for finding in authored.findings(self.scene)]
        for reader in self._readers:
            remarks += reader.remarks(self.frames[0])
        for chain in self.chains.values():
            remarks += self._hanging(chain)
        movers = {mover.key: mover for mover in self.movers}
        remarks += [
            f"{movers[key].label} depends on itself through {movers[through].in_sentence}: without Blender it"
            " moves otherwise, since what it carries moves as in the scene's frames. Choose another target"
            for key, through in self.cycles.items()
        ]
        return remarks + self.sounds.remarks

    def _hanging(self, chain: ExportedChain) -> list[str]:
        """Sentences on a chain's base and targets that another chain moves, and not by parents alone."""
        sentences, mover = [], chain.mover
        is_on_link = chain.anchor(self._anchor).link is not None
        for other in (other.mover for other in self.chains.values()):
            part = mover.part_moved_by(other) if other.key != mover.key else ""
            is_fixed = part == "target" or not is_on_link
            if part == "target":
                target = moved_targets(mover.settings, other.moves)[0].name
                is_fixed = self._anchor(self.hangings[target], self.world_matrices[target]).link is None
            if part and is_fixed:
                subject = f"Target '{target}' of {mover.in_sentence}" if part == "target" else mover.label
                sentences.append(
                    f"{subject} hangs on {other.in_sentence} by more than parents: in the file it moves as it"
                    " does in the scene's frames"
                )
        return sentences


def _exported(scene: bpy.types.Scene) -> tuple[list[Mover], list[tuple[Mover, str]]]:
    """The scene's movers that are exported, and (body, reason) of bodies that cannot be.

    Raises:
        RigError: there is none, or a chain or mechanism cannot be baked.
    """
    exported, left_out = [], []
    for mover in (mover for obj in scene.objects for mover in movers_of(obj)):
        is_body = isinstance(mover, BodyMover)
        if not (mover.is_live or mover.bakes_when_off or is_body or _has_motors(mover)):
            continue
        why = why_not(Use.BAKE, mover)
        # a body exists as soon as it has pairs: an unfinished body must not stop the export of the rest
        if why and not is_body:
            raise RigError(why)
        if why:
            left_out.append((mover, why))
        else:
            exported.append(mover)
    if not exported:
        raise RigError(
            "The scene has no chain with a target: make a chain, and choose what it looks at, then export"
        )
    return exported, left_out


def _exported_chains(chains: list[tuple]) -> dict[object, ExportedChain]:
    """Readers of chains by the keys of their movers, from pairs of a chain and its session. If two chains
    have the same name, the armature's name is put before it.
    """
    cast = authored.cast_of([mover for mover, _ in chains])
    return {
        mover.key: ExportedChain(mover, session, member.name)
        for member, (mover, session) in zip(cast, chains, strict=True)
    }


def _robots(movers: list[Mover]) -> tuple[list[ExportedRobot], list[tuple[str, str]]]:
    """The robots of the movers' objects, and (name, reason) of those that cannot be exported."""
    exported, left_out = [], []
    for owner in dict.fromkeys(mover.owner for mover in movers):
        if not driven_names(owner):
            continue
        try:
            exported.append(ExportedRobot(owner))
        except (HardwareError, MotionError, RigError) as error:
            left_out.append((owner.name, str(error)))
    return exported, left_out


def _has_motors(mover: Mover) -> bool:
    """Whether a mover is a mechanism with motors."""
    return isinstance(mover, MechanismMover) and len(mover.settings.motors) > 0
