"""Characters: by name or from a file, they shape the motion within the joints' limits."""

import json
import os
from itertools import pairwise

import bpy
import numpy as np
import pytest

from tests.blender import mechanisms
from tests.blender.drawing import drawn
from tests.blender.modal import Window
from tests.blender.rigs import build, keyed, looking_chain, make_active, target


@pytest.fixture
def chain():
    _, chain = looking_chain()
    keyed(chain.target, (5, 10))
    bpy.context.scene.frame_end = 40
    return chain


def speeds(rig) -> np.ndarray:
    """Of each joint, its highest speed [rad/s] while the target flies past."""
    from limber.rig.output.motion_check.check import result

    bpy.ops.limber.check_motion()
    take = result(rig).takes[0]
    return (np.abs(np.diff(take.filtered, axis=0)) / take.seconds).max(axis=0)


def test_each_character_can_be_used_and_is_told_by_its_name(rig, chain):
    from limber.rig.authoring.characters import BUILT_IN, name_of

    for name in BUILT_IN:
        bpy.ops.limber.use_character(name=name)
        assert name_of(chain) == name
    chain.sigma = 0.5
    assert name_of(chain) == ""


def test_a_sleepy_motion_keeps_to_its_share_of_the_joints_limits(rig, chain):
    bpy.ops.limber.use_character(name="Nervous")
    quick = speeds(rig)
    bpy.ops.limber.use_character(name="Sleepy")
    limits = np.array([joint.velocity for joint in chain.joints])
    assert (speeds(rig) <= 0.25 * limits + 1e-6).all()
    assert quick.max() > 2 * speeds(rig).max()


@pytest.mark.every_blender
def test_a_character_is_kept_in_a_file_and_comes_back_from_it(rig, chain, tmp_path):
    from limber.rig.authoring.characters import of

    bpy.ops.limber.use_character(name="Heavy")
    chain.rho = 0.3
    before = of(chain)
    bpy.ops.limber.save_character(filepath=str(tmp_path / "mine"))
    (path,) = tmp_path.iterdir()
    assert path.name == "mine.limber-character.json"
    bpy.ops.limber.use_character(name="Nervous")
    bpy.ops.limber.load_character(filepath=str(path))
    assert of(chain)[1:] == pytest.approx(before[1:], abs=1e-6)
    bpy.ops.limber.save_character(filepath=str(path))
    assert list(tmp_path.iterdir()) == [path], "its ending is not put twice"


def test_what_is_saved_in_the_users_folder_is_in_the_menu(rig, chain, tmp_path, monkeypatch):
    from limber.rig.authoring import characters

    monkeypatch.setattr(characters, "folder", lambda: tmp_path)
    bpy.ops.limber.use_character(name="Sleepy")
    bpy.ops.limber.save_character(filepath=str(tmp_path / "Owl"))
    assert list(characters.own()) == ["Owl"]
    bpy.ops.limber.use_character(name="Light")
    bpy.ops.limber.use_character(name="Owl")
    assert characters.name_of(chain) == "Sleepy"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": "else"}, "no motion character of Limber"),
        ({"version": 2}, "is of version 2, 1 was expected: update Limber"),
        ({"filter": "magic"}, "filter 'magic' is not known: default or nutty was expected"),
        ({"sigma": 1.5}, "sigma is 1.5: a number from 0 to 1 was expected"),
        ({"jerk_share": 0}, "jerk_share is 0: a number from 0.01 to 1 was expected"),
        ({"rho": "much"}, "rho is 'much': a number from 0 to 0.99 was expected"),
        ({"velocity_share": None}, "velocity_share is null"),
    ],
)
def test_a_file_that_is_wrong_changes_nothing_and_is_told_what_was_expected(
    rig, chain, tmp_path, change, said
):
    from limber.rig.authoring.characters import of

    bpy.ops.limber.save_character(filepath=str(tmp_path / "one"))
    (path,) = tmp_path.iterdir()
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    before = of(chain)
    with pytest.raises(RuntimeError, match=said):
        bpy.ops.limber.load_character(filepath=str(path))
    assert of(chain) == before


@pytest.mark.every_blender
def test_files_that_are_not_there_or_cannot_be_written_are_named(rig, chain, tmp_path):
    with pytest.raises(RuntimeError, match="cannot be read: choose another file"):
        bpy.ops.limber.load_character(filepath=str(tmp_path / "none.json"))
    with pytest.raises(RuntimeError, match="cannot be written: choose another folder"):
        bpy.ops.limber.save_character(filepath=str(tmp_path / "nowhere" / "x"))
    with pytest.raises(RuntimeError, match="No file name"):
        bpy.ops.limber.save_character()
    (tmp_path / "list.json").write_text("[]")
    with pytest.raises(RuntimeError, match=r"list.json is no motion character of Limber"):
        bpy.ops.limber.load_character(filepath=str(tmp_path / "list.json"))
    with pytest.raises(
        RuntimeError, match="There is no character 'Angry': choose one of Light, Heavy, Nervous, Sleepy"
    ):
        bpy.ops.limber.use_character(name="Angry")


@pytest.mark.every_blender
def test_a_mechanism_has_characters_too_and_keeps_to_its_share_of_the_motors_limits(tmp_path):
    from limber.rig.authoring.characters import name_of, of

    owner = mechanisms.add("four_bar")
    bpy.ops.limber.live()
    kept = owner.limber.mechanism
    motor = kept.motors[0]

    def speed() -> float:
        """The highest [rad/s] at which the motor turns on its way to a new value."""
        shown = []
        for frame in range(1, 40):
            bpy.context.scene.frame_set(frame)
            shown.append(mechanisms.session(owner).outputs.values[0])
        return float(np.abs(np.diff(shown)).max() * bpy.context.scene.render.fps)

    kept.drive = "MOTORS"
    keyed(motor, (5, 6), "value", 0.8)
    bpy.ops.limber.use_character(name="Nervous")
    quick = speed()
    bpy.ops.limber.use_character(name="Sleepy")
    assert name_of(kept) == "Sleepy"
    assert speed() <= 0.25 * motor.velocity + 1e-6
    assert quick > 2 * speed()
    save = Window(bpy.types.LIMBER_OT_save_character)
    assert save._usual_path(bpy.context).name == "Four-Bar.limber-character.json"
    bpy.ops.limber.save_character(filepath=str(tmp_path / "mine"))
    bpy.ops.limber.use_character(name="Light")
    bpy.ops.limber.load_character(filepath=str(tmp_path / "mine.limber-character.json"))
    assert of(kept)[1:] == pytest.approx((0.9, 0.0, 0.25, 0.15, 0.1, 1.0), abs=1e-6)


def test_where_the_disk_is_full_the_old_character_stays(rig, chain, tmp_path, monkeypatch):
    from limber.rig.authoring import characters

    path = tmp_path / f"Mine{characters.SUFFIX}"
    characters.save(path, characters.of(chain))
    before = path.read_bytes()

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    chain.sigma = 0.5
    with pytest.raises(RuntimeError, match="No space left on device"):
        bpy.ops.limber.save_character(filepath=str(path))
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == [path.name]


def test_a_file_of_an_older_version_has_the_papers_soft_limits(rig, chain, tmp_path):
    chain.filter, chain.beta = "nutty", 4.0
    bpy.ops.limber.save_character(filepath=str(tmp_path / "one"))
    (path,) = tmp_path.iterdir()
    content = json.loads(path.read_text())
    assert content.pop("beta") == 4.0
    path.write_text(json.dumps(content))
    bpy.ops.limber.load_character(filepath=str(path))
    assert (chain.filter, chain.beta) == ("nutty", 1.0)


def test_soft_limits_change_the_nutty_filter():
    from limber.rig.output.motion_check.check import result

    at = target((0.0, 0.0, 1.0))
    rig, chain = looking_chain(build({"neck": "X"}), "neck", at=at)
    chain.joints[0].lower, chain.joints[0].upper = -2.0, 2.0
    keyed(at, (5, 6), end=(0.0, -0.5, -1.0))  # beyond the limit; a single joint has one way to look there
    bpy.context.scene.frame_end = 40
    takes = []
    for beta in (0.5, 1.0, 2.0, 10.0):
        chain.filter, chain.beta = "nutty", beta
        bpy.ops.limber.check_motion()
        takes.append(np.array(result(rig).takes[0].filtered))
    for softer, harder in pairwise(takes):
        assert np.abs(softer - harder).max() > 0.01


def nod(settings) -> np.ndarray:
    """Filtered angles (frames, joints) of a neck of two bones that turn to a leaping target, after
    `settings(joints)`.
    """
    from limber.rig.output.motion_check.check import result

    at = target((0.0, 0.0, 1.0))
    rig, chain = looking_chain(build({"neck": "X", "head": "X"}), "neck", "head", at=at)
    keyed(at, (5, 6), end=(0.0, -1.0, 0.6))
    bpy.context.scene.frame_end = 40
    chain.filter = "default"
    settings(chain)
    bpy.ops.limber.check_motion()
    return np.array(result(rig).takes[0].filtered)


def test_a_joint_may_have_a_style_of_its_own():
    def heavy(chain):
        chain.joints[0].own_style, chain.joints[0].sigma = True, 0.8

    def not_ticked(chain):
        chain.joints[0].sigma = 0.8

    def all_heavy(chain):
        chain.sigma = 0.8

    def nervous_head(chain):
        chain.sigma, chain.joints[1].own_style = 0.8, True

    plain, base, head = nod(lambda chain: None), nod(heavy), nod(nervous_head)
    assert np.array_equal(nod(not_ticked), plain)
    assert np.abs(base[:, 0] - plain[:, 0]).max() > 0.01
    assert np.abs(head[:, 0] - nod(all_heavy)[:, 0]).max() < 1e-9
    assert np.abs(head[:, 1] - plain[:, 1]).max() < 1e-9


def test_the_joints_panel_has_the_style_of_a_joint(rig, chain):
    from limber.panels.authoring.rig import LIMBER_PT_joints

    make_active(rig)
    chain.filter = "nutty"
    assert {"own_style", "sigma", "rho", "beta"} <= {name for _, name in drawn(LIMBER_PT_joints).settings}
    chain.filter = "default"
    assert "beta" not in {name for _, name in drawn(LIMBER_PT_joints).settings}
