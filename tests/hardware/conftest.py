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
