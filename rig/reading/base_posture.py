"""The posture that a chain keeps: the rig's own pose, a stored posture, or a blend of stored postures."""

import numpy as np

from ...character.chain.postures import blend, filled
from ..blender.errors import RigError
from . import postures


def kept(chain, now, session, own: np.ndarray) -> np.ndarray:
    """Joint values (n,) [rad; prismatic joints m] of the posture that the chain keeps, chosen by its Base setting.

    Args:
        chain: The chain.
        now: Its settings as evaluated in this frame (see `keyed`).
        session: The chain's live session, which caches stored postures.
        own: The rig's own pose (n,); used for joints that a stored posture has no value for.

    Raises:
        RigError: a stored posture is missing, or has no channel of the chain.
    """
    if chain.base == "POSTURE":
        return filled(_stored(session, postures.active(chain, now)), own)
    if chain.base == "BLEND":
        return _blend(chain, now, session, own)
    return own


def why_posing_shows_nothing(rig, chain) -> str:
    """Why posing the chain's bones has no visible effect, and the remedy; "" if it has one, or the rig is not in Pose Mode."""
    if rig.mode != "POSE" or not chain.live:
        return ""
    if chain.base == "POSTURE" and chain.shown_posture >= 0:
        action = chain.postures[chain.shown_posture].action
        what = f"posture '{action.name}'" if action else "a stored posture"
    elif chain.base == "BLEND" and sum(posture.weight for posture in chain.postures) >= 1.0:
        what = "a blend of postures"
    else:
        return ""
    return f"Posing '{chain.name}' shows nothing: it keeps {what}. Use Pose as Base keeps what you pose"


def _blend(chain, now, session, own: np.ndarray) -> np.ndarray:
    if not chain.postures:
        raise RigError(postures.none_stored(chain))
    weighted = []
    for posture, weighed in zip(chain.postures, now.postures, strict=True):
        if weighed.weight > 0.0:
            if posture.action is None:
                raise RigError(postures.deleted(chain))
            weighted.append((weighed.weight, _stored(session, posture.action)))
    return blend(weighted, own)


def _stored(session, action) -> np.ndarray:
    """Joint values (n,) of a stored posture; NaN for joints that it has no channel of."""
    if session.posture_of != (session.reader,):
        session.stored, session.posture_of = {}, (session.reader,)
    if action.session_uid not in session.stored:
        session.stored[action.session_uid] = postures.angles(action, session.reader, np.full(len(session.reader.places), np.nan))
    return session.stored[action.session_uid]
