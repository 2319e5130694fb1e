"""Persons whom trackers see: their number, distance and world position. Any program can be a tracker; a host
passes its reports on.

A tracker reports for each person in its camera's picture: the person's number, the age of the picture, the
tangents x (right) and y (down) of the direction from the camera, the distance along its axis, and the
confidence. A camera looks along -Z of its frame, with +Y up, as Blender's do.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import nan
from typing import NamedTuple

import numpy as np

from ..solvers.kinematics.rotations import Vector
from ..solvers.kinematics.se3 import Array
from .behaviour.deciding import Senses
from .chain.inputs import Matrix
from .remote_signals import RemoteSignals
from .stream import PAUSE

# [s] time after a person's last picture from which the person counts as lost: the same as for a stream
LOST = PAUSE
SURE = 1.0  # sum of the confidences of a person's sightings from which the person counts as seen
NEARER = 0.5  # share of the followed person's distance below which another person counts as nearer
NEARER_FOR = 1.0  # [s] time for which another person must be nearer before the camera follows them
# largest number of persons at a time, and of missing cameras that are reported; further ones are ignored, so
# that invented numbers and names cannot fill the memory
MOST_PERSONS = 64


class SightingError(ValueError):
    """Numbers that give no position of a person; the message says what was expected."""


class Sighting(NamedTuple):
    """A tracker's report on a person: the person's number, the age of the picture [s], tangents right and
    down in it, the distance [m] along the camera's axis, and the confidence from 0, nobody, to 1.
    """

    person: float
    age: float
    x: float
    y: float
    distance: float
    confidence: float


def sighting_of(numbers: Sequence[float]) -> Sighting:
    """The sighting of six numbers; raises SightingError if its distance is not above 0. A negative age counts
    as 0, and the confidence is clamped to 0 to 1.
    """
    sighting = Sighting(*numbers)
    if not sighting.distance > 0.0:
        raise SightingError(f"a person has the distance {sighting.distance:g}: send metres above 0")
    return sighting._replace(age=max(sighting.age, 0.0), confidence=min(max(sighting.confidence, 0.0), 1.0))


def unknown_camera(camera: str, known: Sequence[str]) -> str:
    """Sentence on a camera that does not exist; `known`: names of the existing ones."""
    names = ", ".join(f"'{name}'" for name in known) or "none"
    return (
        f"Persons before camera '{camera}' are noticed, but nobody looks at them: no camera is called so; there"
        f" is {names}. If it is one of these, correct the name that the tracker sends"
    )


@dataclass
class _Person:
    """A person in a camera's pictures.

    Attributes:
        sighting: The newest sighting.
        since: Time [s] since its picture was taken.
        sureness: Sum of the confidences so far.
        position: World position (3,) [m]; empty if the camera's pose is not known.
        count: Number of sightings since the last tick.
    """

    sighting: Sighting
    since: float
    sureness: float = 0.0
    position: Vector | tuple[()] = ()
    count: int = 0

    @property
    def is_seen(self) -> bool:
        """Whether the confidences of the person's sightings add up to at least `SURE`."""
        return self.sureness >= SURE


class _Camera:
    """A camera's pose now and during recent pictures, and the person whom it follows.

    Attributes:
        follows: Number of the followed person; None for nobody.
        nearer_for: Time [s] for which another person has been much nearer.
    """

    def __init__(self, time: float, pose: Matrix) -> None:
        self._past = deque([(time, pose)])  # poses of the camera as (time [s], pose), the newest last
        self.follows: float | None = None
        self.nearer_for = 0.0

    def remember(self, time: float, pose: Matrix) -> None:
        """Records the camera's pose at a time [s] later than all recorded ones."""
        self._past.append((time, pose))
        while len(self._past) > 2 and self._past[1][0] < time - LOST:
            self._past.popleft()

    def in_world(self, position: Vector, time: float) -> Vector:
        """World position [m] of a position in the camera's frame at a time [s], interpolated linearly between
        those that the camera's recorded poses give.
        """
        later, pose = self._past[-1]
        in_world = _placed(pose, position)
        for earlier, pose in list(self._past)[-2::-1]:
            if later <= time:
                break
            before = _placed(pose, position)
            share = min((later - time) / (later - earlier), 1.0)
            in_world, later = in_world + share * (before - in_world), earlier
        x, y, z = in_world.tolist()
        return x, y, z

    def choose(self, distances: dict[float, float], dt: float) -> None:
        """Chooses the person to follow: still the last one, until that person is lost or another has been
        much nearer (`NEARER`) for `NEARER_FOR`; then the nearest one. `distances`: distances [m] of the
        persons seen, by their numbers.
        """
        nearest = min(distances, key=distances.__getitem__, default=None)
        if nearest is None or self.follows not in distances:
            self.follows, self.nearer_for = nearest, 0.0
            return
        is_much_nearer = distances[nearest] < NEARER * distances[self.follows]
        self.nearer_for = self.nearer_for + dt if is_much_nearer else 0.0
        if self.nearer_for >= NEARER_FOR:
            self.follows, self.nearer_for = nearest, 0.0


class SeenPersons:
    """Persons whom trackers see, identified by the camera's name and the person's number.

    Attributes:
        positions: World position [m] of the person whom each camera follows, or followed last, by the
            camera's name; without cameras whose pose is not known.
    """

    def __init__(self) -> None:
        self.positions: dict[str, Vector] = {}
        self._time = 0.0  # [s] time since the start
        self._persons: dict[tuple[str, float], _Person] = {}
        self._cameras: dict[str, _Camera] = {}
        self._signals = RemoteSignals()
        self._targets: tuple[float, ...] = ()  # [m] distances of the targets that programs send at present
        self._is_tracked = False  # whether a tracker has ever reported
        self._unknown: set[str] = set()  # names of missing cameras that have been reported to the user

    @property
    def senses(self) -> Senses | None:
        """The current perception of persons; None if no tracker has reported yet."""
        if not self._is_tracked:
            return None
        seen = (each.sighting.distance for each in self._persons.values() if each.is_seen)
        return Senses(min((*seen, *self._targets), default=None))

    @property
    def is_active(self) -> bool:
        """Whether positions or persons seen will change without further reports, as time passes."""
        return bool(self._persons) or self._signals.is_active

    def is_news(self, unknown: str) -> bool:
        """Whether a missing camera, by the name `unknown`, is to be reported to the user now; marks it as
        reported. False if it was reported before, or `MOST_PERSONS` other names were.
        """
        is_news = unknown not in self._unknown and len(self._unknown) < MOST_PERSONS
        if is_news:
            self._unknown.add(unknown)
        return is_news

    def note_targets(self, distances: Iterable[float]) -> None:
        """Records the distances [m] of the targets that other programs move at present. Each counts as a
        person who is seen, since some trackers send only where a person is.
        """
        self._targets = tuple(distances)
        self._is_tracked = self._is_tracked or bool(self._targets)

    def take(self, camera: str, sighting: Sighting, pose: Matrix | None) -> None:
        """Records a sighting; one with confidence 0 removes the person. A sighting is ignored if it is older
        than the known one or than `LOST`, or if its person would be one too many.

        Args:
            camera: Name of the camera.
            sighting: The tracker's report.
            pose: World matrix of the camera now; None if not known.
        """
        self._is_tracked = True
        key = camera, sighting.person
        person = self._persons.get(key)
        if sighting.age > (LOST if person is None else person.since):
            return
        if not sighting.confidence:
            self._persons.pop(key, None)
            return
        if person is None:
            if len(self._persons) >= MOST_PERSONS:
                return
            person = self._persons[key] = _Person(sighting, sighting.age)
        person.sighting, person.since = sighting, sighting.age
        person.sureness += sighting.confidence
        person.count += 1
        if pose is not None:
            known = self._cameras.setdefault(camera, _Camera(self._time, pose))
            person.position = known.in_world(_in_camera(sighting), self._time - sighting.age)

    def advance(self, dt: float, pose_of: Callable[[str], Matrix | None]) -> None:
        """Advances by `dt` [s]: forgets persons without a picture for `LOST`, chooses the person whom each
        camera follows, and updates `positions`. `pose_of` returns the current world matrix of a camera, or
        None if it is not known.
        """
        if dt <= 0.0:
            return
        self._time += dt
        if not self._cameras and not self._persons:
            return
        for person in self._persons.values():
            person.since += dt
        self._persons = {key: person for key, person in self._persons.items() if person.since <= LOST}
        for name, camera in self._cameras.items():
            self._follow(name, camera, dt)
            if (pose := pose_of(name)) is not None:
                camera.remember(self._time, pose)
        self.positions |= {name: _single(position) for name, position in self._signals.advance(dt)}
        for person in self._persons.values():
            person.count = 0

    def _follow(self, name: str, camera: _Camera, dt: float) -> None:
        """Chooses the person whom a camera follows, and passes that person's position to its signal."""
        seen = {
            number: person
            for (of, number), person in self._persons.items()
            if of == name and person.is_seen and person.position
        }
        before = camera.follows
        camera.choose({number: person.sighting.distance for number, person in seen.items()}, dt)
        if camera.follows is None:
            return
        person = seen[camera.follows]
        if camera.follows != before or name not in self._signals:
            self._signals.begin(name, person.position, nan)
            self.positions[name] = _single(person.position)
        elif person.count:
            self._signals.receive(name, person.position, person.count, None, nan)


def _in_camera(sighting: Sighting) -> Vector:
    """Position [m] of a person in the frame of its camera."""
    ahead = sighting.distance
    return ahead * sighting.x, -ahead * sighting.y, -ahead


def _placed(pose: Matrix, position: Vector) -> Array:
    """World position (3,) [m] of a position (3,) [m] in the frame of a camera, without the camera's scale."""
    matrix = np.array(pose)
    rotation = matrix[:3, :3] / np.linalg.norm(matrix[:3, :3], axis=0)
    in_world: Array = rotation @ position + matrix[:3, 3]
    return in_world


def _single(position: Sequence[float]) -> Vector:
    """A position [m] in single precision, as in Blender, so that the motion is the same in every host."""
    x, y, z = np.array(position).astype(np.float32).tolist()
    return x, y, z
