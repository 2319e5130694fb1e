"""Live mechanisms, by their owner: for operators, panels and the robot. They move with the chains, in `rig/live/live.py`."""

from ..reading.dependencies import Moved
from ..reading.mechanism import assembled
from ..reading.mechanism.assembled import Ready
from . import live
from .mechanism_session import MechanismSession
from .movers import mover_of
from .uses import Use, why_not


def session(owner) -> MechanismSession:
    """What is known of a mechanism."""
    return live.session(owner, owner.limber.mechanism)


def values(owner) -> tuple[float, ...] | None:
    """The motors' filtered values [rad, m], in the order of the mechanism's motors; None while it is not live."""
    if not owner.limber.mechanism.live:
        return None
    outputs = session(owner).outputs
    return outputs.values if outputs is not None else None


def mover(owner) -> Moved:
    """What a live mechanism moves."""
    made = assembled.kept(owner)
    return Moved(bodies=made.bodies) if made is not None else Moved()


def lacks(owner) -> str:
    """What a mechanism needs before it can go live, as a sentence with the remedy; "" where it has all. Cheap: panels ask."""
    return why_not(Use.LIVE, mover_of(owner, owner.limber.mechanism))


def prepare(owner) -> Ready:
    """A mechanism as it is authored, whatever is live, assembled.

    Raises:
        RigError: it cannot be read, or cannot be assembled.
    """
    with live.as_authored() as depsgraph:
        return assembled.prepare(owner, depsgraph)


def start(owner) -> None:
    """The mechanism goes live. Call within an operator that has UNDO.

    Raises:
        RigError: it cannot be read or assembled; then it is not live.
    """
    live.start(owner, owner.limber.mechanism)


def stop(owner) -> None:
    """The bodies are where they are authored again."""
    live.stop(owner, owner.limber.mechanism)
