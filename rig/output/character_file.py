"""Export of a scene's character to a file that plays without Blender: built models, and what the animator
authored, frame by frame.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import bpy
import numpy as np

from ...character.behaviour.ready import READY
from ...character.chain.settings import BASES, ChainSettings
from ...character.file.contents import (
    Anchor,
    ChainEntry,
    ChainLink,
    CharacterFile,
    FollowingEnd,
    Rate,
    SelfTest,
    StoredPosture,
    TargetEntry,
    ValueEntry,
)
from ...character.file.reading import LIFE
from ...character.file.tracks import track
from ...character.order import in_order
from ..blender.errors import RigError
from ..chains import chain as build
from ..chains.kept_posture import place
from ..live import live
from ..live.chain_session import ChainSession
from ..live.mover import Mover
from ..live.movers import ChainMover, MechanismMover, movers_of
from ..live.stage import SceneStage, in_one_order
from ..live.uses import Use, why_not
from ..robot.values import value_of
from ..scene.dependencies import moved_targets
from ..scene.goal import watched, with_goal
from ..scene.placement import Hanging
from .character_mechanisms import MechanismReader
from .stepped import Stepped, scene_frames

TEST_FOR = 10.0  # [s] of the self-test


class _ChainRow(NamedTuple):
    """What is read of a chain in a frame."""

    base: int
    posture: int  # index in the chain's list; -1: none
    watch: int
    weights: list[float]
    settings: dict[str, float]
    authored: np.ndarray
    base_frame: np.ndarray  # (4, 4) of the chain's base in the world
    hanging: Hanging | None
    commanded: np.ndarray
    desired: np.ndarray


@dataclass
class _Read:
    """What was read of a chain so far."""

    rows: list[_ChainRow] = field(default_factory=list)
    problems: dict[int, str] = field(default_factory=dict)  # by frames
    has_changed: bool = False  # whether its joints were built in another way in a later frame


class CharacterExport(Stepped):
    """Reads the scene's chains over its frames, one frame per step. Nothing is written before `finish`.

    Args:
        scene: The scene; its chains that are live or have a target are exported, and its mechanisms with
            motors.
        name: Name of the character.
        behaviour: Key of a ready set in `READY`; "NONE": no behaviour.

    Raises:
        RigError: there is no such chain, or one cannot be baked.
    """

    keeps_unkeyed = True

    def __init__(self, scene, name: str, behaviour: str = "NONE") -> None:
        movers = [mover for obj in scene.objects for mover in movers_of(obj)]
        exported = [mover for mover in movers if mover.is_live or mover.bakes_when_off or _has_motors(mover)]
        self.movers = [mover for mover in in_one_order(exported) if isinstance(mover, ChainMover)]
        self.mechanisms = [mover for mover in in_one_order(exported) if isinstance(mover, MechanismMover)]
        if not self.movers and not self.mechanisms:
            raise RigError(
                "The scene has no chain with a target: make a chain, and choose what it looks at, then export"
            )
        for mover in (*self.movers, *self.mechanisms):
            if why := why_not(Use.BAKE, mover):
                raise RigError(why)
        names = [mover.name for mover in self.movers]
        self._names = {
            mover.key: mover.name if names.count(mover.name) == 1 else f"{mover.owner.name}/{mover.name}"
            for mover in self.movers
        }
        self.name, self.behaviour = name, behaviour
        self.frames = scene_frames(scene)
        if not len(self.frames):
            raise RigError("The scene's frame range is empty: set Start before End in the Output properties")
        self.stage = SceneStage()
        live.prepare(self.stage, [*self.movers, *self.mechanisms])
        self.readers = [MechanismReader(mover, self.stage.session(*mover)) for mover in self.mechanisms]
        self.reads = {mover.key: _Read() for mover in self.movers}
        self.models: dict = {}
        self.targets = {
            target.name: (target, "") for mover in self.movers for target in _targets_of(mover.settings)
        }
        for reader in self.readers:
            self.targets |= reader.targets
        self.places: dict[str, list[np.ndarray]] = {name: [] for name in self.targets}
        self.hangings: dict[str, list[Hanging | None]] = {name: [] for name in self.targets}
        self.auxiliaries = {
            auxiliary.name: auxiliary
            for owner in {mover.owner for mover in self.movers}
            for auxiliary in owner.limber.device.auxiliaries
        }
        self.values: dict[str, list[float]] = {name: [] for name in self.auxiliaries}
        self.left_out = [mover for mover in exported if not isinstance(mover, ChainMover | MechanismMover)]
        self.total, self.done = len(self.frames), 0
        super().__init__(scene)

    @property
    def says(self) -> str:
        return f"Reading frame {self.frames[min(self.done, self.total - 1)]} of {self.frames[-1]}"

    def step(self) -> bool:
        """Reads one frame; returns whether there are more.

        Raises:
            RigError: a chain cannot be solved in the first frame.
        """
        frame = self.frames[self.done]
        self.scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        movers = [*self.movers, *self.mechanisms]
        self.stage.advance(movers, depsgraph, self.seconds_a_frame if self.done else 0.0)
        for mover in self.movers:
            self._read(mover, frame, build.keyed(mover.owner, mover.settings, depsgraph))
        placement = self.stage.placement(movers, depsgraph)
        for reader in self.readers:
            reader.read(frame, placement)
        for name, (target, bone) in self.targets.items():
            matrix = placement.object(target)
            self.places[name].append(
                np.array(matrix @ placement.bone(target, bone) if bone else matrix, float)
            )
            self.hangings[name].append(placement.hanging(target, bone))
        for name, auxiliary in self.auxiliaries.items():
            value = value_of(auxiliary)
            self.values[name].append(0.0 if value is None else value)
        self.done += 1
        return self.done < self.total

    def _read(self, mover: Mover, frame: int, settings) -> None:
        session: ChainSession = self.stage.session(*mover)
        if session.outputs is None:
            raise RigError(f"Frame {frame}: {session.problem}")
        read = self.reads[mover.key]
        if session.problem:
            read.problems[frame] = session.problem
        first = self.models.setdefault(mover.key, (session.model.skeleton, session.recipe))
        read.has_changed |= session.model.skeleton != first[0]
        index = place(mover.settings, settings)
        read.rows.append(
            _ChainRow(
                BASES.index(mover.settings.base),
                -1 if index is None else index,
                max(0, min(settings.watch, len(settings.targets))),
                [posture.weight for posture in settings.postures],
                _numbers(session.chain_settings),
                session.authored,
                np.array(session.base),
                session.hanging,
                session.outputs.angles,
                session.outputs.desired,
            )
        )

    def finish(self) -> CharacterFile:
        """What the file has."""
        fps, base = self.scene.render.fps, self.scene.render.fps_base
        tested = min(self.total, round(TEST_FOR * fps / base) + 1)
        movers = self._in_order()
        entries = [self._entry(mover) for mover in movers]
        rows = [self.reads[mover.key].rows[:tested] for mover in movers]
        posture_names = dict.fromkeys(posture.name for entry in entries for posture in entry.postures)
        character = CharacterFile(
            name=self.name,
            made_by=f"Limber for Blender {bpy.app.version_string}",
            rate=Rate(float(fps), float(base)),
            first_frame=self.frames[0],
            frames=self.total,
            chains=tuple(entries),
            targets=tuple(
                TargetEntry(name, self._anchor(self.hangings[name], places))
                for name, places in self.places.items()
            ),
            values=tuple(ValueEntry(name, track(np.array(row))) for name, row in self.values.items()),
            behaviour=READY[self.behaviour](posture_names) if self.behaviour in READY else None,
            mechanisms=tuple(reader.entry(self._anchor) for reader in self.readers),
            self_test=SelfTest(
                np.hstack(
                    [
                        *([row.commanded for row in each] for each in rows),
                        *(reader.commanded[:tested] for reader in self.readers),
                    ]
                ),
                np.hstack(
                    [
                        *([row.desired for row in each] for each in rows),
                        *(reader.desired[:tested] for reader in self.readers),
                    ]
                ),
            ),
            remarks=tuple(self._remarks()),
        )
        self._end()
        return character

    def _in_order(self) -> list[Mover]:
        """The movers, each after the one on which it hangs."""
        places = {self._names[mover.key]: k for k, mover in enumerate(self.movers)}
        links = map(self._link, self.movers)
        needs = [[places[link.chain]] if link is not None else [] for link in links]
        return [self.movers[k] for k in in_order(needs, [True] * len(needs), list).indices]

    def _entry(self, mover: Mover) -> ChainEntry:
        chain, rows = mover.settings, self.reads[mover.key].rows
        session: ChainSession = self.stage.session(*mover)
        skeleton, recipe = self.models[mover.key]
        postures = self._postures(mover, session)
        kept = list(postures)  # indices in the chain's list
        return ChainEntry(
            name=self._names[mover.key],
            rig=mover.owner.name,
            skeleton=skeleton,
            solver=recipe.solver,
            options=recipe.options,
            filter_name=recipe.filter_name,
            styles=recipe.styles,
            transition=recipe.transition,
            ends=tuple(
                FollowingEnd(inputs, _names(chain, inputs.number, rows[0].watch)) for inputs in session.ends
            ),
            postures=tuple(postures.values()),
            base=_track([row.base for row in rows]),
            posture=_track([kept.index(row.posture) if row.posture in kept else -1 for row in rows]),
            watch=_track([row.watch for row in rows]),
            weights=track(np.array([[row.weights[k] for k in kept] for row in rows]).reshape(len(rows), -1)),
            settings={name: _track([row.settings[name] for row in rows]) for name in rows[0].settings},
            authored=track(np.array([row.authored for row in rows])),
            base_frame=self._anchor([row.hanging for row in rows], [row.base_frame for row in rows]),
        )

    def _link(self, mover: Mover) -> ChainLink | None:
        """The link of another exported chain on which a chain hangs; None: it hangs on none."""
        rows = self.reads[mover.key].rows
        return self._anchor([row.hanging for row in rows], [row.base_frame for row in rows]).link

    def _anchor(self, hanging: list[Hanging | None], world: list[np.ndarray]) -> Anchor:
        """Where something is over the frames: on another exported chain, if it hangs on the same joint of it
        in all of them, else in the world.
        """
        links = {each and (each.key, each.joint) for each in hanging}
        first = next(iter(links))
        if first is None or len(links) > 1 or first[0] not in self._names:
            return Anchor(None, track(np.array(world)))
        link = ChainLink(self._names[first[0]], first[1])
        return Anchor(link, track(np.array([each.relative for each in hanging])))

    def _postures(self, mover: Mover, session: ChainSession) -> dict[int, StoredPosture]:
        """The stored postures that have values of the chain's joints, by their indices in its list."""
        postures = {}
        for index, posture in enumerate(mover.settings.postures):
            if posture.action is not None and mover.in_posture(posture.action):
                values = session.in_posture(mover, session.reader.joint_keys, posture.action)
                postures[index] = StoredPosture(posture.action.name, values)
        return postures

    def _remarks(self) -> list[str]:
        """What cannot travel, and what happens instead, as sentences."""
        remarks = [
            f"{mover.label} is not in the file yet: it plays in Blender alone" for mover in self.left_out
        ]
        for mover in self.movers:
            read = self.reads[mover.key]
            if read.has_changed:
                remarks.append(
                    f"{mover.label} has bones whose locked axes or scales are animated: in the file they stay"
                    f" as in frame {self.frames[0]}"
                )
            if read.problems:
                frame, why = next(iter(read.problems.items()))
                remarks.append(f"{mover.label} could not follow its goal from frame {frame} on: {why}")
            if mover.time_ahead:
                remarks.append(f"{mover.label} looks ahead in a bake: in the file it plays as it does live")
            remarks += self._hanging(mover)
        return remarks

    def _hanging(self, mover: Mover) -> list[str]:
        """What of a chain hangs on what other chains move, as sentences."""
        sentences = []
        for other in self.movers:
            part = mover.part_moved_by(other) if other.key != mover.key else ""
            is_fixed = part == "target" or self._link(mover) is None
            if part == "target":
                target = moved_targets(mover.settings, other.moves)[0].name
                is_fixed = self._anchor(self.hangings[target], self.places[target]).link is None
            if part and is_fixed:
                what = f"Target '{target}' of {mover.in_sentence}" if part == "target" else mover.label
                sentences.append(
                    f"{what} hangs on {other.in_sentence} by more than parents: in the file it moves as it"
                    " does in the scene's frames"
                )
        return sentences


def _has_motors(mover: Mover) -> bool:
    return isinstance(mover, MechanismMover) and len(mover.settings.motors) > 0


def _targets_of(chain) -> list:
    """The targets of a chain's own end, in their order, and those of its other ends."""
    of_end = [watched(chain, number) for number in range(len(chain.targets) + 1)]
    further = [end.target for end in with_goal(chain) if end.number]
    return [target for target in (*of_end, *further) if target is not None]


def _names(chain, number: int, watch: int) -> tuple[str, ...]:
    """Names of the targets that an end may follow; where one is missing, that of the one that it follows."""
    if number:
        return (chain.ends[number - 1].target.name,)
    targets = [watched(chain, index) for index in range(len(chain.targets) + 1)]
    return tuple((target or targets[watch]).name for target in targets)


def _numbers(settings: ChainSettings) -> dict[str, float]:
    """A chain's settings by their names in a character file."""
    numbers = settings._asdict()
    life = numbers.pop("life")._asdict()
    return {**numbers, **{LIFE + name: float(number) for name, number in life.items()}}


def _track(values: list) -> object:
    return track(np.array(values, float))
