import names
import pytest

# Bones from the root to the head, and some others attached to them, with the names of different programs.
CONVENTIONS = {
    "cmu": (
        ["Hips", "LowerBack", "Spine", "Spine1", "Neck", "Neck1", "Head"],
        ["LHipJoint", "LeftUpLeg", "LeftShoulder"],
    ),
    "3ds max": (
        ["Hips", "lowerback", "Chest", "Chest2", "lowerneck", "Neck", "Head"],
        ["LeftHip", "LeftKnee", "RightCollar"],
    ),
    "mixamo": (
        [
            "mixamorig:Hips",
            "mixamorig:Spine",
            "mixamorig:Spine1",
            "mixamorig:Spine2",
            "mixamorig:Neck",
            "mixamorig:Head",
        ],
        ["mixamorig:LeftUpLeg", "mixamorig:LeftShoulder"],
    ),
    "rigify": (["pelvis", "spine.001", "spine.002", "neck", "head"], ["thigh.L", "shoulder.L"]),
}


def tree(line: list[str], sides: list[str]) -> dict[str, str | None]:
    parents = {name: above for above, name in zip([None, *line], line, strict=False)}
    return parents | dict.fromkeys(sides, line[0])


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_the_path_runs_from_above_the_pelvis_to_the_head(convention):
    line, sides = CONVENTIONS[convention]
    parents = tree(line, sides)
    assert names.gaze_path(parents, dict.fromkeys(parents, 0.0)) == line[1:]


def test_the_end_of_the_head_is_not_the_head():
    parents = tree(["Hips", "Spine", "Head", "HeadTop_End"], [])
    assert names.gaze_path(parents, dict.fromkeys(parents, 0.0)) == ["Spine", "Head"]


def test_without_a_head_the_path_runs_to_the_highest_end():
    parents = {"a": None, "b": "a", "c": "b", "d": "a", "e": "d"}
    heights = {"a": 1.0, "b": 1.2, "c": 1.7, "d": 0.5, "e": 0.0}
    assert names.gaze_path(parents, heights) == ["b", "c"]


def test_nothing_has_no_path():
    assert names.gaze_path({}, {}) == []


def test_fingers_are_not_drawn_and_thighs_are():
    assert names.is_small("LThumb")
    assert names.is_small("LHipJoint")
    assert not names.is_small("LeftUpLeg")
