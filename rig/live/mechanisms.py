"""Live mechanisms, by their owner: for operators, panels and the robot. They move with the chains, in `rig/live/live.py`."""

from ..reading.dependencies import Mover
from ..reading.mechanism import assembled
from ..reading.mechanism.assembled import Ready
from ..reading.mechanism.ownership import bodies, role_of
from ..reading.mechanism.starts import note_values
from . import live
from .mechanism_session import MechanismSession


def session(owner) -> MechanismSession:
    """What is known of a mechanism."""
    return live.session(owner, owner.limber.mechanism)


def values(owner) -> tuple[float, ...] | None:
    """The motors' filtered values [rad, m], in the order of the mechanism's motors; None while it is not live."""
    if not owner.limber.mechanism.live:
        return None
    outputs = session(owner).outputs
    return outputs.values if outputs is not None else None


def mover(owner) -> Mover:
    """What a live mechanism moves."""
    made = assembled.kept(owner)
    return Mover(bodies=made.bodies) if made is not None else Mover()


def lacks(owner) -> str:
    """What a mechanism needs before it can go live, as a sentence with the remedy; "" where it has all. Cheap: panels ask."""
    kept = owner.limber.mechanism
    if not kept.motors:
        return f"'{owner.name}' has no motor: select a joint and press + under Motors"
    if kept.drive == "TARGETS" and not kept.goals and not any(role_of(body) == "DRIVEN" for body in bodies(owner)):
        return f"'{owner.name}' has no goal: select a body and press + under Goals, give one the role Driven, or let Motors drive it"
    return ""


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
    made = prepare(owner)
    assembled.keep(owner, made)
    note_values(owner, made.model.solver, made.model.rest)
    live.start(owner, owner.limber.mechanism)


def stop(owner) -> None:
    """The bodies are where they are authored again."""
    live.stop(owner, owner.limber.mechanism)
