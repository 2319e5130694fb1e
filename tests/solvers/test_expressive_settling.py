"""Tests that settling for a goal at rest takes the same time at every frame rate."""

import math

import pytest
from limber.solvers.expressive.motion import SETTLING, Settling


@pytest.mark.parametrize("frames", [1, 6, 15, 60])
@pytest.mark.parametrize(("merit", "factor"), [(2.0, math.exp(-1.0)), (0.5, math.e)])
def test_the_trust_region_changes_alike_at_every_frame_rate(frames, merit, factor):
    """The trust region shrinks while solutions are no better than the best one, and grows while they are."""
    settling, dt = Settling(best=1.0, trust=0.1), SETTLING / frames
    for frame in range(frames):
        settling = settling.at(merit * 0.99**frame, dt).later(dt)
    assert settling.trust == pytest.approx(0.1 * factor)
