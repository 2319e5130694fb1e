"""Tests files that users read: any content is read, or refused with an error of this project that changes
nothing.
"""

import json
from contextlib import nullcontext as nothing

import pytest
from hypothesis import HealthCheck, given, settings

from tests import deep, jsons
from tests.blender.robots import robot_rig

CHARACTER = {"format": "limber-character", "version": 1, "filter": "default"}
CHARACTER |= {"sigma": 0.2, "rho": 0.5, "velocity_share": 1.0, "acceleration_share": 0.8, "jerk_share": 0.6}
COPY = [
    {"limber_takes": 1, "armature": "Rig"},
    {"take": 0, "columns": [["neck", "rotation_euler", 0], ["head", "location", 1]]},
    [1, 0.1, 0.2],
    [2, 0.2, 0.3],
    {"take": 1, "columns": [["neck", "rotation_euler", 0]]},
    [1, 0.1],
    [2, 0.1],
]
many = settings(max_examples=deep.count(70, 200), suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def path(tmp_path):
    return tmp_path / "file.json"


def unreadable(path, text: str) -> None:
    path.write_text(text, encoding="utf-8", errors="surrogatepass")


@many
@given(text=jsons.texts(CHARACTER))
def test_any_motion_style_is_read_or_is_a_sentence(path, text):
    from limber.rig.authoring import motion_styles
    from limber.rig.blender.errors import RigError

    unreadable(path, text)
    said = ""
    try:
        assert isinstance(motion_styles.load(path), motion_styles.StyleSettings)
    except RigError as error:
        said = str(error)
    assert len(said.encode("utf-8")) < 1000


@many
@given(text=jsons.texts(COPY))
def test_any_copy_of_a_recording_is_read_or_is_a_sentence(path, text):
    from limber.rig.blender.errors import RigError
    from limber.rig.output import take_copies

    plain = json.loads(text)
    unreadable(path, "\n".join(map(json.dumps, plain if isinstance(plain, list) else [plain])))
    take_copies._is_of(path, "Rig")
    said = ""
    try:
        takes = take_copies.read(path)
    except RigError as error:
        said = str(error)
    else:
        assert all(len(take.frames) == len(take.rows) for take in takes)
    assert len(said.encode("utf-8")) < 1000


@pytest.mark.every_blender
@pytest.mark.parametrize(
    "text",
    [
        jsons.DEEP,
        "[" * 100_000,
        "9" * 5000,
        "",
        "\0",
        '{"limber_takes": 1, "armature": "Rig"}\n' + jsons.DEEP,
    ],
)
def test_texts_that_are_hardly_json_are_sentences(path, text):
    from limber.rig.authoring import motion_styles
    from limber.rig.blender.errors import RigError
    from limber.rig.output import take_copies

    unreadable(path, text)
    with pytest.raises(RigError):
        motion_styles.load(path)
    take_copies._is_of(path, "Rig")
    with pytest.raises(RigError) if text.count("\n") > 1 else nothing():
        take_copies.read(path)


@pytest.fixture
def calibrated(tmp_path):
    """A rig and its calibration as decoded JSON."""
    from limber.rig.robot import calibration

    rig, _ = robot_rig()
    for servo, joint in enumerate(rig.limber.chains[0].joints):
        joint.servo = servo
    calibration.save(rig, tmp_path / "own.json")
    return rig, json.loads((tmp_path / "own.json").read_text(encoding="utf-8"))


def kept(rig) -> list:
    device = rig.limber.device
    return [
        device.protocol,
        device.protocol_file,
        device.baudrate,
        device.channel_count,
        len(device.channels),
        *((joint.servo, joint.zero_us, joint.gear) for joint in rig.limber.chains[0].joints),
    ]


def test_any_calibration_is_loaded_or_is_a_sentence_and_nothing_has_changed(calibrated, path):
    from limber.hardware.errors import HardwareError
    from limber.rig.blender.errors import RigError
    from limber.rig.robot import calibration

    rig, plain = calibrated

    @settings(max_examples=deep.count(70, 200))
    @given(text=jsons.texts(plain))
    def check(text):
        unreadable(path, text)
        before = kept(rig)
        said = ""
        try:
            calibration.load(rig, path, partly=True)
        except (RigError, HardwareError) as error:
            said = str(error)
        assert len(said.encode("utf-8")) < 2000
        assert not said or kept(rig) == before

    check()
    for protocol in ("nobody's", "", "file", "\ud800", "file:\ud800"):
        unreadable(path, json.dumps({**plain, "protocol": protocol}))
        before = kept(rig)
        with pytest.raises((RigError, HardwareError)):
            calibration.load(rig, path)
        assert kept(rig) == before


def test_a_link_of_a_robot_that_somebody_has_changed_is_named_or_read():
    from limber.robots import record

    plain = {
        "link": "arm", "before": [1.0, 0, 0, 0, 0, 0, 0], "axis": [0, 0, 1.0], "after": [1.0, 0, 0, 0, 0, 0, 0],
        "bone_axis": "Z", "sign": 1,
        "inertial": {"origin": [1.0, 0, 0, 0, 0, 0, 0], "mass": 1.0, "inertia": [1, 0, 0, 1, 0, 1]},
        "joint": {"name": "j", "kind": "revolute", "parent": "a", "child": "b", "origin": [1.0, 0, 0, 0, 0, 0, 0], "axis": [0, 0, 1.0],
                  "lower": -1.0, "upper": 1.0, "velocity": 1.0, "effort": None, "mimic": {"joint": "k", "multiplier": 1.0, "offset": 0.0}},
    }  # fmt: skip

    @settings(max_examples=deep.count(100, 300))
    @given(text=jsons.texts(plain))
    def check(text):
        try:
            found = record.from_text(text)
        except ValueError:
            return
        found.branch.step(0.5)
        if found.branch.joint is not None:
            assert found.span[0] <= found.span[1]

    record.from_text(json.dumps(plain)).branch.step(0.5)
    check()
    with pytest.raises(ValueError, match="deep"):
        record.from_text(jsons.DEEP)
