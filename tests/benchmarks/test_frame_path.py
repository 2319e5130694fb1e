"""Tests the picture of a frame's path; tests/blender/test_frame_path_benchmark.py traces the path itself in a
real Blender.
"""

from PIL import Image

from benchmarks.frame_path.picture import WIDTH, draw


def test_the_picture_shows_both_processes_side_by_side(tmp_path):
    blender = [
        "rig/events/handlers.py",
        "character/stage.py",
        "solvers/expressive/solver.py",
        "motion/tracking.py",
        "rig/showing/proxy.py",
    ]
    worker = [
        "hardware/worker/core.py",
        *(f"hardware/protocols/file_{number}.py" for number in range(40)),
        "motion/limiter.py",
    ]
    draw(blender, worker, tmp_path / "frame.png")
    with Image.open(tmp_path / "frame.png") as picture:
        assert picture.width == WIDTH
        left, right = (
            picture.convert("L").crop((side, 0, side + WIDTH // 2, picture.height))
            for side in (0, WIDTH // 2)
        )
        for half in (left, right):
            assert half.getextrema()[0] < 80, "boxes and letters"


def test_the_same_path_makes_the_same_picture(tmp_path):
    for suffix in ("png", "svg"):
        for name in ("one", "two"):
            draw(
                ["rig/events/handlers.py", "motion/tracking.py"],
                ["hardware/worker/core.py"],
                tmp_path / f"{name}.{suffix}",
            )
        assert (tmp_path / f"one.{suffix}").read_bytes() == (tmp_path / f"two.{suffix}").read_bytes()
