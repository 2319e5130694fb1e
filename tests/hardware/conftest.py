"""What the tests of the hardware share."""

import pytest


def pytest_configure(config):
    config.addinivalue_line("markers", "soak: half a minute of streaming; `make soak` runs it for longer")


@pytest.fixture
def simulate():
    """Makes simulations that are closed at the test's end."""
    from tests.hardware.simulation import Simulation

    made = []

    def make(*args, **kwargs) -> Simulation:
        made.append(Simulation(*args, **kwargs))
        return made[-1]

    yield make
    for simulation in made:
        simulation.close()


@pytest.fixture
def opened():
    """Opens links that are closed at the test's end."""
    from limber.hardware.link import Link

    links = []

    def make(device):
        links.append(Link(device))
        links[-1].open()
        return links[-1]

    yield make
    for link in links:
        link.close()


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
