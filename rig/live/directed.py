"""What a chain keeps and follows in a frame: as it is authored, or as a scene's behaviour directs it."""

from functools import partial
from typing import NamedTuple

import bpy
import numpy as np

from ...character.behaviour.performer import Directed, Performer
from ...character.chain.inputs import KeptPosture
from ...character.chain.settings import BLEND, POSTURE, ChainSettings, kept_posture, kept_values
from ...character.effects import PostureEffect
from ...character.host import Frame
from ..chains.kept_posture import active, kept, place
from ..scene.goal import watched
from .mover import Mover, SceneSession


class DirectedChain(NamedTuple):
    """What a chain keeps and follows.

    Attributes:
        settings: Settings of the chain.
        watch: Number of the target that its own end follows.
        posture: (n,) [rad; prismatic joints m] posture to keep.
        kept: The stored posture in use; None: the chain has a motion filter.
        gestures: Effects on the posture before the idle motion.
    """

    settings: ChainSettings
    watch: int
    posture: np.ndarray
    kept: KeptPosture | None
    gestures: tuple[PostureEffect, ...] = ()


def direct(
    frame: Frame,
    session: SceneSession,
    evaluated_chain: bpy.types.PropertyGroup,
    performer: Performer | None,
    dt: float,
) -> DirectedChain:
    """What a chain keeps and follows in a frame.

    Args:
        frame: The frame.
        session: The chain's session, with its model and its authored values.
        evaluated_chain: The chain's evaluated properties.
        performer: The behaviour that directs the chain; None: nothing does.
        dt: Time step [s].

    Raises:
        RigError: a stored posture is missing, or has no value of the chain's joints.
    """
    settings = ChainSettings.of(evaluated_chain)
    if performer is not None:
        return _by_behaviour(frame.mover, session, evaluated_chain, settings, performer, dt)
    mover, keys = frame.mover, session.reader.joint_keys
    stored = partial(session.in_posture, mover, keys)
    posture = kept(mover.settings, evaluated_chain, session.authored, stored)
    if session.model.filters:
        return DirectedChain(settings, evaluated_chain.watch, posture, None)
    base, identity, values = mover.settings.base, mover.settings.base, None
    if base == POSTURE:
        action = active(mover.settings, evaluated_chain)
        identity, values = action.session_uid, stored(action)
    stored_posture = kept_posture(base, identity, values, len(keys))
    return DirectedChain(settings, evaluated_chain.watch, posture, stored_posture)


def _by_behaviour(
    mover: Mover,
    session: SceneSession,
    evaluated_chain: bpy.types.PropertyGroup,
    settings: ChainSettings,
    performer: Performer,
    dt: float,
) -> DirectedChain:
    """As `direct`, by the scene's behaviour; `settings`: what the chain has without it."""
    chain, keys = mover.settings, session.reader.joint_keys
    known = session.known_postures(mover, keys)
    kept_index = place(chain, evaluated_chain)
    directed = performer.direct(
        str(mover.key),
        [posture.name for posture in known.values()],
        Directed(chain.base, [evaluated_chain.postures[index].weight for index in known], settings),
        list(known).index(kept_index) if kept_index in known else -1,
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
