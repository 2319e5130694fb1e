"""Posture and target of a chain in a frame while a scene's behaviour directs it."""

from typing import NamedTuple

import bpy
import numpy as np

from ...character.behaviour.performer import Directed, Performer
from ...character.chain.inputs import KeptPosture
from ...character.chain.settings import BLEND, ChainSettings, kept_posture, kept_values
from ...character.effects import PostureEffect
from ..chains.kept_posture import kept_index
from ..scene.goal import watched
from .mover import Mover
from .session import SceneSession


class DirectedChain(NamedTuple):
    """Posture that a chain keeps in a frame, and target that it follows.

    Attributes:
        settings: Settings of the chain.
        watch: Number of the target that its own end follows.
        posture: (n,) [rad; prismatic joints m] posture to keep.
        kept: Identifies the posture in use, to detect when it changes; None if the chain has a motion filter.
        gestures: Effects on the posture, applied before the idle motion.
    """

    settings: ChainSettings
    watch: int
    posture: np.ndarray
    kept: KeptPosture | None
    gestures: tuple[PostureEffect, ...] = ()


def by_behaviour(
    mover: Mover,
    session: SceneSession,
    evaluated_chain: bpy.types.PropertyGroup,
    settings: ChainSettings,
    performer: Performer,
    dt: float,
) -> DirectedChain:
    """Posture that a chain keeps in a frame, and target that it follows, as a behaviour directs it. Stored
    postures that are missing, or have no value of the chain's joints, are left out.

    Args:
        mover: The chain.
        session: Its session, with its model and its authored values.
        evaluated_chain: Its evaluated properties.
        settings: Its settings apart from the behaviour.
        performer: The behaviour that directs it.
        dt: Time step [s].
    """
    chain, keys = mover.settings, session.reader.joint_keys
    known = session.known_postures(mover, keys)
    kept_posture_index = kept_index(chain, evaluated_chain)
    directed = performer.direct(
        str(mover.key),
        [posture.name for posture in known.values()],
        Directed(chain.base, [evaluated_chain.postures[index].weight for index in known], settings),
        list(known).index(kept_posture_index) if kept_posture_index in known else -1,
        dt,
    )
    weighted = directed.weighted([posture.values for posture in known.values()])
    numbers = range(1 + len(chain.targets))
    by_name = {target.name: k for k in reversed(numbers) if (target := watched(chain, k)) is not None}
    return DirectedChain(
        directed.settings,
        by_name.get(directed.target, evaluated_chain.watch),
        kept_values(directed.base, weighted, session.authored),
        None if session.model.filters else kept_posture(BLEND, BLEND, None, len(keys)),
        directed.gestures,
    )
