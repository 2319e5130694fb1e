"""Tests one joint or servo at a time: jog, wiggle, test; limp servos; parking. In simulated time, on bus
servos and on boards.
"""

import math

import pytest
from limber.hardware.device import VIRTUAL_HOBBY_PORT
from limber.hardware.errors import AnglesError
from limber.hardware.link import WorkerLink
from limber.hardware.safety import SETTING_UP, Command, Fault, State
from limber.hardware.worker.drive import APPROACH_SPEED

from tests.hardware.bus_simulation import BUSES, PLACES, STEPS_PER_RAD, BusSimulation, bus_device
from tests.hardware.patience import wait, wait_for
from tests.hardware.servo_bus import DynamixelBus, StsBus
from tests.hardware.simulation import LIMITS, POSE, Simulation, largest, make_device, speeds, still, waving

SLOWLY = 1.3 * APPROACH_SPEED * STEPS_PER_RAD  # [steps/s] limit, since goals come every one or two cycles


@pytest.fixture(params=BUSES)
def bus(request):
    simulation = BusSimulation(bus_device(request.param), BUSES[request.param](dict(PLACES)))
    simulation.run(1.0, POSE, until=State.DISARMED)
    yield simulation
    simulation.close()


def with_torque(simulation: BusSimulation) -> list[int]:
    return [number for number in simulation.bus.servos if simulation.bus.has_torque(number)]


def moved(simulation: BusSimulation) -> list[float]:
    """Largest distance of each servo from its initial position [steps]."""
    return [
        max((abs(position - start) for position in simulation.bus.servos[number].moves), default=0.0)
        for number, start in PLACES.items()
    ]


def test_a_jog_moves_one_joint_slowly_and_stands_there_while_the_others_stay_limp(bus):
    bus.command(Command.JOG, target=1, amount=0.2)
    bus.positions.clear()
    bus.run(2.0)
    assert bus.state is State.SETUP
    assert bus.robot.positions[1] == pytest.approx(PLACES[2] + 0.2 * STEPS_PER_RAD, abs=2)
    assert moved(bus)[0] == moved(bus)[2] == 0.0
    assert with_torque(bus) == [2]
    assert largest(speeds(bus.positions[::10])) / 10 <= SLOWLY
    bus.command(Command.JOG, target=1, amount=-0.1)
    bus.run(1.0)
    assert bus.robot.positions[1] == pytest.approx(PLACES[2] + 0.1 * STEPS_PER_RAD, abs=2)
    bus.command(Command.DISARM)
    assert bus.run(0.3).state is State.DISARMED


def test_a_jog_stays_within_the_range_of_its_joint_and_a_free_one_within_its_servos(bus):
    bus.command(Command.JOG, target=0, amount=9.0)
    bus.run(8.0, POSE)
    assert bus.report.positions[0] == pytest.approx(LIMITS.upper, abs=0.01)
    bus.command(Command.JOG, target=0, amount=0.2, free=True)
    bus.run(2.0)
    assert bus.report.positions[0] == pytest.approx(LIMITS.upper + 0.2, abs=0.01)
    bus.command(Command.JOG, target=0, amount=9.0, free=True)
    bus.run(8.0, POSE)
    assert bus.robot.positions[0] == pytest.approx(4095.0, abs=1)


def test_another_joint_is_jogged_after_the_first_which_keeps_its_place(bus):
    bus.command(Command.JOG, target=0, amount=0.1)
    bus.run(1.5)
    first = bus.robot.positions[0]
    bus.command(Command.JOG, target=2, amount=-0.1)
    bus.run(1.5)
    assert bus.robot.positions[0] == pytest.approx(first, abs=1)
    assert bus.robot.positions[2] == pytest.approx(PLACES[3] - 0.1 * STEPS_PER_RAD, abs=2)
    assert with_torque(bus) == [1, 3]


@pytest.mark.parametrize("start", [2048.0, 4090.0, 5.0])
@pytest.mark.parametrize("protocol", BUSES)
def test_a_wiggle_shows_one_servo_and_ends_where_it_began(protocol, start):
    simulation = BusSimulation(bus_device(protocol), BUSES[protocol]({**PLACES, 2: start}))
    simulation.run(1.0, POSE, until=State.DISARMED)
    simulation.command(Command.WIGGLE, target=1)
    assert simulation.run(0.5).state is State.SETUP
    assert simulation.run(6.0, until=State.DISARMED).state is State.DISARMED
    positions = simulation.bus.servos[2].moves
    assert 40 < max(abs(position - start) for position in positions) < 80  # about 5 degrees
    assert simulation.bus.servos[2].position == pytest.approx(start, abs=8)
    assert simulation.bus.servos[1].position == PLACES[1]
    assert simulation.bus.servos[3].position == PLACES[3]
    simulation.close()


def test_a_test_goes_slowly_to_both_ends_and_back(bus):
    bus.command(Command.TEST, target=0, span=(-0.6, 0.4))
    bus.positions.clear()
    bus.run(20.0, POSE, until=State.DISARMED)
    angles = [(position - 2048) / STEPS_PER_RAD for position in bus.bus.servos[1].moves]
    assert (min(angles), max(angles)) == pytest.approx((-0.6, 0.4), abs=0.02)
    assert bus.robot.positions[0] == pytest.approx(PLACES[1], abs=8)
    assert moved(bus)[1] == moved(bus)[2] == 0.0
    assert largest(speeds(bus.positions[::10])) / 10 <= SLOWLY


def test_a_test_without_a_range_stays_away_from_the_ends(bus):
    bus.command(Command.TEST, target=0)
    bus.run(40.0, POSE, until=State.DISARMED)
    angles = [(position - 2048) / STEPS_PER_RAD for position in bus.bus.servos[1].moves]
    assert (min(angles), max(angles)) == pytest.approx((0.8 * LIMITS.lower, 0.8 * LIMITS.upper), abs=0.02)


@pytest.mark.parametrize("command", SETTING_UP)
def test_a_stop_ends_what_is_set_up_and_nothing_of_it_is_left(bus, command):
    bus.command(command, target=0, amount=1.0)
    bus.run(0.6)
    bus.stop()
    bus.run(0.02)
    stands = bus.robot.positions
    assert bus.report.fault is Fault.STOPPED
    bus.command(command, stops=0, target=0, amount=1.0)  # a command from before the stop
    bus.run(1.0)
    assert bus.robot.positions == pytest.approx(stands, abs=12)
    bus.command(command, target=0, amount=1.0)  # a fault is latched
    bus.run(1.0)
    assert bus.robot.positions == pytest.approx(stands, abs=12)
    bus.command(Command.CLEAR_FAULT)
    assert bus.run(0.3).state is State.DISARMED
    bus.run(2.0)
    assert bus.robot.positions == pytest.approx(stands, abs=12)


def test_a_robot_that_follows_is_not_jogged(bus):
    bus.arm(POSE)
    bus.command(Command.JOG, target=0, amount=0.5)
    report = bus.run(1.0, POSE)
    assert report.state is State.ARMED
    assert report.commanded == pytest.approx(POSE(0))


def test_limp_servos_are_read_while_they_are_moved_by_hand_and_some_can_stay_strong(bus):
    bus.arm(POSE)
    bus.command(Command.DISARM)
    bus.run(0.3, POSE)
    assert bus.limp() == [False] * 3  # servos that are set to hold
    bus.command(Command.RELEASE, channels=frozenset({0, 2}))
    assert bus.run(0.3).state is State.LIMP
    assert bus.limp() == [True, False, True]
    seen = set()
    for k in range(50):
        bus.bus.servos[1].position = 2048.0 + 4 * k
        bus.run(0.02)
        seen.add(bus.report.positions[0])
    assert len(seen) >= 20  # of 50 in a second
    bus.command(Command.DISARM)
    assert bus.run(0.2).state is State.DISARMED
    assert bus.limp() == [True, False, True]
    bus.arm(POSE)


def test_all_servos_go_limp_unless_some_are_named(bus):
    bus.arm(POSE)
    bus.command(Command.DISARM)
    bus.run(0.3, POSE)
    bus.command(Command.RELEASE)
    bus.run(0.3)
    assert bus.limp() == [True] * 3


@pytest.mark.parametrize("moving", [True, False])
def test_parking_goes_slowly_to_where_the_robot_rests_and_disarms_it(bus, moving):
    bus.arm(waving if moving else POSE)
    bus.run(0.7, waving if moving else POSE)
    bus.command(Command.PARK, values=(0.9, -0.9, 0.0))
    bus.run(0.8, waving)
    bus.commands.clear()
    assert bus.run(20.0, waving, until=State.DISARMED).state is State.DISARMED
    assert bus.angles() == pytest.approx((0.9, -0.9, 0.0), abs=0.03)


def test_parking_begins_from_a_robot_at_rest_as_well(bus):
    bus.command(Command.PARK, values=(0.3, 0.3, 0.3))
    bus.positions.clear()
    assert bus.run(0.5).state is State.PARKING
    bus.run(10.0, POSE, until=State.DISARMED)
    assert bus.angles() == pytest.approx((0.3, 0.3, 0.3), abs=0.03)
    assert largest(speeds(bus.positions[::10])) / 10 <= SLOWLY


def test_a_stop_wins_over_parking(bus):
    bus.arm(POSE)
    bus.command(Command.PARK, values=(0.9, -0.9, 0.0))
    bus.run(1.0, POSE)
    bus.stop()
    bus.run(0.02, POSE)
    stands = bus.robot.positions
    bus.run(2.0, POSE)
    assert bus.report.fault is Fault.STOPPED
    assert bus.robot.positions == pytest.approx(stands, abs=12)


def test_to_arm_a_robot_that_parks_takes_it_back_slowly(bus):
    bus.arm(POSE)
    bus.command(Command.PARK, values=(1.2, -1.2, 0.0))
    bus.run(1.0, POSE)
    bus.command(Command.ARM)
    bus.commands.clear()
    assert bus.run(10.0, POSE, until=State.ARMED).state is State.ARMED
    assert largest(speeds(bus.commands)) <= 1.15 * APPROACH_SPEED


def test_a_blender_that_is_gone_ends_a_jog(bus):
    bus.command(Command.JOG, target=0, amount=0.1)
    bus.run(6.0)
    bus.run(0.1)
    assert bus.report.fault is Fault.BLENDER_SILENT


def test_hobby_servos_are_confirmed_before_one_is_jogged_and_only_that_one_gets_pulses(simulate):
    simulation = simulate(make_device(port=VIRTUAL_HOBBY_PORT))
    simulation.run(1.0, POSE)
    simulation.command(Command.JOG, target=1, amount=0.1)
    assert simulation.run(0.5, POSE).state is State.CONFIRM_POSE
    assert simulation.robot.pulses[:3] == (None,) * 3
    simulation.command(Command.CONFIRM_JOINT, target=1)
    assert simulation.run(2.0, POSE).state is State.SETUP
    zero, per_radian = 1500.0, 2000.0 / math.pi
    assert simulation.robot.pulses[0] is simulation.robot.pulses[2] is None
    assert simulation.robot.pulses[1] == pytest.approx(zero + per_radian * (POSE(0)[1] + 0.1), abs=1.0)


def test_hobby_servos_can_be_confirmed_joint_by_joint_each_where_blender_showed_it(simulate):
    simulation = simulate(make_device(port=VIRTUAL_HOBBY_PORT))
    simulation.run(1.0, POSE)
    simulation.command(Command.ARM)
    simulation.run(0.2, POSE)
    shown = (0.1, 0.2, 0.3)
    for joint in range(3):
        assert simulation.state is State.CONFIRM_POSE
        assert simulation.report.confirmed == tuple(k < joint for k in range(3))
        simulation.run(0.2, still(*(angle if k == joint else 0.0 for k, angle in enumerate(shown))))
        simulation.command(Command.CONFIRM_JOINT, target=joint)
        simulation.run(0.02, still(*(angle if k == joint else 0.0 for k, angle in enumerate(shown))))
    simulation.run(0.2, still(*shown))
    assert simulation.state in (State.ARMING, State.ARMED)
    assert simulation.commands[0] == pytest.approx(shown, abs=0.01)


def test_what_was_confirmed_is_void_once_the_user_gave_up(simulate):
    simulation = simulate(make_device(port=VIRTUAL_HOBBY_PORT))
    simulation.run(1.0, POSE)
    simulation.command(Command.ARM)
    simulation.run(0.2, POSE)
    simulation.command(Command.CONFIRM_JOINT, target=0)
    simulation.run(0.2, POSE)
    simulation.command(Command.DISARM)
    simulation.run(0.2, POSE)
    simulation.command(Command.ARM)
    simulation.run(0.2, POSE)
    assert simulation.report.confirmed == (False,) * 3


def test_limbers_firmware_lets_go_of_all_its_servos(simulate):
    simulation = simulate(make_device(port=VIRTUAL_HOBBY_PORT))
    simulation.arm(POSE)
    simulation.command(Command.DISARM)
    simulation.run(0.3, POSE)
    assert None not in simulation.robot.pulses[:3]
    simulation.command(Command.RELEASE)
    assert simulation.run(0.3, POSE).state is State.LIMP
    assert simulation.robot.pulses[:3] == (None,) * 3


@pytest.mark.parametrize("kind", [StsBus, DynamixelBus])
def test_a_servo_that_does_not_say_where_it_is_is_not_jogged(kind):
    protocol = next(name for name, bus in BUSES.items() if bus is kind)
    simulation = BusSimulation(bus_device(protocol), kind(dict(PLACES)))
    simulation.run(1.0, POSE, until=State.DISARMED)
    simulation.bus.servos[2].silent = True
    simulation.run(0.4)
    simulation.command(Command.JOG, target=1, amount=0.1)
    report = simulation.run(0.5)
    assert report.fault in (Fault.POSE_UNREAD, Fault.DEVICE_REFUSED)
    assert "joint 2" in report.detail
    assert with_torque(simulation) == []
    simulation.close()


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_wishes_with_what_is_no_number_are_void(simulate, number):
    simulation = simulate(make_device())
    simulation.run(1.0, POSE)
    simulation.command(Command.JOG, target=0, amount=number)
    assert simulation.run(0.1, POSE).state is State.DISARMED
    simulation.command(Command.PARK, values=(0.0, number, 0.0))
    assert simulation.run(0.1, POSE).state is State.DISARMED
    simulation.command(Command.TEST, target=0, span=(number, number))
    simulation.run(4.9, POSE)
    assert simulation.run(30.0, POSE, until=State.DISARMED).state is State.DISARMED
    assert all(500.0 <= position <= 2500.0 for row in simulation.positions for position in row)


def test_the_link_refuses_wishes_that_cannot_be():
    link = WorkerLink(make_device())
    with pytest.raises(AnglesError, match="no joint 3; the device has 3, counted from 0"):
        link.jog(3, 0.1)
    with pytest.raises(AnglesError, match="no channel -1"):
        link.wiggle(-1)
    with pytest.raises(AnglesError, match="A jog of nan"):
        link.jog(0, math.nan)
    with pytest.raises(AnglesError, match=r"0\.0, inf, 0\.0; give finite"):
        link.park((0.0, math.inf, 0.0))
    with pytest.raises(AnglesError, match="2 values for 3 joints"):
        link.park((0.0, 0.0))


def test_a_worker_process_jogs_tests_and_parks(opened):
    link = opened(make_device())
    wait_for(link, State.DISARMED)
    link.jog(1, 0.2)
    wait(link, lambda status: status.positions[1] is not None and abs(status.positions[1] - 0.2) < 0.01)
    link.release()
    wait_for(link, State.LIMP)
    link.disarm()
    wait_for(link, State.DISARMED)
    link.park((0.0, 0.0, 0.1))
    wait_for(link, State.PARKING)
    status = wait_for(link, State.DISARMED)
    assert status.positions == pytest.approx((0.0, 0.0, 0.1), abs=0.03)


def test_wishes_about_joints_that_there_are_not_are_void(simulate):
    simulation: Simulation = simulate(make_device())
    simulation.run(1.0, POSE)
    for command in SETTING_UP:
        for target in (-1, 3, 99):
            simulation.command(command, target=target, amount=0.1)
            assert simulation.run(0.05, POSE).state is State.DISARMED
