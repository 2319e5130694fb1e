"""What the tests of the hardware share."""

import contextlib

import pytest


def pytest_configure(config):
    config.addinivalue_line("markers", "soak: half a minute of streaming; `make soak` runs it for longer")


@pytest.fixture
def closing():
    """Returns what it is given, and closes it at the test's end."""
    with contextlib.ExitStack() as stack:
        yield lambda made: stack.enter_context(contextlib.closing(made))


@pytest.fixture
def simulate(closing):
    """Makes simulations that are closed at the test's end."""
    from tests.hardware.simulation import Simulation

    return lambda *args, **kwargs: closing(Simulation(*args, **kwargs))


@pytest.fixture
def opened(closing):
    """Opens links that are closed at the test's end."""
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
    """Sends a process on an errand and returns its news when it has ended."""
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
