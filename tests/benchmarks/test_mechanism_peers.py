"""Tests the comparison with other libraries on mechanisms: one model for all, feasible motions, correct
scores, and missing libraries are named.
"""

import subprocess
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from limber.solvers.kinematics.se3 import RigidTransform, exponential, frame_array
from limber.solvers.mechanism.assembly import assemble
from limber.solvers.mechanism.goals import Goals
from limber.solvers.mechanism.solution import AssemblyState

from benchmarks import mechanism_peers
from benchmarks.mechanism_cases import Race, races
from benchmarks.mechanism_contestants import Known, Limber, Placo
from benchmarks.mechanism_model import model_of
from benchmarks.mechanism_peers import BROKEN, MET, Judge, row_of, run, table, walked

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv-bench" / "bin" / "python"
RACES = races()
FRAMES = 40  # number of frames, of 240: enough to see that a mechanism continues to move


def shortened(race: Race, first: int = 0, frames: int = FRAMES) -> Race:
    return replace(
        race, goals=race.goals[first : first + frames], can_reach=race.can_reach[first : first + frames]
    )


def sites(text: str, state: AssemblyState, race: Race) -> dict[str, np.ndarray]:
    """Poses (4, 4) of a model's sites, computed from its text alone."""
    found, balls = {}, iter(state.balls)

    def placed(element: ElementTree.Element) -> np.ndarray:
        place, turn = (tuple(map(float, element.get(key).split())) for key in ("pos", "quat"))
        return frame_array(RigidTransform(turn, place))

    def walk(element: ElementTree.Element, pose: np.ndarray) -> None:
        for site in element.findall("site"):
            found[site.get("name")] = pose @ placed(site)
        for body in element.findall("body"):
            moved, joint = np.eye(4), body.find("joint")
            node = int(joint.get("name")[1:])
            if joint.get("type") == "ball":
                moved[:3, :3] = next(balls)
            else:
                way = float(state.values[race.solver.tree.first[node]]) * np.array(
                    tuple(map(float, joint.get("axis").split()))
                )
                if joint.get("type") == "hinge":
                    moved[:3, :3] = exponential(way)
                else:
                    moved[:3, 3] = way
            walk(body, pose @ placed(body) @ moved)

    walk(ElementTree.fromstring(text).find("worldbody/body"), np.eye(4))
    return found


@pytest.mark.parametrize("race", RACES[:5], ids=lambda race: race.name)
def test_the_model_that_libraries_read_is_closed_where_the_race_starts_and_open_where_it_is_not(race: Race):
    text, ends = model_of(race)
    at_start = sites(text, race.start, race)
    for one, other in ends.pairs:
        assert at_start[one][:3, 3] == pytest.approx(at_start[other][:3, 3], abs=1e-9)
    assert at_start[ends.goals[0]][:3, 3] == pytest.approx(race.goals[0].frames[0].position, abs=1e-6)
    bent = AssemblyState(race.start.values + 0.1 * np.arange(len(race.start.values)), race.start.balls)
    elsewhere = sites(text, bent, race)
    assert (
        max(np.abs(elsewhere[one][:3, 3] - elsewhere[other][:3, 3]).max() for one, other in ends.pairs) > 1e-3
    )


@pytest.mark.parametrize("race", RACES[:5], ids=lambda race: race.name)
def test_all_ways_can_be_gone(race: Race):
    row = row_of(Limber(shortened(race)), Judge(shortened(race)), 1)
    assert row.open <= MET
    assert row.error <= MET
    assert row.flips == 0
    assert 0.0 < row.jump < 3.0
    assert row.once is None


def test_targets_out_of_reach_are_out_of_reach_and_come_back():
    for race in RACES[5:]:
        assert race.can_reach[0]
        assert race.can_reach[-1]
        middle = len(race.goals) // 2
        assert not race.can_reach[middle]
        away = shortened(race, middle - 3, 6)
        _, _, states = walked(Limber(away), Judge(away), 1)
        assert Judge(away).error(states[-1], 5) > 0.01
        assert Judge(away).open(states[-1]) <= MET


def test_what_comes_apart_is_told_and_set_in_bold():
    race = shortened(RACES[0])

    class Apart(Limber):
        most = 2

        def step(self) -> None:
            super().step()
            self.now = AssemblyState(self.now.values + 0.01, self.now.balls)

    row = row_of(Apart(race), Judge(race), 1)
    assert row.open > 1e-4
    assert row.steps == 2.0
    assert row.error > 1e-4
    line = table([row])[2]
    assert line.count("**") >= 2
    assert len({text.count("|") for text in table([row, replace(row, once=None)])}) == 1


def mirrored_four_bar(race: Race) -> AssemblyState:
    """State with the crank unchanged, and the other links mirrored."""
    asked = Goals(actuators={"Crank Shaft": race.solver.values(race.start, "Crank Shaft")})
    for seed in range(20):
        start = race.start.values + np.random.default_rng(seed).normal(size=len(race.start.values))
        found = assemble(race.solver, AssemblyState(start, race.start.balls), asked).state
        turned = np.remainder(found.values - race.start.values + np.pi, 2.0 * np.pi) - np.pi
        if np.abs(turned).max() > 0.1:
            return AssemblyState(race.start.values + turned, found.balls)
    raise AssertionError("no other assembly was found")


def test_another_assembly_is_a_flip():
    race = RACES[0]
    judge, mirrored = Judge(race), mirrored_four_bar(race)
    assert judge.open(mirrored) <= BROKEN
    assert judge.flips([race.start] * 3) == 0
    assert judge.flips([race.start, mirrored, mirrored]) == 1


def test_a_pose_is_the_same_after_it_was_written_into_a_librarys_coordinates():
    race = RACES[2]
    widths = [4 if kind == "spherical" else 1 for kind in race.solver.tree.kinds]
    for is_scalar_last in (False, True):
        known = Known(race, np.concatenate(([0], np.cumsum(widths)[:-1])).tolist(), is_scalar_last)
        q = known.write(np.zeros(sum(widths)), race.start)
        read = known.read(q)
        assert read.values == pytest.approx(race.start.values, abs=1e-15)
        assert read.balls == pytest.approx(race.start.balls, abs=1e-9)


def test_a_library_that_is_not_there_is_named_and_the_others_race(monkeypatch):
    class Absent(Limber):
        label = "absent"

        def __init__(self, race: Race) -> None:
            raise ImportError("No module named 'absent'")

    monkeypatch.setattr(mechanism_peers, "CONTESTANTS", (Absent, Limber))
    rows, missing = run(shortened(RACES[1]), 1)
    assert [row.name for row in rows] == ["Limber"]
    assert missing == {"absent": "No module named 'absent'"}


def test_a_library_that_gives_up_on_a_mechanism_is_named_with_it(monkeypatch):
    class Stuck(Limber):
        label = "stuck"

        def step(self) -> None:
            raise RuntimeError("no solution")

    monkeypatch.setattr(mechanism_peers, "CONTESTANTS", (Stuck, Limber))
    rows, missing = run(shortened(RACES[1]), 1)
    assert [row.name for row in rows] == ["Limber"]
    assert missing == {"stuck on pantograph": "RuntimeError: no solution"}


@pytest.mark.skipif(not PYTHON.exists(), reason="no .venv-bench, which `make bench` makes")
def test_every_library_goes_a_hinged_and_a_balled_mechanisms_way():
    command = [
        str(PYTHON),
        "-m",
        "benchmarks.mechanism_peers",
        "--rounds",
        "1",
        "--only",
        "four-bar",
        "stewart",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "left out" not in done.stdout
    cells = [
        [cell.strip() for cell in line.split("|")]
        for line in done.stdout.splitlines()
        if line.startswith(("| four-bar", "| stewart"))
    ]
    names = ["Limber", Placo.label, "mink", "mink, constraints", "pinocchio and numpy"]
    assert [row[2] for row in cells] == 2 * names
    for row in cells:
        assert float(row[6]) <= MET
        assert float(row[7]) <= MET
