"""Tests that the fuzzer of the compiled kernel calls each function with its actual signature."""

import contextlib

import numpy as np
import pytest
from limber.solvers.kernel.library import KernelError, kernel

from benchmarks.kernel_fuzz import bones_of, call_bones
from tests.solvers.chains import lamp


@pytest.mark.skipif(kernel() is None, reason="there is no kernel for this machine")
def test_the_fuzz_solves_on_bones() -> None:
    draw = np.random.default_rng(1)
    bones = bones_of(draw, lamp())
    assert bones is not None
    for _ in range(20):
        with contextlib.suppress(KernelError):
            assert all(np.isfinite(numbers).all() for numbers in call_bones(draw, lamp(), bones))
