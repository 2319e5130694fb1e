"""Tests the zeros of LeRobot's arms: the stored values follow from the models' files, and equal poses are
equal in every model.
"""

import math

import numpy as np
import pytest
from limber.robots.lerobot_zeros import ZEROS

from benchmarks import lerobot_zeros
from tests.robots.robots import NO_PUBLIC, SHARED

FOLDER = SHARED / "robots"
NEAR = 1e-6  # [rad] tolerance: the stored numbers have 5 decimals of a degree


@pytest.fixture(scope="module")
def models():
    found = lerobot_zeros.models(FOLDER)
    if len(found) < len(lerobot_zeros.FILES):
        pytest.skip(f"{NO_PUBLIC}: {', '.join(lerobot_zeros.FILES)}")
    return found


@pytest.mark.parametrize("name", ZEROS)
def test_stored_zeros_follow_from_the_lines_of_the_axes(models, name):
    for joint, value in lerobot_zeros.derived(models[name], next(iter(models.values()))).items():
        assert ZEROS[name][joint].value == pytest.approx(value, abs=NEAR), joint


@pytest.mark.parametrize("name", ZEROS)
def test_the_same_pose_is_the_same_in_every_model_and_in_lerobots_degrees(models, name):
    assert lerobot_zeros.worst(models[name], next(iter(models.values())), np.random.default_rng(23)) < NEAR


@pytest.mark.parametrize("name", ZEROS)
def test_the_pan_is_straight_ahead_in_the_middle_between_its_limits(models, name):
    pan = next(joint for joint in models[name].joints if joint.name == "shoulder_pan")
    assert math.fsum(pan.finite_limits) / 2 == pytest.approx(ZEROS[name]["shoulder_pan"].value, abs=1e-9)
