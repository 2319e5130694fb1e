"""Effects of commands on a character: one table for OSC, the control page in a browser, typed lines, and
scripts.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..character.chain.inputs import Matrix
from ..character.file.contents import ChainEntry
from ..character.seeing import SeenPersons, SightingError, sighting_of, unknown_camera
from ..files.sound_player import SoundError
from ..inputs.speech import Speech
from ..inputs.words import Order, begun_with, named, no_clip
from ..solvers.kinematics import rotations
from .errors import PlayerError
from .performance import Performance
from .playhead import Playhead
from .script import moved_to

AXES = "xyz"
SHORTEST = 0.1  # length of a quaternion below which it is not an orientation


@dataclass
class TargetPose:
    """Pose to which somebody has moved a target: position (3,) [m] and rotation (w, x, y, z); None for values
    of the clip.
    """

    position: list[float] | None = None
    rotation: tuple[float, float, float, float] | None = None


@dataclass
class Director:
    """Executes commands on a performance, and advances it.

    Attributes:
        performance, playhead: The performance, and the position in its clip.
        events: Names of the events since the last tick.
        placed: Targets that somebody has moved, by their names.
        persons: Persons whom trackers see. A chain whose target is a camera looks at the person whom that
            camera sees.
        folder: Folder of its sounds; None: no sounds are played.
        speech: Speech of the character.
        remarks: Sentences to report on commands that were executed in part.
    """

    performance: Performance
    playhead: Playhead
    events: list[str] = field(default_factory=list)
    placed: dict[str, TargetPose] = field(default_factory=dict)
    persons: SeenPersons = field(default_factory=SeenPersons)
    folder: Path | None = None
    speech: Speech = field(default_factory=Speech)
    remarks: list[str] = field(default_factory=list)

    def obey(self, order: Order, cause: str) -> None:
        """Executes a command; the release of a button has no effect.

        Args:
            order: The command.
            cause: Source of the command, for the log of decisions.

        Raises:
            PlayerError: The command names something that the character does not have, is unknown, or has an
                impossible value.
        """
        if order.is_released:
            return
        if order.word not in ORDERS:
            raise PlayerError(f"'{order.word}' is no order to a character")
        ORDERS[order.word](self, order, cause)

    def tick(self, dt: float, seconds: float) -> None:
        """Advances the character by `dt` [s], to `seconds` since the start."""
        self.playhead.advance(dt)
        frame = self.playhead.seconds / self.performance.character.rate.seconds_a_frame
        events, self.events = [*self.events, *self.speech.events()], []
        self.persons.advance(dt, self.camera_pose)
        self.performance.advance(frame, dt, self._targets(frame), events, seconds, senses=self.persons.senses)

    def note_targets(self, addresses: Iterable[str]) -> None:
        """Records the chains' targets that programs move at present, as persons who are seen; `addresses`:
        CHAIN, or CHAIN/GOAL for a target of another end, which is no person.
        """
        chains = [chain for chain, goal in map(self.chain, addresses) if not goal]
        self.persons.note_targets(map(self.performance.target_distance, chains))

    def _targets(self, frame: float) -> Mapping[str, Matrix]:
        """World matrices of the targets that somebody has moved, and of persons who are seen."""
        seen = {name: TargetPose(list(position)) for name, position in self.persons.positions.items()}
        return {
            name: self._matrix(name, target_pose, frame)
            for name, target_pose in {**seen, **self.placed}.items()
        }

    def _matrix(self, name: str, target_pose: TargetPose, frame: float) -> Matrix:
        authored = self.performance.authored_target(name, frame)
        position = target_pose.position or [row[3] for row in authored[:3]]
        if target_pose.rotation is None:
            return moved_to(position, authored)
        return moved_to(position, [list(row) for row in rotations.to_matrix(target_pose.rotation)])

    def camera_pose(self, camera: str) -> Matrix | None:
        """World matrix of a camera at the last tick; None if the character has no target of this name."""
        performance = self.performance
        if camera not in performance.target_names:
            return None
        return performance.authored_target(camera, performance.frame)

    def changed_pose(self, names: str) -> TargetPose:
        """Pose in `placed` of the target that an address names (see `target`), for the caller to change; made
        if the target has none yet.
        """
        return self.placed.setdefault(self.target(names), TargetPose())

    def target(self, names: str) -> str:
        """Name of the target of a chain (address CHAIN) or of one of its other ends (CHAIN/GOAL). Raises
        PlayerError if there is no such chain or goal.
        """
        chain, goal = self.chain(names)
        target = self.performance.target_name(chain.name)
        if goal:
            ends = chain.skeleton.ends
            goals = {ends[end.inputs.number].name: end.targets[0] for end in chain.ends[1:]}
            known = named(goal, goals)
            if known is None:
                raise PlayerError(f"chain '{chain.name}' has no goal '{goal}': it has {listed(goals)}")
            return goals[known]
        return target

    def chain(self, names: str) -> tuple[ChainEntry, str]:
        """(the chain with whose name an address begins, rest of the address). Raises PlayerError if there is
        none.
        """
        chains = {chain.name: chain for chain in self.performance.character.chains}
        begun = begun_with(names, chains)
        if begun is None:
            raise PlayerError(f"there is no chain '{names.partition('/')[0]}': there is {listed(chains)}")
        return chains[begun[0]], begun[1]


def listed(names: Iterable[str]) -> str:
    """Names in quotes, as text for a message."""
    return ", ".join(f"'{name}'" for name in names) or "none"


def _event(director: Director, order: Order, cause: str) -> None:
    performer = director.performance.performer
    events = performer.behaviour.events if performer else ()
    known = named(order.name, events)
    if known is None:
        raise PlayerError(f"there is no event '{order.name}': there is {listed(events)}")
    director.events.append(known)


def _state(director: Director, order: Order, cause: str) -> None:
    performer = director.performance.performer
    states = [state.name for state in performer.behaviour.states] if performer else []
    director.performance.enter(named(order.name, states) or order.name, cause)


def _posture(director: Director, order: Order, cause: str) -> None:
    chain, posture = director.chain(order.names)
    director.performance.controls.keep_posture(chain.name, order.text or posture)


def _weight(director: Director, order: Order, cause: str) -> None:
    chain, posture = director.chain(order.names)
    director.performance.controls.weigh(chain.name, posture, order.numbers[0])


def _amount(director: Director, order: Order, cause: str) -> None:
    director.performance.controls.set_amount(
        director.chain(order.names)[0].name, order.word, order.numbers[0]
    )


def _value(director: Director, order: Order, cause: str) -> None:
    director.performance.controls.set_value(order.name, order.numbers[0])


def _target(director: Director, order: Order, cause: str) -> None:
    if not order.text:
        director.changed_pose(order.names).position = list(order.numbers)
        return
    chain, goal = director.chain(order.names)
    if goal:
        raise PlayerError(f"'{order.path}' keeps its target: give a position instead of '{order.text}'")
    director.performance.controls.follow(chain.name, order.text)


def _look(director: Director, order: Order, cause: str) -> None:
    """Makes all chains look at a target, or moves their targets to a position."""
    for chain in director.performance.character.chains:
        if order.name:
            director.performance.controls.follow(chain.name, order.name)
        else:
            director.changed_pose(chain.name).position = list(order.numbers)


def _rotation(director: Director, order: Order, cause: str) -> None:
    length = math.hypot(*order.numbers)
    if length < SHORTEST:
        raise PlayerError(f"'{order.path}' has a quaternion without length: give w x y z of length 1")
    w, x, y, z = (number / length for number in order.numbers)
    director.changed_pose(order.names).rotation = (w, x, y, z)


def _axis(director: Director, order: Order, cause: str) -> None:
    names, _, axis = order.names.rpartition("/")
    if axis not in AXES or not axis:
        raise PlayerError(f"'{order.path}' ends with no axis: end it with /x, /y or /z")
    target = director.target(names)
    target_pose = director.placed.setdefault(target, TargetPose())
    if target_pose.position is None:
        authored = director.performance.authored_target(target, director.performance.frame)
        target_pose.position = [row[3] for row in authored[:3]]
    target_pose.position[AXES.index(axis)] = order.numbers[0]


def _seen(director: Director, order: Order, cause: str) -> None:
    """Records that a camera sees a person, which replaces an earlier command for the target of this name.
    If the camera is unknown, which is reported, the behaviour notices the person, but no chain looks there.
    Raises PlayerError for numbers that describe no sighting.
    """
    camera = named(order.name, director.performance.target_names) or order.name
    try:
        sighting = sighting_of(order.numbers)
    except SightingError as error:
        raise PlayerError(str(error)) from error
    pose = director.camera_pose(camera)
    director.persons.take(camera, sighting, pose)
    if order.name and pose is None and director.persons.is_news(camera):
        director.remarks.append(unknown_camera(camera, director.performance.target_names))
    director.placed.pop(camera, None)  # a sighting replaces an earlier command for this target


def _say(director: Director, order: Order, cause: str) -> None:
    """Plays a sound from the character's folder, or records the start or end of speech that another program
    plays. Raises PlayerError if there is no such sound, or for a sound in a performance that is not in real
    time.
    """
    if not order.name:
        director.speech.note(order.numbers[0] != 0.0)
        return
    if director.folder is None:
        raise PlayerError("sounds are played in real time alone")
    try:
        director.speech.say(director.folder, order.name)
    except SoundError as error:
        raise PlayerError(str(error)) from error


def _velocity(director: Director, order: Order, cause: str) -> None:
    """Checks that the target of the address exists, and ignores the velocity: the player smooths received
    positions without one. Raises PlayerError for an unknown chain or goal.
    """
    director.target(order.names)


def _play(director: Director, order: Order, cause: str) -> None:
    """Continues the clip. If the command has a name, it must be the character's, which is also the clip's."""
    if why := no_clip(order.name, director.performance.character.name):
        raise PlayerError(why)
    director.playhead.play()


def _pause(director: Director, order: Order, cause: str) -> None:
    director.playhead.pause()


def _seek(director: Director, order: Order, cause: str) -> None:
    director.playhead.seek(order.numbers[0])


# word of a command -> function that executes it
ORDERS: dict[str, Callable[[Director, Order, str], None]] = {
    "event": _event,
    "state": _state,
    "posture": _posture,
    "weight": _weight,
    "influence": _amount,
    "share": _amount,
    "value": _value,
    "target": _target,
    "look": _look,
    "rotation": _rotation,
    "axis": _axis,
    "velocity": _velocity,
    "seen": _seen,
    "say": _say,
    "play": _play,
    "pause": _pause,
    "seek": _seek,
}
