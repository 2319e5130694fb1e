"""Tests that exported motion equals that of the live stream: the worker's playback follows the same curve as
the rows.
"""

from limber.hardware.motion_files import Take
from limber.hardware.worker.core import PERIOD
from limber.motion import between

from tests.hardware.exporting import device, filtered
from tests.hardware.simulation import FRAME, Simulation

# [rad] tolerance of 0.03 degrees, 0.3 us of pulse: the limiter follows playback while that evens out its pace
NEAR = 5e-4
SOONER, LATER = 0.8, 1.2  # smallest and largest progress of playback in a cycle, as a share of it


def curve(take: Take, position: float) -> tuple[float, ...]:
    """Joint values at a position [frames] on the curve from which `sample` computes its rows."""
    columns = list(take.joints())
    index = min(int(position), len(columns[0]) - 3)
    return tuple(
        between((c[index - 1], c[index], c[index + 1], c[index + 2]), position - index, FRAME).position
        for c in columns
    )


def missed(take: Take, position: float, values: tuple[float, ...]) -> float:
    return max(abs(a - b) for a, b in zip(curve(take, position), values, strict=True))


def nearest(take: Take, values: tuple[float, ...], first: float, last: float) -> float:
    """Position between two others at which the curve is nearest to `values`: a ternary search."""
    while last - first > 1e-6:
        third = (last - first) / 3.0
        if missed(take, first + third, values) < missed(take, last - third, values):
            last -= third
        else:
            first += third
    return first


def test_the_worker_s_stream_lies_on_the_exported_curve_and_goes_along_it(simulate):
    robot = device(3)
    take = filtered(robot, seconds=3.0, fps=1.0 / FRAME, pauses=False)  # the worker ignores equal frames
    simulation: Simulation = simulate(robot)
    simulation.arm(lambda _: take.frames[0])
    simulation.run(1.0, lambda _: take.frames[0])
    simulation.commands.clear()
    began = simulation.now
    simulation.run(
        len(take.frames) * FRAME + 0.5,
        lambda time: take.frames[min(max(round((time - began) / FRAME), 0), len(take.frames) - 1)],
    )
    moving = [
        values
        for values in simulation.commands
        if max(abs(a - b) for a, b in zip(values, take.frames[0], strict=True)) > 1e-9
    ]
    position = nearest(take, moving[0], 2.0, 4.0)
    worst, step, end = 0.0, PERIOD / FRAME, len(take.frames) + 3.0
    for values in moving[1:]:
        position = nearest(
            take, values, min(position + SOONER * step, end), min(position + LATER * step, end)
        )
        worst = max(worst, missed(take, position, values))
    print(f"farthest from the curve: {worst:.2e} rad")
    assert position >= end - 1.0
    assert worst < NEAR
