"""What a character does on orders: the one table for OSC, the page, what is typed, and scripts."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..character.chain.inputs import Matrix
from ..character.file.contents import ChainEntry
from ..character.seeing import SeenPersons, SightingError, sighting_of, unknown_camera
from ..files.sound_player import SoundError
from ..inputs.speech import Speech
from ..inputs.words import Order, begun_with, named
from ..solvers.kinematics import rotations
from .errors import PlayerError
from .performance import Performance
from .playhead import Playhead
from .script import moved_to

AXES = "xyz"
SHORTEST = 0.1  # length of a quaternion below which it is no orientation


@dataclass
class TargetPose:
    """Where somebody has put a target: position (3,) [m] and rotation (w, x, y, z); None: as in the clip."""

    position: list[float] | None = None
    rotation: tuple[float, float, float, float] | None = None


@dataclass
class Director:
    """A performance that takes orders.

    Attributes:
        performance, playhead: The performance, and where its clip is.
        events: Names of the events since the last tick.
        placed: Targets that somebody has put elsewhere, by their names.
        persons: Persons whom trackers see. Where a target is a camera, who looks at it looks at whom it sees.
        folder: Where its sounds are; None: none are played.
        speech: What it says.
        remarks: Sentences on orders that were obeyed in part, to be said.
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
        """Does what an order says; nothing where its button was let go.

        Args:
            order: The order.
            cause: Who gives it, for decisions.

        Raises:
            PlayerError: It names what the character does not have, or the player has no such order.
        """
        if order.is_released:
            return
        if order.word not in ORDERS:
            raise PlayerError(f"'{order.word}' is no order to a character")
        ORDERS[order.word](self, order, cause)

    def tick(self, dt: float, seconds: float) -> None:
        """Moves the character on by `dt` [s], at `seconds` since the start."""
        self.playhead.advance(dt)
        frame = self.playhead.seconds / self.performance.character.rate.seconds_a_frame
        events, self.events = [*self.events, *self.speech.events()], []
        self.persons.advance(dt, self.camera_pose)
        self.performance.advance(frame, dt, self._targets(frame), events, seconds, senses=self.persons.senses)

    def _targets(self, frame: float) -> Mapping[str, Matrix]:
        """World matrices of the targets that somebody has put elsewhere, and of persons who are seen."""
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
        """World matrix of a camera at the last tick; None: the character has no target of that name."""
        performance = self.performance
        if camera not in performance.target_names:
            return None
        return performance.authored_target(camera, performance.frame)

    def place(self, names: str) -> TargetPose:
        """Where somebody has put the target for which names stand, to be changed."""
        return self.placed.setdefault(self.target(names), TargetPose())

    def target(self, names: str) -> str:
        """Name of the target for which names stand: a chain's, or that of one of its other ends."""
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
        """The chain with which names begin, and the rest."""
        chains = {chain.name: chain for chain in self.performance.character.chains}
        begun = begun_with(names, chains)
        if begun is None:
            raise PlayerError(f"there is no chain '{names.partition('/')[0]}': there is {listed(chains)}")
        return chains[begun[0]], begun[1]


def listed(names: Iterable[str]) -> str:
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
        director.place(order.names).position = list(order.numbers)
        return
    chain, goal = director.chain(order.names)
    if goal:
        raise PlayerError(f"'{order.path}' keeps its target: give a position in place of '{order.text}'")
    director.performance.controls.follow(chain.name, order.text)


def _look(director: Director, order: Order, cause: str) -> None:
    """All chains look at a target, or their targets go to a position."""
    for chain in director.performance.character.chains:
        if order.name:
            director.performance.controls.follow(chain.name, order.name)
        else:
            director.place(chain.name).position = list(order.numbers)


def _rotation(director: Director, order: Order, cause: str) -> None:
    length = math.hypot(*order.numbers)
    if length < SHORTEST:
        raise PlayerError(f"'{order.path}' has a quaternion without length: give w x y z of length 1")
    w, x, y, z = (number / length for number in order.numbers)
    director.place(order.names).rotation = (w, x, y, z)


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
    """A person before a camera; without one they are noticed, and nobody looks at them."""
    camera = named(order.name, director.performance.target_names) or order.name
    try:
        sighting = sighting_of(order.numbers)
    except SightingError as error:
        raise PlayerError(str(error)) from error
    pose = director.camera_pose(camera)
    director.persons.take(camera, sighting, pose)
    if order.name and pose is None and director.persons.is_news(camera):
        director.remarks.append(unknown_camera(camera, director.performance.target_names))
    director.placed.pop(camera, None)  # the newest order counts


def _say(director: Director, order: Order, cause: str) -> None:
    """A sound beside the character's file, or the begin or end of speech that another program plays."""
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
    """Curves through what comes, and the motion filter, smooth it: a sender's velocity is not needed."""
    director.place(order.names)


def _play(director: Director, order: Order, cause: str) -> None:
    director.playhead.play()


def _pause(director: Director, order: Order, cause: str) -> None:
    director.playhead.pause()


def _seek(director: Director, order: Order, cause: str) -> None:
    director.playhead.seek(order.numbers[0])


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
