"""Tests motion styles, by name or from a file: they shape the motion within the joints' limits."""

import json
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from tests.blender import mechanisms
from tests.blender.drawing import Layout, drawn
from tests.blender.rigs import build, keyed, looking_chain, make_active, target


@pytest.fixture
def chain():
    _, chain = looking_chain()
    keyed(chain.target, (5, 10))
    bpy.context.scene.frame_end = 40
    return chain


def speeds(rig) -> np.ndarray:
    """Highest speed [rad/s] of each joint while the target flies past."""
    from limber.rig.output.motion_check.check import result

    bpy.ops.limber.check_motion()
    take = result(rig).takes[0]
    return (np.abs(np.diff(take.filtered, axis=0)) / take.seconds).max(axis=0)


def test_each_style_can_be_used_and_is_told_by_its_name(rig, chain):
    from limber.rig.authoring.motion_styles import BUILT_IN, name_of

    for name in BUILT_IN:
        bpy.ops.limber.use_motion_style(name=name)
        assert name_of(chain) == name
    chain.sigma = 0.5
    assert name_of(chain) == ""


def test_a_sleepy_motion_keeps_to_its_share_of_the_joints_limits(rig, chain):
    bpy.ops.limber.use_motion_style(name="Nervous")
    quick = speeds(rig)
    bpy.ops.limber.use_motion_style(name="Sleepy")
    limits = np.array([joint.velocity for joint in chain.joints])
    assert (speeds(rig) <= 0.25 * limits + 1e-6).all()
    assert quick.max() > 2 * speeds(rig).max()


def saved(path: Path, **change) -> Path:
    """A file as saved by earlier versions, with the style Heavy and a faster end."""
    content = {
        "format": "limber-character",
        "version": 1,
        "filter": "default",
        "sigma": 0.6,
        "rho": 0.3,
        "velocity_share": 0.6,
        "acceleration_share": 0.3,
        "jerk_share": 0.2,
        "beta": 1.0,
    }
    path.write_text(json.dumps(content | change, indent=2) + "\n")
    return path


@pytest.mark.every_blender
def test_a_file_that_an_earlier_version_has_saved_is_loaded(rig, chain, tmp_path):
    from limber.rig.authoring.motion_styles import of

    path = saved(tmp_path / "mine.limber-character.json")
    bpy.ops.limber.load_motion_style(filepath=str(path))
    assert of(chain) == ("default", *map(pytest.approx, (0.6, 0.3, 0.6, 0.3, 0.2, 1.0)))


@pytest.mark.every_blender
def test_a_style_of_its_own_is_in_the_menu_of_other_chains_and_mechanisms(rig, chain):
    from limber.panels.authoring.motion import LIMBER_MT_motion_styles
    from limber.rig.authoring import motion_styles

    bpy.ops.object.mode_set(mode="OBJECT")
    owner = mechanisms.add("four_bar")
    bpy.ops.limber.use_motion_style(name="Heavy")
    assert motion_styles.in_file() == {}
    owner.limber.mechanism.rho = 0.3
    ((label, style),) = motion_styles.in_file().items()
    assert label == "Mechanism 'Four-Bar'"
    make_active(rig)
    layout = Layout()
    LIMBER_MT_motion_styles.draw(SimpleNamespace(layout=layout, settings=lambda _: chain), bpy.context)
    assert layout.operators.count("limber.use_motion_style") == len(motion_styles.BUILT_IN) + 1
    bpy.ops.limber.use_motion_style(name=label)
    assert motion_styles.of(chain) == style


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": "else"}, "no motion style of Limber"),
        ({"filter": "magic"}, "filter 'magic' is not known: default or nutty was expected"),
        ({"sigma": 1.5}, "style `sigma` is 1.5: choose it from 0 to 1"),
        ({"jerk_share": 0}, "style `jerk` is 0.0: choose a share above 0 and up to 1"),
        ({"rho": "much"}, "rho is 'much': a number was expected"),
        ({"velocity_share": None}, "velocity_share is null"),
    ],
)
def test_a_file_that_is_wrong_changes_nothing_and_is_told_what_was_expected(
    rig, chain, tmp_path, change, said
):
    from limber.rig.authoring.motion_styles import of

    path = saved(tmp_path / "one.json", **change)
    before = of(chain)
    with pytest.raises(RuntimeError, match=said):
        bpy.ops.limber.load_motion_style(filepath=str(path))
    assert of(chain) == before


@pytest.mark.every_blender
def test_files_that_are_not_there_or_are_none_are_named(rig, chain, tmp_path):
    with pytest.raises(RuntimeError, match="cannot be read: choose another file"):
        bpy.ops.limber.load_motion_style(filepath=str(tmp_path / "none.json"))
    (tmp_path / "list.json").write_text("[]")
    with pytest.raises(RuntimeError, match=r"list.json is no motion style of Limber"):
        bpy.ops.limber.load_motion_style(filepath=str(tmp_path / "list.json"))
    with pytest.raises(
        RuntimeError, match="There is no motion style 'Angry': choose one of Light, Heavy, Nervous, Sleepy"
    ):
        bpy.ops.limber.use_motion_style(name="Angry")


@pytest.mark.every_blender
def test_a_mechanism_has_motion_styles_too_and_keeps_to_its_share_of_the_motors_limits(tmp_path):
    from limber.rig.authoring.motion_styles import name_of, of

    owner = mechanisms.add("four_bar")
    bpy.ops.limber.live()
    kept = owner.limber.mechanism
    motor = kept.motors[0]

    def speed() -> float:
        """Highest speed [rad/s] of the motor on its way to a new value."""
        shown = []
        for frame in range(1, 40):
            bpy.context.scene.frame_set(frame)
            shown.append(mechanisms.session(owner).outputs.values[0])
        return float(np.abs(np.diff(shown)).max() * bpy.context.scene.render.fps)

    kept.drive = "MOTORS"
    keyed(motor, (5, 6), "value", 0.8)
    bpy.ops.limber.use_motion_style(name="Nervous")
    quick = speed()
    bpy.ops.limber.use_motion_style(name="Sleepy")
    assert name_of(kept) == "Sleepy"
    assert speed() <= 0.25 * motor.velocity + 1e-6
    assert quick > 2 * speed()
    bpy.ops.limber.load_motion_style(filepath=str(saved(tmp_path / "mine.json")))
    assert of(kept)[1:] == pytest.approx((0.6, 0.3, 0.6, 0.3, 0.2, 1.0), abs=1e-6)


def test_a_file_of_an_older_version_has_the_papers_soft_limits(rig, chain, tmp_path):
    chain.filter, chain.beta = "nutty", 4.0
    path = saved(tmp_path / "one.json", filter="nutty")
    path.write_text(path.read_text().replace(',\n  "beta": 1.0', ""))
    assert "beta" not in path.read_text()
    bpy.ops.limber.load_motion_style(filepath=str(path))
    assert (chain.filter, chain.beta) == ("nutty", 1.0)


@pytest.mark.every_blender
@pytest.mark.parametrize("name", ["use_character", "load_character", "save_character"])
def test_operators_of_earlier_versions_say_what_has_taken_their_place(rig, chain, name):
    with pytest.raises(RuntimeError, match=f"no operator limber.{name} any more: .*motion_style"):
        getattr(bpy.ops.limber, name)(**{"filepath" if "_use" not in f"_{name}" else "name": "Heavy"})


def test_soft_limits_change_the_nutty_filter():
    from limber.rig.output.motion_check.check import result

    at = target((0.0, 0.0, 1.0))
    rig, chain = looking_chain(build({"neck": "X"}), "neck", at=at)
    chain.joints[0].lower, chain.joints[0].upper = -2.0, 2.0
    keyed(at, (5, 6), end=(0.0, -0.5, -1.0))  # beyond the limit; a single joint has one solution for it
    bpy.context.scene.frame_end = 40
    takes = []
    for beta in (0.5, 1.0, 2.0, 10.0):
        chain.filter, chain.beta = "nutty", beta
        bpy.ops.limber.check_motion()
        takes.append(np.array(result(rig).takes[0].filtered))
    for softer, harder in pairwise(takes):
        assert np.abs(softer - harder).max() > 0.01


def nod(settings) -> np.ndarray:
    """Filtered angles (frames, joints) of a neck of two bones that follow a jumping target, after
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
