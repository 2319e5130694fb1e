"""Tests random sequences of users' actions: no exception, no orphan data, no handler left, no robot that
moves without its armature.

`make sequences` runs a thousand; this file runs a few, and every seed that once found a fault.
"""

import os

import hypothesis
import pytest
from hypothesis import HealthCheck, Phase, Verbosity, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.blender.sequences import Sequences

pytestmark = pytest.mark.every_blender

COUNT = int(os.environ.get("LIMBER_SEQUENCES", "6"))
STEPS = 25  # largest number of steps of a sequence
TELLS_STEPS = "LIMBER_SEQUENCE_STEPS" in os.environ  # whether steps are printed while they are made
SEED = int(os.environ.get("LIMBER_SEQUENCE_SEED", "0"))


@pytest.fixture(autouse=True)
def extension(unregistered):
    """Each sequence begins with an empty file and registers the extension itself."""


def test_any_sequence_of_deeds_raises_nothing_and_leaves_nothing():
    chosen = settings(
        max_examples=COUNT,
        stateful_step_count=STEPS,
        derandomize=False,
        database=None,
        deadline=None,
        phases=[
            Phase.generate
            # without shrinking: a sequence is short enough to be read, and robots make every attempt slow
        ],
        verbosity=Verbosity.debug if TELLS_STEPS else Verbosity.normal,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(hypothesis.seed(SEED)(Sequences), settings=chosen)
