"""Tests persons that trackers see: when they are seen and lost, where they are, and whom a camera follows."""

import math

import numpy as np
import pytest
from limber.character.behaviour.data import Behaviour, StateSpec, TransitionSpec
from limber.character.behaviour.deciding import Senses
from limber.character.behaviour.performer import Performer
from limber.character.seeing import SeenPersons, Sighting, SightingError, sighting_of
from limber.solvers.kinematics import rotations

DT = 1 / 60
AHEAD = Sighting(1.0, 0.0, 0.0, 0.0, 2.0, 1.0)


def pose(position=(0.0, 0.0, 0.0), degrees: float = 0.0, size: float = 1.0) -> list[list[float]]:
    """World matrix of a camera that is rotated about its Y; at 0 degrees it looks along -Z."""
    turned = rotations.to_matrix(rotations.exponential((0.0, math.radians(degrees), 0.0)))
    rows = [[*(size * number for number in row), place] for row, place in zip(turned, position, strict=True)]
    return [*rows, [0.0, 0.0, 0.0, 1.0]]


def passed(persons: SeenPersons, seconds: float, camera=None) -> None:
    for _ in range(round(seconds / DT)):
        persons.advance(DT, lambda _: camera)


def test_nobody_is_seen_nor_lost_before_a_tracker_says_something():
    persons = SeenPersons()
    passed(persons, 1.0)
    assert persons.senses is None


def test_a_person_is_seen_at_its_distance_and_lost_by_silence():
    persons = SeenPersons()
    persons.take("Camera", AHEAD, None)
    persons.take("Door", AHEAD._replace(distance=3.0), None)
    passed(persons, 0.4)
    assert persons.senses == Senses(2.0)
    passed(persons, 0.2)
    assert persons.senses == Senses(None)


def test_an_old_picture_is_of_a_person_who_was_there_so_much_earlier():
    persons = SeenPersons()
    persons.take("Camera", AHEAD._replace(age=0.3), None)
    passed(persons, 0.15)
    assert persons.senses == Senses(2.0)
    # an older sighting that arrives late
    persons.take("Camera", AHEAD._replace(age=0.48, distance=1.0), None)
    assert persons.senses == Senses(2.0)
    passed(persons, 0.1)
    assert persons.senses == Senses(None)


def test_a_tracker_that_is_not_sure_needs_more_than_one_picture_and_0_says_that_nobody_is_there():
    persons = SeenPersons()
    for seen in (None, None, 2.0):
        persons.take("Camera", AHEAD._replace(confidence=0.4), None)
        assert persons.senses == Senses(seen)
    persons.take("Camera", AHEAD._replace(confidence=0.0), None)
    assert persons.senses == Senses(None)


def test_a_position_is_right_and_above_and_ahead_of_the_camera_whatever_its_size():
    persons = SeenPersons()
    persons.take("Camera", Sighting(1.0, 0.0, 0.25, -0.5, 2.0, 1.0), pose((1.0, 2.0, 3.0), size=4.0))
    passed(persons, DT)
    assert persons.positions["Camera"] == pytest.approx((1.5, 3.0, 1.0))


def test_a_camera_that_turns_sees_persons_from_where_it_was_when_the_picture_was_taken():
    """With the current pose, the target would run ahead by the head's rotation in the meantime."""
    persons, place, age = SeenPersons(), np.array((0.5, 0.0, -2.0)), 0.1

    def turned(seconds: float) -> list[list[float]]:
        return pose(degrees=120.0 * seconds)

    persons.take("Camera", AHEAD._replace(person=2.0, confidence=0.1), turned(0.0))
    for tick in range(1, 60):
        seconds = tick * DT
        persons.advance(DT, lambda _, seconds=seconds: turned(seconds))
        if seconds > age:
            right, up, back = np.array(turned(seconds - age))[:3, :3].T @ place
            persons.take("Camera", Sighting(1.0, age, right / -back, up / back, -back, 1.0), turned(seconds))
        if "Camera" in persons.positions:
            assert persons.positions["Camera"] == pytest.approx(place.tolist(), abs=2e-3)
    assert "Camera" in persons.positions


def test_a_position_stays_where_a_person_was_lost():
    persons = SeenPersons()
    persons.take("Camera", AHEAD, pose())
    passed(persons, 3.0, pose())
    assert persons.positions["Camera"] == pytest.approx((0.0, 0.0, -2.0))
    assert not persons.is_active


def test_a_position_moves_at_every_tick_between_pictures():
    persons, places = SeenPersons(), []
    for tick in range(120):
        if tick % 4 == 0:
            persons.take("Camera", AHEAD._replace(x=0.2 * math.sin(2.0 * tick * DT)), pose())
        persons.advance(DT, lambda _: pose())
        places.append(persons.positions["Camera"][0])
    assert np.abs(np.diff(places)[40:]).min() > 0.0


def test_a_camera_follows_the_nearest_until_another_has_been_much_nearer_for_a_second():
    persons = SeenPersons()
    far, near, much_nearer = (Sighting(k, 0.0, 0.0, 0.0, z, 1.0) for k, z in ((1, 2.0), (2, 1.2), (3, 0.9)))
    for sightings, seconds, follows in (
        ((far,), 0.2, -2.0),
        ((far, near), 3.0, -2.0),
        ((far, near, much_nearer), 0.9, -2.0),
        ((far, near, much_nearer), 0.2, -0.9),
        ((near,), 0.7, -1.2),
    ):
        for _ in range(round(seconds / DT)):
            for sighting in sightings:
                persons.take("Camera", sighting, pose())
            persons.advance(DT, lambda _: pose())
        assert persons.positions["Camera"][2] == pytest.approx(follows)


def test_a_sender_of_ever_new_persons_does_not_fill_the_memory():
    persons = SeenPersons()
    for number in range(1000):
        persons.take(f"Camera {number % 7}", AHEAD._replace(person=float(number)), None)
    assert len(persons._persons) <= 64


def test_a_distance_that_is_none_is_refused():
    with pytest.raises(SightingError, match="metres above 0"):
        sighting_of((1.0, 0.0, 0.0, 0.0, 0.0, 1.0))
    assert sighting_of((1.0, -0.5, 0.0, 0.0, 1.0, 7.0)) == Sighting(1.0, 0.0, 0.0, 0.0, 1.0, 1.0)


def test_a_behaviour_notices_who_comes_near_and_leaves():
    states = tuple(StateSpec(name) for name in ("Idle", "Attending", "Close", "Searching"))
    transitions = (
        TransitionSpec("Idle", "Attending", "seen"),
        TransitionSpec("Attending", "Close", "nearer", least=1.0),
        TransitionSpec("Close", "Attending", "farther", least=1.2),
        TransitionSpec("Attending", "Searching", "lost", least=0.5),
    )
    persons, performer = SeenPersons(), Performer(Behaviour(states, transitions), 0)
    for seconds, distance, state in (
        (0.5, None, "Idle"),
        (0.5, 2.0, "Attending"),
        (0.5, 0.9, "Close"),
        (0.5, 1.5, "Attending"),
        (0.9, None, "Attending"),
        (0.3, None, "Searching"),
    ):
        for _ in range(round(seconds / DT)):
            if distance is not None:
                persons.take("Camera", AHEAD._replace(distance=distance), None)
            persons.advance(DT, lambda _: None)
            performer.advance(DT, (), persons.senses)
        assert performer.state.name == state
