"""Fixtures shared by the tests of the hardware."""

import contextlib

import pytest


def pytest_configure(config):
    config.addinivalue_line("markers", "soak: half a minute of streaming; `make soak` runs it for longer")


@pytest.fixture
def closing():
    """Function that returns its argument, and closes it at the end of the test."""
    with contextlib.ExitStack() as stack:
        yield lambda made: stack.enter_context(contextlib.closing(made))


@pytest.fixture
def simulate(closing):
    """Function that creates simulations, which are closed at the end of the test."""
    from tests.hardware.simulation import Simulation

    return lambda *args, **kwargs: closing(Simulation(*args, **kwargs))


@pytest.fixture
def opened(closing):
    """Function that opens links, which are closed at the end of the test."""
    from limber.hardware.link import WorkerLink

    def make(device):
        link = closing(WorkerLink(device))
        link.open()
        return link

    return make


@pytest.fixture
def robot():
    """The virtual robot of `simulation.make_device` behind a real serial line."""
    from tests.hardware.pty_robot import PtyRobot
    from tests.hardware.simulation import make_device

    with PtyRobot.for_device(make_device()) as robot:
        yield robot


@pytest.fixture
def sent():
    """Function that starts a process for a task, and returns its events when it has ended."""
    from limber.hardware.background_job import BackgroundJob
    from limber.hardware.job_events import Ended

    from tests.hardware.patience import PATIENCE, wait_until

    errands = []

    def run(task: str, **arguments) -> list:
        errands.append(BackgroundJob(task, arguments, PATIENCE))
        news: list = []

        def ended() -> bool:
            news.extend(errands[-1].events())
            return bool(news) and isinstance(news[-1], Ended)

        wait_until(ended)
        assert errands[-1].over
        return news

    yield run
    for errand in errands:
        errand.cancel()
