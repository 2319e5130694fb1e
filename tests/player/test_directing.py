"""Tests a character's reactions to orders, without a clock."""

from dataclasses import replace

import pytest
from limber.character.file.anchors import Anchor, ChainLink
from limber.character.file.contents import TargetEntry
from limber.inputs.words import order_of
from limber.player.directing import Director
from limber.player.errors import PlayerError
from limber.player.performance import Performance
from limber.player.playhead import Playhead

from tests.character.samples import chain, character, placed


def test_a_target_on_another_chain_is_moved_along_one_axis_of_the_world():
    two = character(chain("Arm"), chain("Other", "Rig2"))
    ball = TargetEntry("Ball", Anchor(ChainLink("Other", 2), placed((0.3, 0.5, 0.4))))
    performance = Performance(replace(two, targets=(ball, *two.targets[1:])))
    director = Director(performance, Playhead(2.0))
    director.tick(0.0, 0.0)
    arm = performance.character.chains[0]
    x, y, z = performance.target_position(arm)
    assert (x, y, z) != (0.3, 0.5, 0.4)
    director.obey(order_of("axis/Arm/z", [z + 0.25]), "OSC")
    director.tick(1e-6, 1e-6)
    assert performance.target_position(arm) == pytest.approx([x, y, z + 0.25], abs=1e-5)


def test_what_comes_before_the_first_tick_counts_in_it():
    performance = Performance(character())
    director = Director(performance, Playhead(2.0))
    director.obey(order_of("target/Arm", [0.25, 0.5, 0.75]), "OSC")
    director.obey(order_of("axis/Arm/z", [0.5]), "OSC")
    director.tick(0.0, 0.0)
    (arm,) = performance.character.chains
    assert performance.target_position(arm) == [0.25, 0.5, 0.5]


def test_a_camera_that_is_not_there_is_said_once_with_those_that_are():
    director = Director(Performance(character()), Playhead(2.0))
    director.tick(0.0, 0.0)
    for camera in ("Camrea", "Camrea", "Ball"):
        director.obey(order_of(f"seen/{camera}", [1.0, 0.0, 0.1, 0.0, 1.5, 1.0]), "OSC")
    (remark,) = director.remarks
    assert "'Camrea'" in remark
    assert "there is 'Ball'" in remark
    for number in range(1000):
        director.obey(order_of(f"seen/{number}", [1.0, 0.0, 0.1, 0.0, 1.5, 1.0]), "OSC")
    assert len(director.remarks) < 100, "a sender of ever new names cannot fill the memory"


def test_a_person_before_no_camera_is_noticed_and_nothing_is_said_of_cameras():
    director = Director(Performance(character()), Playhead(2.0))
    director.tick(0.0, 0.0)
    director.obey(order_of("seen", [1.0, 0.0, 0.1, 0.0, 1.5, 1.0]), "page")
    assert director.persons.senses.distance == 1.5
    assert not director.remarks
    assert not director.persons.positions


def test_a_velocity_alone_moves_no_target():
    director = Director(Performance(character()), Playhead(2.0))
    director.obey(order_of("velocity/Arm", [1.0, 0.0, 0.0]), "OSC")
    assert not director.placed
    with pytest.raises(PlayerError):
        director.obey(order_of("velocity/Leg", [1.0, 0.0, 0.0]), "OSC")


def test_a_clip_is_chosen_by_the_name_of_the_character_and_no_other():
    director = Director(Performance(character()), Playhead(2.0))
    director.tick(0.0, 0.0)
    director.obey(order_of("pause", []), "OSC")
    with pytest.raises(PlayerError, match=r"no clip 'Dance': there is 'Sample'\. Motions of states"):
        director.obey(order_of("play", ["Dance"]), "OSC")
    assert not director.playhead.plays
    director.obey(order_of("play/Sample", [0.0]), "OSC")
    assert not director.playhead.plays, "a button that is let go does nothing"
    for order in (order_of("play/Sample", [1.0]), order_of("play", ["Sample"]), order_of("play", [])):
        director.playhead.pause()
        director.obey(order, "OSC")
        assert director.playhead.plays


def test_a_target_that_a_program_moves_is_a_person_at_its_distance_and_no_other_goal_is():
    performance = Performance(character())
    director = Director(performance, Playhead(2.0))
    director.obey(order_of("target/Arm", [0.0, 2.0, 0.0]), "OSC")
    director.tick(0.0, 0.0)
    assert director.persons.senses is None, "a single order is no tracker"
    director.note_targets(["Arm/Hand"])
    assert director.persons.senses is None
    director.note_targets(["Arm"])
    assert director.persons.senses.distance == pytest.approx(2.0, abs=0.01), "from the base, a little above 0"
    director.note_targets([])
    assert director.persons.senses.distance is None, "lost by silence"
