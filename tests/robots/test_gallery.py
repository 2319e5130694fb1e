"""Tests descriptions of the gallery's robots: Limber's own are complete, and errors in others name file,
field and remedy.
"""

import shutil
from pathlib import Path

import pytest
from limber.hardware import device
from limber.hardware.presets import PRESETS
from limber.hardware.protocols.table import BUILT_IN
from limber.robots.errors import UrdfError
from limber.robots.gallery.description import FILE, LAST_SERVO, check, read_description
from limber.robots.gallery.folders import OWN, entries
from limber.robots.gallery.full_model import find
from limber.robots.lerobot_zeros import ZEROS
from limber.robots.reading import read

from tests.robots.robots import ARM

ROBOTS = sorted(path.parent for path in OWN.glob(f"*/{FILE}"))
MINE = """
name: My Arm  # as the menu shows it
maker: Me
licence: CC0
source: my desk
model: arm.urdf
device: {protocol: feetech_sts, baudrate: 1000000}
servos:
  shoulder: {id: 1, model: STS3215}
  elbow: {id: 2, model: STS3215, direction: -1, zero: 2000, range: [1000, 3000]}
gaze: {root: upper, end: hand, forward: [0, 0, 1], target: [0.5, 0, 0.2]}
postures:
  Up: {elbow: 10}
"""


@pytest.fixture
def mine(tmp_path) -> Path:
    folder = tmp_path / "my_arm"
    folder.mkdir()
    (folder / "arm.urdf").write_text(ARM)
    (folder / FILE).write_text(MINE)
    return folder


def checked(folder: Path):
    """Description of the robot in a folder, checked against its model."""
    robot = read_description(folder)
    check(robot, read(robot.model))
    return robot


def test_a_description_takes_every_servo_that_a_device_can_have():
    assert LAST_SERVO == device.LAST_SERVO


@pytest.mark.parametrize("folder", ROBOTS, ids=lambda folder: folder.name)
def test_a_robot_of_the_gallery_is_complete(folder):
    robot = checked(folder)
    assert read(robot.model).warnings == ()
    assert len(robot.postures) >= 3
    assert robot.notes, "what was never tried on the real robot is said"
    assert (folder / "LICENSE").is_file()
    assert " at " in robot.source, "with its commit"
    assert robot.protocol in BUILT_IN
    assert {servo.model for servo in robot.servos.values()} <= set(PRESETS)
    ids = [servo.id for servo in robot.servos.values()]
    assert len(set(ids)) == len(ids)


def test_a_folder_with_a_description_is_a_robot_and_its_name_is_in_the_menu(mine):
    assert [(entry.title, entry.folder) for entry in entries([mine.parent])] == [("My Arm", mine)]
    robot = checked(mine)
    assert robot.postures["Up"]["elbow"] == pytest.approx(0.17453292)
    assert robot.servos["elbow"].direction == -1
    assert robot.servos["elbow"].span == (1000.0, 3000.0)


@pytest.mark.parametrize(
    ("old", "new", "field", "remedy"),
    [
        ("name: My Arm", "", "name", "it is missing: a text is needed"),
        ("model: arm.urdf", "model: leg.urdf", "model", "there is no file"),
        ("model: arm.urdf", f"model: {'arm' * 100}.urdf", "model", "there is no file"),
        ("model: arm.urdf", 'model: "arm\\0.urdf"', "model", "there is no file"),
        (
            "baudrate: 1000000",
            f"baudrate: {'9' * 400}",
            "device.baudrate",
            "a finite number is needed, found '999",
        ),
        ("baudrate: 1000000", "baudrate: fast", "device.baudrate", "a number is needed, found 'fast'"),
        ("id: 1,", "id: 300,", "servos.shoulder.id", "300 is no whole number from 0 to 253"),
        ("id: 1,", "", "servos.shoulder.id", "it is missing"),
        ("direction: -1", "direction: 0", "servos.elbow.direction", "write 1 or -1"),
        ("[1000, 3000]", "[3000, 1000]", "servos.elbow.range", "write the smaller number first"),
        ("[1000, 3000]", "[1000, nan]", "servos.elbow.range", "a finite number is needed"),
        ("  elbow: {id", "  elbov: {id", "servos.elbov", "did you mean 'elbow'?"),
        ("zero: 2000", "centre: 2000", "servos.elbow.centre", "there is no field 'centre'"),
        ("root: upper", "root: upperarm", "gaze.root", "did you mean 'upper'?"),
        ("[0, 0, 1]", "[0, 1]", "gaze.forward", "a list of 3 numbers is needed"),
        ("{elbow: 10}", "{elbow: 170}", "postures.Up.elbow", "is outside the limits"),
        ("{elbow: 10}", "[10]", "postures.Up", "a map is needed"),
        ("postures:", "posturs:", "posturs", "did you mean 'postures'?"),
        ("root: upper", "root: left", "gaze.root", "link 'hand' is not below 'left'"),
    ],
)
def test_an_error_names_file_field_and_remedy(mine, old, new, field, remedy):
    assert old in MINE
    (mine / FILE).write_text(MINE.replace(old, new))
    with pytest.raises(UrdfError) as error:
        checked(mine)
    assert str(mine / FILE) in str(error.value)
    assert f", {field}: " in str(error.value)
    assert remedy in str(error.value)


def test_the_makers_model_with_meshes_is_found_among_a_folders_files(mine, tmp_path):
    clone = tmp_path / "clone"
    (clone / "parts").mkdir(parents=True)
    (clone / "parts" / "hand.stl").write_bytes(b"solid")
    meshed = ARM.replace('<sphere radius="0.04"/>', '<mesh filename="parts/hand.stl"/>')
    (clone / "arm.urdf").write_text(meshed)
    (clone / "other_zero.urdf").write_text(meshed.replace('xyz="0 0 0.3"', 'xyz="0 0 0.3" rpy="0.1 0 0"'))
    (clone / "broken.urdf").write_text("<robot")
    robot = read_description(mine)
    found = find(clone, [robot])["My Arm"]
    assert found.path.name == "arm.urdf"
    assert found.meshes == {"parts/hand.stl": clone / "parts" / "hand.stl"}
    assert find(clone / "arm.urdf", [robot])["My Arm"].path == found.path
    (clone / "parts" / "hand.stl").write_text(
        "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    )
    with pytest.raises(UrdfError, match="git lfs pull"):
        find(clone, [robot])
    shutil.rmtree(clone / "parts")
    with pytest.raises(UrdfError, match="choose a clone of the maker's repository"):
        find(clone, [robot])
    with pytest.raises(UrdfError, match="there is no such file or folder"):
        find(tmp_path / "nowhere", [robot])


@pytest.mark.parametrize(("name", "model"), [("so101", "so101_new_calib"), ("so100", "so_arm100")])
def test_the_servos_of_lerobot_s_arms_are_in_the_middle_where_lerobot_s_zero_is(name, model):
    servos = read_description(OWN / name).servos
    for joint, zero in ZEROS[model].items():
        servo = servos[joint]
        raw = (2048.0 if servo.zero is None else servo.zero) + servo.direction * PRESETS[
            servo.model
        ].per_radian * zero.value
        assert raw == pytest.approx(2048.0, abs=0.01), joint
        assert servo.direction == zero.sense, joint
