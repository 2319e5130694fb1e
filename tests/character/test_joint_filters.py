"""Tests that the compiled motion filter moves all joints of a mover as the reference moves each of them."""

import sys
from concurrent.futures import ThreadPoolExecutor
from math import nan, radians

import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.character.joint_filters import FilteredMotion, JointFilters
from limber.motion import Kinematic, Limits, MotionStyle, NuttyFilter, TargetError, TrackingFilter
from limber.solvers.kernel.library import KernelError, kernel

from tests.motion.motions import any_limits, any_shares, often, placed, unhurried

pytestmark = pytest.mark.skipif(kernel() is None, reason="there is no compiled kernel: make kernel")

ROUNDING = 1e-12  # relative difference of the results
ARM = Limits(-radians(120), radians(120), radians(180), radians(900), radians(9000))
styles = st.builds(MotionStyle, st.floats(0.0, 1.0), st.floats(0.0, 0.99))
filters = st.lists(
    st.builds(
        lambda limits, style: TrackingFilter(style.within(limits), style),
        any_limits(),
        st.just(MotionStyle()) | styles,
    ),
    min_size=1,
    max_size=4,
)


def numbers(motion: FilteredMotion | tuple[Kinematic, ...]) -> list[float]:
    """All numbers of joints' states, one after the other."""
    if not isinstance(motion, FilteredMotion):
        motion = FilteredMotion.of(motion)
    return [number for joint in motion for number in (*kinematic(joint), *joint.target_motion)]


def kinematic(joint: Kinematic) -> tuple[float, float, float]:
    return joint.position, joint.velocity, joint.acceleration


@often
@given(filters, any_shares(most=40), st.floats(0.05, 3.0), st.floats(-0.2, 1.2))
def test_a_step_of_all_joints_is_the_step_of_each(joints, shares, pace, start):
    compiled = JointFilters(joints)
    # a start of another kind of motion, without a history of its target
    motion = tuple(Kinematic(placed(start, joint.limits), 0.1, -0.2) for joint in joints)
    for count, share in enumerate(shares):
        dt = (pace if count % 3 else 0.7 * pace) * min(unhurried(joint.limits) for joint in joints)
        targets = [placed(share, joint.limits) for joint in joints]
        expected = tuple(
            joint.step(state, target, dt)
            for joint, state, target in zip(joints, motion, targets, strict=True)
        )
        motion, positions = compiled.step(motion, targets, dt)
        assert isinstance(motion, FilteredMotion)
        assert positions == tuple(joint.position for joint in motion)
        assert numbers(motion) == pytest.approx(numbers(expected), rel=ROUNDING, abs=0.0)


def test_a_filter_that_the_kernel_does_not_know_steps_by_itself():
    joints = [TrackingFilter(ARM), NuttyFilter(ARM, MotionStyle())]
    motion, positions = JointFilters(joints).step(None, [0.1, 0.2], 0.1)
    assert positions == (0.1, 0.2)
    assert motion == tuple(joint.rest(target) for joint, target in zip(joints, positions, strict=True))
    after, _ = JointFilters(joints).step(motion, [0.4, 0.3], 0.1)
    assert after == tuple(
        joint.step(*pair, 0.1) for joint, *pair in zip(joints, motion, [0.4, 0.3], strict=True)
    )


def test_a_target_that_is_no_number_is_refused_with_the_sentence_of_the_reference():
    filters = JointFilters([TrackingFilter(ARM)])
    motion, _ = filters.step(None, [0.0], 0.1)
    with pytest.raises(TargetError, match="hold the last good one"):
        filters.step(motion, [nan], 0.1)


class Frozen(TrackingFilter):
    """A filter whose joints stand still."""

    def step(self, state, target, dt):
        return state


def test_a_filter_made_from_the_default_one_steps_by_itself():
    filters = JointFilters([Frozen(ARM)])
    motion, _ = filters.step(None, [0.0], 0.1)
    assert filters.step(motion, [1.0], 0.1)[1] == (0.0,)


def test_threads_with_states_of_their_own_do_not_mix_them():
    joints = [TrackingFilter(ARM)] * 3
    filters = JointFilters(joints)

    def played(sign: float) -> list[tuple[float, ...]]:
        motion, rows = filters.step(None, [0.0] * 3, 0.01)[0], []
        for count in range(4000):
            motion, positions = filters.step(motion, [sign * (count % 100) * 0.01] * 3, 0.01)
            rows.append(positions)
        return rows

    alone = [played(sign) for sign in (1.0, -1.0)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(2) as pool:
            assert list(pool.map(played, (1.0, -1.0))) == alone
    finally:
        sys.setswitchinterval(before)


def test_without_its_library_a_filter_goes_on_as_the_reference(monkeypatch):
    filters = JointFilters([TrackingFilter(ARM)])
    motion, _ = filters.step(None, [0.0], 0.1)
    motion, _ = filters.step(motion, [0.5], 0.1)

    def refuse(*_):
        raise KernelError("switched off")

    monkeypatch.setattr(kernel(), "filter_step", refuse)
    after, positions = filters.step(motion, [0.5], 0.1)
    assert numbers(after) == numbers((TrackingFilter(ARM).step(motion[0], 0.5, 0.1),))
    assert positions == (after[0].position,)


def test_another_number_of_targets_than_joints_is_refused():
    filters = JointFilters([TrackingFilter(ARM)] * 2)
    motion, _ = filters.step(None, [0.0, 0.0], 0.1)
    with pytest.raises(ValueError, match="argument"):
        filters.step(motion, [0.1], 0.1)
