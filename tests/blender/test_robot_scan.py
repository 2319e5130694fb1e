"""Tests choosing a protocol, finding servos and changing their ids from the panel, with simulated servos
behind real ports.
"""

import bpy
import pytest

from tests.blender.robots import connect, robot_rig, until
from tests.hardware.served_bus import ServedBus


@pytest.fixture
def rig():
    return robot_rig()[0]


@pytest.fixture
def bus():
    with ServedBus({1: 2048.0, 4: 1000.0}) as servos:
        yield servos


def beat_until_over() -> None:
    from limber.rig.robot import background_jobs

    def over() -> bool:
        background_jobs.look()
        return not background_jobs.are_going()

    until(over, "the job is over")


def scan(rig, port: str):
    """A scan that lists both servos: if their process answers late, it is repeated once."""
    from limber.rig.robot import background_jobs

    rig.limber.device.port = port

    def lists_both() -> bool:
        bpy.ops.limber.scan(where="DEVICE", protocols={"feetech_sts"}, rates={"1000000"}, lowest=0, highest=8)
        beat_until_over()
        return len(background_jobs.scan().found) == 2

    until(lists_both, "both servos are found")
    return background_jobs.scan()


@pytest.mark.every_blender
def test_a_scan_lists_what_answers_and_use_takes_it(rig, bus):
    found = scan(rig, bus.port).found
    assert [(one.servo, one.name, one.voltage) for one in found] == [
        (1, "STS3215", 12.0),
        (4, "STS3215", 12.0),
    ]
    bpy.ops.limber.use_found(port=found[0].port, protocol=found[0].protocol, baudrate=found[0].baudrate)
    device = rig.limber.device
    assert (device.port, device.protocol, device.baudrate) == (bus.port, "feetech_sts", 1_000_000)


@pytest.mark.every_blender
def test_a_scan_can_be_cancelled_and_begun_anew(rig, bus):
    from limber.rig.robot import background_jobs

    rig.limber.device.port = bus.port
    bpy.ops.limber.scan(where="DEVICE", protocols={"feetech_sts"}, rates={"1000000", "500000"})
    with pytest.raises(RuntimeError, match="press Cancel"):
        bpy.ops.limber.scan(where="DEVICE", protocols={"feetech_sts"}, rates={"1000000"})
    with pytest.raises(RuntimeError, match="wait for its end"):
        bpy.ops.limber.change_servo(
            port=bus.port, protocol="feetech_sts", baudrate=1_000_000, servo=1, new_servo=2, alone=True
        )
    bpy.ops.limber.cancel_scan()
    assert background_jobs.scan().over
    assert background_jobs.scan().says == "Cancelled"
    assert len(scan(rig, bus.port).found) == 2


@pytest.mark.every_blender
def test_a_port_that_a_robot_uses_is_not_scanned(rig, bus):
    from limber.rig.robot import background_jobs
    from limber.rig.robot import links as robot

    device = rig.limber.device
    device.port, device.protocol, device.baudrate = bus.port, "feetech_sts", 1_000_000
    for number, joint in enumerate(rig.limber.chains[0].joints):
        joint.servo = (1, 4)[number] if number < 2 else -1
    connect(rig)
    assert robot.ports() == {bus.port}
    with pytest.raises(RuntimeError, match="press Disconnect first"):
        bpy.ops.limber.scan(where="DEVICE", protocols={"feetech_sts"}, rates={"1000000"})
    with pytest.raises(RuntimeError, match="press Disconnect first"):
        bpy.ops.limber.change_servo(
            port=bus.port, protocol="feetech_sts", baudrate=1_000_000, servo=1, new_servo=2, alone=True
        )
    assert not background_jobs.are_going()


@pytest.mark.every_blender
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"protocols": set()}, "tick at least one"),
        ({"lowest": 9, "highest": 3}, "exchange them"),
        ({"rates": set()}, "No baud rate of Dynamixel.* is ticked: tick at least one of 57 600, "),
        ({"rates": {"19200"}}, "No baud rate of Dynamixel.* is ticked: tick at least one of 57 600, "),
        (
            {"protocols": {"dynamixel", "maestro"}, "rates": {"1000000"}},
            "No baud rate of .*Maestro is ticked: tick at least one of 115 200, ",
        ),
    ],
)
def test_a_scan_that_cannot_find_anything_says_why(rig, options, words):
    rig.limber.device.port = "/dev/ttyUSB7"
    with pytest.raises(RuntimeError, match=words):
        bpy.ops.limber.scan(**{"where": "DEVICE", "protocols": {"dynamixel"}, "rates": {"57600"}, **options})


@pytest.mark.every_blender
def test_the_virtual_robot_cannot_be_scanned(rig):
    with pytest.raises(RuntimeError, match="virtual robot is on no port"):
        bpy.ops.limber.scan(where="DEVICE", protocols={"dynamixel"}, rates={"57600"})


@pytest.mark.every_blender
def test_a_servo_gets_another_id_only_with_consent_and_the_list_shows_it(rig, bus):
    from limber.rig.robot import background_jobs

    scan(rig, bus.port)
    options = {
        "port": bus.port,
        "protocol": "feetech_sts",
        "baudrate": 1_000_000,
        "servo": 4,
        "what": "ID",
        "new_servo": 7,
    }
    with pytest.raises(RuntimeError, match="would all be changed"):
        bpy.ops.limber.change_servo(**options)
    assert bus.ids() == [1, 4]
    bpy.ops.limber.change_servo(**options, alone=True)
    beat_until_over()
    assert bus.ids() == [1, 7]
    assert [one.servo for one in background_jobs.scan().found] == [1, 7]
    assert not background_jobs.change().failed


@pytest.mark.every_blender
def test_a_servo_that_cannot_be_changed_is_told(rig, bus):
    from limber.rig.robot import background_jobs

    bpy.ops.limber.change_servo(
        port=bus.port, protocol="feetech_sts", baudrate=1_000_000, servo=4, what="ID", new_servo=1, alone=True
    )
    beat_until_over()
    assert background_jobs.change().failed
    assert "Id 1 is taken" in background_jobs.change().says


def test_every_id_of_a_bus_can_be_scanned_assigned_and_given(rig):
    from limber.hardware.device import LAST_SERVO

    ends = [
        operator.get_rna_type().properties[name].hard_max
        for operator, names in (
            (bpy.ops.limber.scan, ("lowest", "highest")),
            (bpy.ops.limber.change_servo, ("servo", "new_servo")),
            (bpy.ops.limber.assign_servo, ("servo",)),
        )
        for name in names
    ]
    assert ends == 5 * [LAST_SERVO]
    bpy.ops.limber.assign_servo(servo=LAST_SERVO)
    chain = rig.limber.chains[0]
    assert chain.joints[chain.active_joint].servo == LAST_SERVO == 253


@pytest.mark.every_blender
def test_unregistering_ends_a_scan(rig, bus):
    import limber
    from limber.rig.robot import background_jobs

    rig.limber.device.port = bus.port
    bpy.ops.limber.scan(where="DEVICE", protocols={"feetech_sts"}, rates={"1000000"})
    job = background_jobs.scan().job
    limber.unregister()
    try:
        assert job._over
        until(lambda: job._process.poll() is not None, "its process has ended")
    finally:
        limber.register()
    assert background_jobs.scan() is None


def test_another_protocol_brings_its_usual_rate_and_units_for_servos_that_nobody_has_described(rig):
    device, joints = rig.limber.device, rig.limber.chains[0].joints
    joints[1].zero_us = 1400.0
    device.protocol = "feetech_sts"
    assert device.baudrate == 1_000_000
    assert (joints[0].zero_us, joints[0].min_us, joints[0].max_us) == (2048.0, 0.0, 4095.0)
    assert joints[0].per_degree == pytest.approx(4096 / 360)
    assert (joints[1].zero_us, joints[1].max_us) == (1400.0, 2500.0), "what was typed stays"
    device.protocol = "limber"
    assert device.baudrate == 115_200
    assert (joints[0].zero_us, joints[0].min_us, joints[0].max_us) == (1500.0, 500.0, 2500.0)


@pytest.mark.every_blender
def test_a_baud_rate_is_chosen_among_those_of_the_protocol(rig):
    rig.limber.device.protocol = "dynamixel"
    assert rig.limber.device.baudrate == 57_600
    bpy.ops.limber.choose_baudrate(baudrate=1_000_000)
    assert rig.limber.device.baudrate == 1_000_000
    with pytest.raises(RuntimeError, match="choose 57600, 9600"):
        bpy.ops.limber.choose_baudrate()


@pytest.mark.every_blender
def test_a_users_file_is_chosen_read_elsewhere_and_connected(rig, tmp_path):
    from limber.rig.robot import background_jobs

    path = tmp_path / "my_robot.py"
    path.write_text(
        "NAME = 'Owl'\nREMARK = 'It hoots'\nimport sys\nassert 'bpy' not in sys.modules\n\ndef"
        " frame(positions):\n    return b''\n"
    )
    bpy.ops.limber.choose_protocol_file(filepath=str(path))
    device = rig.limber.device
    assert device.protocol_name == f"file:{path}"
    assert background_jobs.description(device.protocol_name)[0] is None
    beat_until_over()
    described, _ = background_jobs.description(device.protocol_name)
    assert described.title == "Owl"
    assert "It hoots" in described.sentences


def test_a_users_file_with_an_error_is_a_sentence(rig, tmp_path):
    from limber.rig.robot import background_jobs

    path = tmp_path / "my_robot.py"
    path.write_text("def frame(\n")
    bpy.ops.limber.choose_protocol_file(filepath=str(path))
    beat_until_over()
    described, why = background_jobs.description(rig.limber.device.protocol_name)
    assert described is None
    assert "my_robot.py, line 1" in why
    with pytest.raises(RuntimeError, match="no file"):
        bpy.ops.limber.choose_protocol_file(filepath=str(tmp_path / "other.py"))


def test_protocol_port_and_file_are_in_the_saved_file(rig, reopen, tmp_path):
    device = rig.limber.device
    device.protocol, device.protocol_file, device.latency, device.multi_turn = (
        "file",
        "/robots/owl.py",
        0.25,
        True,
    )
    reopen()
    device = bpy.data.objects["Rig"].limber.device
    assert (device.protocol_name, device.multi_turn) == ("file:/robots/owl.py", True)
    assert device.latency == pytest.approx(0.25)
