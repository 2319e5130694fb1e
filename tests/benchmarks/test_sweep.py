"""Tests the sweep: the same bits on every machine, continuation after an interruption, complete results or
none.
"""

import math
from concurrent.futures import Future

import numpy as np
import pytest
from limber.batch.workers import WorkersError
from limber.solvers.kinematics.rotations import X, Y, Z, dot, rotate

from benchmarks import jobs, runners
from benchmarks.chunks import Chunk
from benchmarks.jobs import TIMES, keep, kept
from benchmarks.paper import BODIES, TABLE_8, Grid, NestedGrid, nested
from benchmarks.sweep import Sweep, gather, run

SWEEP = Sweep(pairs=8, seed=3, chunk=3)
NAMES, SOLVERS = ("C", "G"), ("erik", "expressive", "dls100")


def answers(folder, **where):
    return gather(SWEEP, run(SWEEP, NAMES, SOLVERS, folder, **where), NAMES, SOLVERS)


def same_bits(one, other):
    return one.keys() == other.keys() and all(
        one[key][field].tobytes() == other[key][field].tobytes()
        for key in one
        for field in one[key]
        if field != TIMES
    )


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """Results of one process, and their folder."""
    folder = tmp_path_factory.mktemp("alone")
    return answers(folder, workers=1), folder


def test_two_processes_give_the_bits_of_one(alone, tmp_path):
    assert same_bits(alone[0], answers(tmp_path, workers=2))


def test_a_dask_cluster_of_two_workers_gives_the_bits_of_one_process(alone, tmp_path):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        assert same_bits(alone[0], answers(tmp_path, scheduler=cluster.scheduler_address))


def test_answers_come_in_the_order_of_the_sample(alone):
    grid = Grid("C")
    chunk = Chunk(grid, "erik", 0, grid.sample(SWEEP.pairs, SWEEP.seed))
    assert np.array_equal(chunk.solve()["angles"], alone[0]["C", "erik"]["angles"])


def test_a_sweep_goes_on_with_what_is_missing_and_leaves_what_is_there(tmp_path):
    first = answers(tmp_path, workers=1)
    one, two, *_ = SWEEP.chunks("C", "erik")
    folder = SWEEP.folder(tmp_path)
    marked = {field: values + 1 for field, values in kept(folder, one).items()}
    keep(folder, one, marked)
    (folder / two.file).unlink()
    again = answers(tmp_path, workers=1)["C", "erik"]
    assert np.array_equal(again["iterations"][:3], first["C", "erik"]["iterations"][:3] + 1)
    assert np.array_equal(again["iterations"][3:], first["C", "erik"]["iterations"][3:])


def test_a_run_that_is_killed_while_it_writes_leaves_no_half_of_an_answer(tmp_path, monkeypatch):
    def half(file, **_):
        file.write(b"half of it")
        raise KeyboardInterrupt

    monkeypatch.setattr(jobs.np, "savez", half)
    with pytest.raises(KeyboardInterrupt):
        keep(tmp_path, Chunk(Grid("C"), "erik", 0, [1]), {})
    assert not list(tmp_path.glob("*.npz"))


def test_another_seed_size_or_version_of_the_code_has_its_own_folder(tmp_path, monkeypatch):
    folders = {
        Sweep(8, 3, chunk=3).folder(tmp_path),
        Sweep(8, 4, chunk=3).folder(tmp_path),
        Sweep(9, 3, chunk=3).folder(tmp_path),
    }
    monkeypatch.setattr("benchmarks.jobs.code_digest", lambda: "other")
    folders.add(SWEEP.folder(tmp_path))
    assert len(folders) == 4


def test_a_worker_with_other_code_is_refused():
    def submit(chunk):
        future = Future()
        future.set_result(("other", {}))
        return future

    with pytest.raises(WorkersError, match="other code"):
        list(runners._checked([Chunk(Grid("C"), "erik", 0, [1])], submit, runners.first_of_pool, 1))


def test_a_scheduler_that_does_not_answer_is_named(tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("limber.batch.workers.TIMEOUT", "0.3s")
    with pytest.raises(WorkersError, match=r"tcp://127\.0\.0\.1:9"):
        run(SWEEP, NAMES, SOLVERS, tmp_path, scheduler="tcp://127.0.0.1:9")


@pytest.mark.parametrize("grids", ["even", "roll", "facing"])
@pytest.mark.parametrize("name", BODIES)
def test_the_whole_grid_has_every_place_once_and_the_corners_in_it(name, grids):
    sweep = Sweep(full=True, chunk=10**8, grids=grids)
    body, grid = BODIES[name], sweep.grid(name)
    assert sum(len(chunk.places) for chunk in sweep.chunks(name, "erik")) == grid.size
    assert grid.pair(0).posture.min() == pytest.approx(-body.reach)
    assert grid.pair(grid.size - 1).posture.max() == pytest.approx(body.reach)
    assert grid.pair(1).posture == pytest.approx(grid.pair(0).posture)
    assert grid.pair(1).aim != grid.pair(0).aim


@pytest.mark.parametrize("name", BODIES)
def test_nested_grids_have_exactly_as_many_postures_as_the_paper(name):
    postures = NestedGrid(name, "roll").size // len(nested(12, 3))
    assert postures == TABLE_8[name, "erik"].postures


def test_nested_grids_are_laid_over_each_other_and_have_each_point_once():
    assert nested(3, 1).ravel() == pytest.approx([-1, -1 / 3, 0, 1 / 3, 1])
    assert len(np.unique(nested(4, 2).round(9), axis=0)) == len(nested(4, 2)) == 37


def turns_and_targets(targets):
    """Rotations [rad] and orientations of the first posture's targets."""
    grid = NestedGrid("C", targets)
    return [(math.pi * turns, grid.pair(place).aim.wxyz) for place, turns in enumerate(nested(12, 3))]


def test_facing_targets_have_an_azimuth_an_elevation_and_a_twist_about_their_direction():
    for (horizontal, vertical, twist), target in turns_and_targets("facing")[::37]:
        direction = (
            math.cos(vertical) * math.sin(horizontal),
            -math.sin(vertical),
            math.cos(vertical) * math.cos(horizontal),
        )
        assert rotate(target, Y) == pytest.approx(direction, abs=1e-9)
        right = (math.cos(horizontal), 0.0, -math.sin(horizontal))
        assert dot(rotate(target, X), right) == pytest.approx(math.cos(twist), abs=1e-9)


def test_roll_targets_are_yaw_pitch_and_roll_about_y_x_and_z():
    for (yaw, pitch, roll), target in turns_and_targets("roll")[::37]:
        facing = (math.cos(pitch) * math.sin(yaw), -math.sin(pitch), math.cos(pitch) * math.cos(yaw))
        assert rotate(target, Z) == pytest.approx(facing, abs=1e-9)
        assert dot(rotate(target, X), (math.cos(yaw), 0.0, -math.sin(yaw))) == pytest.approx(
            math.cos(roll), abs=1e-9
        )
