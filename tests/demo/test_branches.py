"""Tests the choice of the part of an imported robot of which the demo makes a chain."""

import pytest
from branches import BranchError, Link, branch

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)

FIGURE = [
    Link("base", None),
    Link("foot", "base"),
    Link("torso", "base", True, Z),
    Link("neck", "torso", True, X),
    Link("head", "neck", True, Z),
    Link("camera", "head"),
    Link("arm", "torso", True, X),
    Link("elbow", "arm", True, Y),
    Link("wrist", "elbow", True, X),
    Link("hand", "wrist", True, Z),
    Link("palm", "hand"),
]
HEADLESS = [link for link in FIGURE if link.name not in ("head", "camera")]


def test_a_link_called_head_looks():
    assert branch(FIGURE) == ["torso", "neck", "head"]


def test_without_a_head_the_link_that_most_motors_move_looks_and_not_what_is_fixed_to_it():
    assert branch(HEADLESS) == ["torso", "arm", "elbow", "wrist", "hand"]


def test_the_user_may_choose_any_link_that_can_look():
    assert branch(FIGURE, "palm") == ["torso", "arm", "elbow", "wrist", "hand", "palm"]
    assert branch(FIGURE, "camera")[-1] == "camera"


@pytest.mark.parametrize("end", ["torso", "foot", "nose"])
def test_a_link_that_cannot_look_or_is_not_there_is_refused_with_those_that_can(end):
    with pytest.raises(BranchError) as said:
        branch(FIGURE, end)
    assert f"'{end}'" in str(said.value)
    assert "END can be neck, head, camera, arm" in str(said.value)


def test_many_candidates_are_not_all_named():
    links = [*FIGURE, *(Link(f"finger {k}", "hand", True, X) for k in range(30))]
    with pytest.raises(BranchError, match=r"and \d+ more"):
        branch(links, "nose")


@pytest.mark.parametrize(
    "links",
    [
        [Link("base", None)],
        [Link("base", None), Link("arm", "base", True, X)],
        [Link("base", None), Link("arm", "base", True, X), Link("hand", "arm", True, (-1.0, 0.0, 0.0))],
        [Link("base", None), Link("lift", "base", True), Link("arm", "lift", True, X)],
        [Link("base", None), Link("arm", "base", True, X), Link("hand", "arm", False, Z)],
    ],
)
def test_a_robot_without_a_bend_is_refused_with_what_it_takes(links):
    with pytest.raises(BranchError, match="two joints that turn about different axes"):
        branch(links)
