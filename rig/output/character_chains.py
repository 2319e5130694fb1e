"""Reads a chain for a character file, frame by frame."""

from collections.abc import Callable
from typing import NamedTuple

import bpy
import numpy as np

from ...character.chain.settings import BASES
from ...character.file.anchors import Anchor
from ...character.file.contents import ChainEntry, FollowingEnd
from ...character.file.tracks import ClipTrack, track
from ..blender.errors import RigError
from ..chains import chain as build
from ..chains.kept_posture import kept_index
from ..live.chain_recipe import ChainRecipe
from ..live.chain_session import ChainSession
from ..live.mover import Mover
from ..scene.dependencies import target_of
from ..scene.goal import watched, with_goal
from ..scene.placement import Hanging, Placement

# function that returns an object's motion from two lists over the frames: the joint that carries the object,
# or None, and the object's world matrix (4, 4)
Anchors = Callable[[list[Hanging | None], list[np.ndarray]], Anchor]


class ChainRow(NamedTuple):
    """Values that are read from a chain in a frame."""

    base: int  # index of the kept posture's kind in `BASES`
    posture: int  # index of the kept posture in the chain's list; -1: none
    watch: int  # number of the target that the chain follows
    weights: list[float]  # weights of the stored postures
    settings: dict[str, float]  # name -> value of other settings, which can be keyed
    authored: np.ndarray  # (n,) [rad; prismatic joints m] joint values of the authored pose
    base_frame: np.ndarray  # (4, 4) world matrix of the chain's base
    hanging: Hanging | None  # the other chain that carries the base; None: none does


class ExportedChain:
    """Reads one chain over the frames of an export.

    Args:
        mover: The chain.
        session: Its session, prepared.
        name: Its name in the file.
    """

    def __init__(self, mover: Mover, session: ChainSession, name: str) -> None:
        self.mover, self.session, self.name = mover, session, name
        self.rows: list[ChainRow] = []
        self.commanded: list[np.ndarray] = []
        self.desired: list[np.ndarray] = []
        self._problems: dict[int, str] = {}  # frame -> reason why the chain has no solution
        self._has_changed = False  # whether the chain's joints were built differently in a later frame
        self._recipe: ChainRecipe | None = None  # recipe of the model in the first frame, with the skeleton
        self._skeleton = None

    @property
    def targets(self) -> dict[str, tuple]:
        """Object and bone ("": the object) of each target, by its name in the file."""
        return {target.name: tuple(target) for target in _targets_of(self.mover.settings)}

    @property
    def joint_names(self) -> dict[tuple[str, str], str]:
        """Names in the file of its joints, by (bone, axis)."""
        names = (f"{self.mover.owner.name}/{joint.name}" for joint in self._skeleton.joints)
        return dict(zip(self.session.reader.joint_keys, names, strict=True))

    def read(self, frame: int, placement: Placement) -> None:
        """Reads the chain in a frame, after its tick.

        Raises:
            RigError: the chain cannot be solved in the first frame.
        """
        mover, session = self.mover, self.session
        if session.outputs is None:
            raise RigError(f"Frame {frame}: {session.problem}")
        if session.problem:
            self._problems[frame] = session.problem
        if self._recipe is None:
            self._skeleton, self._recipe = session.model.skeleton, session.recipe
        self._has_changed |= session.model.skeleton != self._skeleton
        settings = build.keyed(mover.owner, mover.settings, placement.depsgraph)
        index = kept_index(mover.settings, settings)
        self.rows.append(
            ChainRow(
                BASES.index(mover.settings.base),
                -1 if index is None else index,
                max(0, min(settings.watch, len(settings.targets))),
                [posture.weight for posture in settings.postures],
                session.chain_settings.numbers,
                session.authored,
                np.array(session.base),
                session.hanging,
            )
        )
        self.commanded.append(session.outputs.angles)
        self.desired.append(session.outputs.desired)

    def anchor(self, anchors: Anchors) -> Anchor:
        """Motion of the chain's base over the frames; `anchors` computes it."""
        return anchors([row.hanging for row in self.rows], [row.base_frame for row in self.rows])

    def entry(self, anchors: Anchors) -> ChainEntry:
        """The chain as an entry of the character file; `anchors` computes motions of objects over the
        frames.
        """
        chain, rows, recipe = self.mover.settings, self.rows, self._recipe
        postures = self.session.known_postures(self.mover, self.session.reader.joint_keys)
        posture_indices = list(postures)  # indices in the chain's list of postures
        return ChainEntry(
            name=self.name,
            rig=self.mover.owner.name,
            skeleton=self._skeleton,
            solver=recipe.solver,
            options=recipe.options,
            filter_name=recipe.filter_name,
            styles=recipe.styles,
            transition=recipe.transition,
            ends=tuple(
                FollowingEnd(inputs, _names(chain, inputs.number, rows[0].watch))
                for inputs in self.session.ends
            ),
            postures=tuple(postures.values()),
            base=_track([row.base for row in rows]),
            posture=_track(
                [posture_indices.index(row.posture) if row.posture in posture_indices else -1 for row in rows]
            ),
            watch=_track([row.watch for row in rows]),
            weights=track(
                np.array([[row.weights[k] for k in posture_indices] for row in rows]).reshape(len(rows), -1)
            ),
            settings={name: _track([row.settings[name] for row in rows]) for name in rows[0].settings},
            authored=track(np.array([row.authored for row in rows])),
            base_frame=self.anchor(anchors),
        )

    def remarks(self, first_frame: int) -> list[str]:
        """Sentences on parts of the chain that cannot be exported, and on their replacement."""
        mover, sentences = self.mover, []
        if self._has_changed:
            sentences.append(
                f"{mover.label} has bones whose locked axes or scales are animated: in the file they stay as"
                f" in frame {first_frame}"
            )
        if self._problems:
            frame, why = next(iter(self._problems.items()))
            sentences.append(f"{mover.label} could not follow its goal from frame {frame} on: {why}")
        if mover.time_ahead:
            sentences.append(f"{mover.label} looks ahead in a bake: in the file it plays as it does live")
        return sentences


def _targets_of(chain: bpy.types.PropertyGroup) -> list:
    """The targets of a chain's own end, by their numbers, and then those of its other ends."""
    of_own_end = [watched(chain, number) for number in range(len(chain.targets) + 1)]
    of_other_ends = [end.target for end in with_goal(chain) if end.number]
    return [target for target in (*of_own_end, *of_other_ends) if target is not None]


def _names(chain: bpy.types.PropertyGroup, number: int, watch: int) -> tuple[str, ...]:
    """Names in the file of the targets that end number `number` (0: the chain's own) may follow. A missing
    target has the name of target number `watch`, which the chain's own end follows in the first frame.
    """
    if number:
        return (target_of(chain.ends[number - 1]).name,)
    targets = [watched(chain, index) for index in range(len(chain.targets) + 1)]
    return tuple((target or targets[watch]).name for target in targets)


def _track(values: list) -> ClipTrack:
    return track(np.array(values, float))
