"""Tests a value beside the joints with its own motion filter: the values sent to the robot keep its limits,
with its style.
"""

from itertools import pairwise

import pytest
from limber.motion import extrapolated
from limber.rig.robot import device, values
from limber.rig.robot.value_filters import ValueFilters

from tests.blender.robots import robot_rig

STEP = 0.02  # [s] time step


@pytest.fixture
def jaw():
    rig = robot_rig()[0]
    value = rig.limber.device.auxiliaries.add()
    value.name, value.owner, value.path, value.servo = "jaw", rig, '["jaw"]', 40
    rig["jaw"] = 0.0
    return value


def sent(jaw, steps: int, filters: ValueFilters | None = None) -> list[float]:
    """Values sent for the jaw, step by step."""
    rig, filters = jaw.id_data, filters or ValueFilters()
    sources = device.sources(rig)
    found = []
    for _ in range(steps):
        wanted = values.newest(rig, sources, [0.0] * len(sources))
        found.append(values.positions(filters.step(rig, sources, wanted, STEP))[-1])
    return found


def opened(jaw, steps: int = 100) -> list[float]:
    """Values sent for a jaw that is opened at once."""
    filters = ValueFilters()
    jaw.owner["jaw"] = 0.0
    sent(jaw, 1, filters)
    jaw.owner["jaw"] = 1.0
    return sent(jaw, steps, filters)


def test_without_a_filter_a_value_goes_out_as_it_is(jaw):
    assert opened(jaw) == [1.0] * 100


def test_a_filter_keeps_the_values_velocity_and_comes_to_rest_at_it(jaw):
    jaw.filter = "default"
    way = opened(jaw)
    assert max((b - a) / STEP for a, b in pairwise(way)) <= jaw.velocity * 1.001
    assert way[-1] == pytest.approx(1.0, abs=1e-3)


def test_smoothness_makes_a_value_slower_and_responsiveness_quicker_again(jaw):
    jaw.filter = "default"
    plain = opened(jaw)
    jaw.sigma = 0.9
    smooth = opened(jaw)
    jaw.rho = 0.8
    lively = opened(jaw)
    assert sum(smooth) < sum(lively) < sum(plain)


def test_each_value_has_a_character_of_its_own_and_joints_pass_as_they_are(jaw):
    rig = jaw.id_data
    jaw.filter = "default"
    lamp = rig.limber.device.auxiliaries.add()
    lamp.name, lamp.owner, lamp.path, lamp.servo = "lamp", rig, '["jaw"]', 41
    sources, filters = device.sources(rig), ValueFilters()
    filters.step(rig, sources, [0.0] * len(sources), STEP)
    now = values.positions(filters.step(rig, sources, [1.0] * len(sources), STEP))
    assert now[:-2] == [1.0] * (len(sources) - 2)
    assert 0.0 < now[-2] < 0.5
    assert now[-1] == 1.0
    assert not filters.at_rest


def test_a_value_goes_on_from_where_it_is_when_its_character_is_changed_on_the_way(jaw):
    jaw.filter, filters = "default", ValueFilters()
    sent(jaw, 1, filters)
    jaw.owner["jaw"] = 1.0
    before = sent(jaw, 8, filters)[-1]
    jaw.sigma = 0.5
    after = sent(jaw, 1, filters)[0]
    assert 0.0 < before < 1.0
    assert before <= after <= before + jaw.velocity * STEP


def test_a_filtered_value_says_where_it_will_be_at_the_next_call(jaw):
    jaw.filter, filters = "default", ValueFilters()
    rig = jaw.id_data
    sources = device.sources(rig)
    filters.step(rig, sources, [0.0] * len(sources), STEP)
    handed = [filters.step(rig, sources, [1.0] * len(sources), STEP)[-1] for _ in range(20)]
    missed = sum(abs(extrapolated(now, 1.0) - later.position) for now, later in pairwise(handed))
    assert missed < 0.1 * (handed[-1].position - handed[0].position)


def test_after_a_stall_a_filtered_value_says_where_it_will_be_when_no_other_stall_follows(jaw):
    jaw.filter, filters = "default", ValueFilters()
    rig = jaw.id_data
    sources = device.sources(rig)
    steps = [0.0] * len(sources), [1.0] * len(sources)
    for goal in (steps[0], *[steps[1]] * 3):
        filters.step(rig, sources, goal, STEP)
    late = filters.step(rig, sources, steps[1], 4.0 * STEP)[-1]
    later = filters.step(rig, sources, steps[1], STEP)[-1]
    assert abs(extrapolated(late, 1.0) - later.position) < 0.2 * (later.position - late.position)


def test_a_value_stays_within_its_range(jaw):
    jaw.filter = "default"
    jaw.owner["jaw"] = 7.0
    assert max(sent(jaw, 100)) == pytest.approx(1.0)


def test_a_values_velocity_is_per_the_unit_asked_for_however_far_the_calls_are_apart(jaw):
    jaw.filter = "default"
    rig, unit = jaw.id_data, 0.25 * STEP
    sources, handed = device.sources(rig), []
    for each in (0.0, unit):
        filters = ValueFilters()
        filters.step(rig, sources, [0.0] * len(sources), STEP)
        filters.step(rig, sources, [1.0] * len(sources), STEP)
        handed.append(filters.step(rig, sources, [1.0] * len(sources), STEP, each)[-1])
    a_call, a_unit = handed
    assert a_call.velocity > 0.0
    assert (a_unit.velocity, a_unit.acceleration) == pytest.approx(
        (0.25 * a_call.velocity, 0.25**2 * a_call.acceleration)
    )
