"""Rehearsal: live chains follow the scene's behaviour, run by the same engine as in the player."""

from pathlib import Path

import bpy

from ...character.behaviour.data import BehaviourError
from ...character.behaviour.deciding import Decision, Senses
from ...character.behaviour.performer import Performer
from ..behaviour import authored
from ..behaviour.choices import event_names
from ..blender.errors import RigError
from . import persons
from .runtime import current, live_chains
from .stage import SceneStage

MOST_DECISIONS = 200  # only the last ones are stored, since a rehearsal may last for hours


def is_on(scene: bpy.types.Scene) -> bool:
    """Whether the scene's behaviour is rehearsed, so that live motion must continue."""
    settings = scene.limber_behaviour
    return settings.rehearse and bool(settings.states) and bool(live_chains(scene))


def perform(stage: SceneStage, scene: bpy.types.Scene, dt: float) -> None:
    """Advances a rehearsed behaviour by `dt` [s] on a stage, before its movers are ticked. Only live motion
    receives sent events, those of speech, and trackers' reports. The stage's performer is dropped if nothing
    is rehearsed or the behaviour cannot be used.
    """
    performer = performer_of(scene, stage) if is_on(scene) else None
    if performer is None:
        stage.performers.pop(scene.session_uid, None)
        return
    is_live = stage is current().stage
    events = [*current().events.pop(scene.session_uid, []), *current().speech.events()] if is_live else []
    performer.advance(dt, events, _senses(scene, is_live))
    del performer.decisions[:-MOST_DECISIONS]


def performer_of(scene: bpy.types.Scene, stage: SceneStage) -> Performer | None:
    """The performer of the scene's behaviour on a stage, with the current settings; None if the behaviour
    cannot be used. On stages other than live motion's it starts in the first state at once.
    """
    performers = stage.performers
    try:
        behaviour = authored.behaviour(scene, _cast(scene))
    except RigError:
        behaviour = None
    if behaviour is None:
        performers.pop(scene.session_uid, None)
        return None
    performer = performers.get(scene.session_uid)
    if performer is None:
        is_live = stage is current().stage
        performer = Performer(behaviour, scene.limber_behaviour.seed, is_gradual=is_live)
        performers[scene.session_uid] = performer
    else:
        performer.replace(behaviour)
    return performer


def _cast(scene: bpy.types.Scene) -> list[authored.CastChain]:
    """The scene's live chains for the behaviour, named by the keys of their movers."""
    return [authored.CastChain(str(mover.key), *mover) for mover in live_chains(scene)]


def _senses(scene: bpy.types.Scene, is_live: bool) -> Senses | None:
    """Perception of persons for the behaviour; None if there is none. Only live motion has trackers."""
    settings = scene.limber_behaviour
    if settings.person == "UNKNOWN":
        tracked = persons.of(scene) if is_live else None
        return tracked.senses if tracked is not None else None
    return Senses(settings.person_distance if settings.person == "SEEN" else None)


def send(scene: bpy.types.Scene, event: str) -> None:
    """Sends an event to the behaviour, for the next tick."""
    current().events.setdefault(scene.session_uid, []).append(event)


def say(name: str) -> None:
    """Plays a sound file in the .blend file's folder as the character's speech.

    Raises:
        SoundError: The sound cannot be played.
        RigError: The file was never saved.
    """
    if not bpy.data.filepath:
        raise RigError("Sounds are beside the .blend file: save it first")
    current().speech.say(Path(bpy.data.filepath).parent, name)


def note_speech(is_spoken: bool) -> None:
    """Records that speech which another program plays has begun or ended."""
    current().speech.note(is_spoken)


def speech_problem(scene: bpy.types.Scene) -> str:
    """What went wrong with the last sound of the character's speech; "" if nothing, or if no behaviour is
    rehearsed.
    """
    return current().speech.problem if is_on(scene) else ""


def enter(scene: bpy.types.Scene, state: str) -> None:
    """Enters a state of the behaviour.

    Raises:
        RigError: there is no such state, or the behaviour cannot be used.
    """
    performer = performer_of(scene, current().stage)
    if performer is None:
        raise RigError("The behaviour cannot be used: press Check under Behaviour")
    try:
        performer.enter(state, "by hand")
    except BehaviourError as error:
        raise RigError(str(error)) from error


def directing(owner: bpy.types.Object, chain: bpy.types.PropertyGroup) -> tuple[Performer, str] | None:
    """The performer that directs a live chain in the window's scene, and the chain's name in it; None if
    there is none.
    """
    scene = bpy.context.scene
    performer = current().stage.performers.get(scene.session_uid)
    if performer is None or not is_on(scene):
        return None
    names = {mover.settings.uid: str(mover.key) for mover in live_chains(scene) if mover.owner == owner}
    return (performer, names[chain.uid]) if getattr(chain, "uid", "") in names else None


def remarks(scene: bpy.types.Scene) -> dict[str, str]:
    """Remarks on how a bake or an export of motion treats a rehearsed behaviour, by label; empty if none is
    rehearsed, or if it has no events.
    """
    if not is_on(scene) or not event_names(scene.limber_behaviour):
        return {}
    return {
        "Behaviour": (
            "it begins in its first state, and no event is sent: Record Live keeps a rehearsal with its events"
        )
    }


def begin(scene: bpy.types.Scene) -> None:
    """Starts the rehearsal of the behaviour in its first state, anew if it is rehearsed already."""
    end(scene)
    scene.limber_behaviour.rehearse = True
    performer_of(scene, current().stage)


def end_without_chains() -> None:
    """Ends rehearsals of scenes in which no chain is live, so that chains that go live later are not directed
    by a behaviour.
    """
    for scene in bpy.data.scenes:
        if scene.limber_behaviour.rehearse and scene.is_editable and not live_chains(scene):
            end(scene)


def end(scene: bpy.types.Scene) -> None:
    """Ends the rehearsal of the behaviour, with its speech; events that wait are dropped."""
    scene.limber_behaviour.rehearse = False
    current().stage.performers.pop(scene.session_uid, None)
    current().events.pop(scene.session_uid, None)
    current().speech.close()


def state(scene: bpy.types.Scene) -> str:
    """Name of the behaviour's current state; "" if no behaviour is rehearsed."""
    performer = current().stage.performers.get(scene.session_uid)
    return performer.state.name if performer is not None and is_on(scene) else ""


def lines(scene: bpy.types.Scene) -> list[str]:
    """The behaviour's last decisions, as sentences; empty if no behaviour is rehearsed."""
    performer = current().stage.performers.get(scene.session_uid)
    return list(map(_line, performer.decisions)) if performer is not None and is_on(scene) else []


def _line(decision: Decision) -> str:
    """A decision as a sentence: its time, the change of state or the gesture, and its cause."""
    drawn = f", drawn {decision.draw:.2f} s" if decision.draw is not None else ""
    effect = f"gesture {decision.gesture}" if decision.gesture else f"{decision.before} to {decision.state}"
    return f"{decision.time:.1f} s: {effect} ({decision.cause}{drawn})"
