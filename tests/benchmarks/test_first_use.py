"""Tests that the benchmark of the kernel's first use measures a process that has not loaded the kernel."""

import pytest
from limber.solvers.kernel import library

from benchmarks import first_use

pytestmark = pytest.mark.skipif(library.kernel() is None, reason="there is no compiled kernel: make kernel")


def test_first_use_is_measured_in_a_process_of_its_own():
    times = first_use.measured_alone(library.candidates()[0])
    assert all(time >= 0.0 for time in times)
    lines = first_use.table([times, times])
    assert f"{times.loading + times.first:.2f}" in lines[-1]
