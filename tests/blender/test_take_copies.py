"""Tests that a recording ended by a crash is kept in a separate file, and offered in the next session."""

from collections.abc import Iterator
from pathlib import Path

import bpy
import pytest
from limber.rig.blender.errors import RigError
from limber.rig.live import live
from limber.rig.output import record, take_copies

from tests.blender import mechanisms
from tests.blender.drawing import drawn
from tests.blender.rigs import angles_at, keyed, looking_chain, make_active

NO_PROCESS = 2**30  # larger than any process id of a system


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch) -> Iterator[Path]:
    """Copies as in a window, in a separate folder, written at every frame."""
    monkeypatch.setattr(take_copies, "folder", lambda: tmp_path)
    monkeypatch.setattr(take_copies, "is_wanted", lambda: True)
    monkeypatch.setattr(take_copies, "EVERY", 0.0)
    take_copies.forget()
    yield tmp_path
    take_copies.forget()


@pytest.fixture
def chain():
    _, chain = looking_chain()
    keyed(chain.target, (1, 30))
    return chain


def recorded(chain, *passes: range) -> list[dict[int, list[float]]]:
    """Records takes over the frames; returns the angles shown live."""
    bpy.ops.limber.live()
    bpy.ops.limber.record_live()
    shown = []
    for frames in passes:
        shown.append({})
        for frame in frames:
            bpy.context.scene.frame_set(frame)
            shown[-1][frame] = live.session(chain.id_data, chain).outputs.angles.tolist()
    return shown


def crash(monkeypatch, own_folder: Path) -> Path:
    """Simulates a crash: data in memory are lost, and the next Blender is another process."""
    (copy,) = own_folder.glob("*.jsonl")
    left = copy.rename(own_folder / f"Rig-{NO_PROCESS}-1.jsonl")
    record._copies.clear()
    record._going.clear()
    take_copies.forget()
    return left


@pytest.mark.every_blender
def test_takes_that_a_crash_ended_are_keyed_as_live_showed_them(rig, chain, monkeypatch, own_folder):
    first, second = recorded(chain, range(2, 20), range(3, 12))
    crash(monkeypatch, own_folder)
    assert chain.live, "as a file that was saved live begins"
    assert bpy.ops.limber.restore_takes() == {"FINISHED"}
    assert not chain.live
    assert [action.name for action in bpy.data.actions if " Take " in action.name] == [
        "Rig Take 1",
        "Rig Take 2",
    ]
    again = angles_at(rig, chain, range(3, 11))
    assert max(abs(a - b) for frame in again for a, b in zip(again[frame], second[frame], strict=True)) < 1e-6
    assert len(first) == 18
    with pytest.raises(RuntimeError, match="No recording of 'Rig' was interrupted"):
        bpy.ops.limber.restore_takes()


@pytest.mark.every_blender
def test_it_is_offered_first_of_all_and_can_be_left(rig, chain, monkeypatch, own_folder):
    from limber.panels.output.bake import LIMBER_PT_record
    from limber.rig.authoring.next_step import next_step

    recorded(chain, range(2, 20))
    assert "limber.restore_takes" not in drawn(LIMBER_PT_record).operators
    crash(monkeypatch, own_folder)
    assert "limber.restore_takes" in drawn(LIMBER_PT_record).operators
    assert next_step(rig, False).operator == "limber.restore_takes"
    bpy.ops.limber.leave_takes()
    assert "limber.restore_takes" not in drawn(LIMBER_PT_record).operators
    assert next_step(rig, False).operator != "limber.restore_takes"
    take_copies.forget()
    assert take_copies.left(rig) is None


def test_until_then_the_rig_panel_makes_a_chain_where_there_is_none(rig, chain, monkeypatch, own_folder):
    from limber.panels.authoring.next_step import LIMBER_PT_next_step
    from limber.panels.authoring.rig import LIMBER_PT_rig

    recorded(chain, range(2, 5))
    crash(monkeypatch, own_folder)
    bpy.ops.limber.end_live()
    bpy.ops.limber.remove_chain()
    assert drawn(LIMBER_PT_next_step).operators == ["limber.stop", "limber.restore_takes"]
    assert drawn(LIMBER_PT_rig).operators.count("limber.new_chain") == 1


def test_it_is_offered_for_a_mechanism_of_objects_too(monkeypatch, own_folder):
    from limber.rig.authoring.next_step import next_step

    owner = mechanisms.add("neck")
    bpy.ops.limber.live()
    bpy.ops.limber.record_live()
    for frame in range(2, 5):
        bpy.context.scene.frame_set(frame)
    crash(monkeypatch, own_folder)
    assert next_step(owner, False).operator == "limber.restore_takes"
    assert bpy.ops.limber.restore_takes() == {"FINISHED"}
    assert next_step(owner, False).operator == "limber.live"


@pytest.mark.parametrize("end", ["keep_takes", "drop_takes"])
def test_a_recording_that_comes_to_its_end_leaves_nothing(rig, chain, own_folder, end: str):
    recorded(chain, range(2, 20))
    assert len(list(own_folder.iterdir())) == 1
    getattr(bpy.ops.limber, end)()
    assert list(own_folder.iterdir()) == []


@pytest.mark.every_blender
def test_another_file_that_is_opened_meanwhile_loses_nothing(chain, own_folder, reopen):
    recorded(chain, range(2, 20))
    reopen()
    (copy,) = own_folder.glob("*.jsonl")
    assert [take.frames for take in take_copies.read(copy)] == [list(range(2, 20))]
    rig = bpy.data.objects["Rig"]
    make_active(rig)
    assert take_copies.left(rig) == copy, "it is offered at once"


def test_another_recording_leaves_what_is_offered(chain, own_folder, reopen):
    recorded(chain, range(2, 20))
    reopen()
    make_active(bpy.data.objects["Rig"])
    bpy.ops.limber.end_live()
    (old,) = own_folder.glob("*.jsonl")
    recorded(bpy.data.objects["Rig"].limber.chains[0], range(3, 8))
    assert len(list(own_folder.glob("*.jsonl"))) == 2
    bpy.ops.limber.drop_takes()
    assert take_copies.left(bpy.data.objects["Rig"]) == old
    assert [take.frames for take in take_copies.read(old)] == [list(range(2, 20))]


@pytest.mark.every_blender
def test_what_another_blender_records_is_not_offered_here(rig, chain, own_folder):
    recorded(chain, range(2, 20))
    (copy,) = own_folder.glob("*.jsonl")
    # id of the system's first process, which runs as long as the system does
    copy.rename(own_folder / "Rig-1-1.jsonl")
    record._copies.clear()
    take_copies.forget()
    assert take_copies.left(rig) is None


@pytest.mark.every_blender
def test_a_copy_that_ends_in_the_middle_of_a_line_is_good_up_to_there(chain, monkeypatch, own_folder):
    recorded(chain, range(2, 20))
    left = crash(monkeypatch, own_folder)
    text = left.read_text()
    left.write_text(text[: len(text) - 20])
    assert [take.frames for take in take_copies.read(left)] == [list(range(2, 18))]


@pytest.mark.every_blender
def test_a_copy_that_somebody_changed_is_refused_with_its_line(rig, chain, monkeypatch, own_folder):
    recorded(chain, range(2, 20))
    left = crash(monkeypatch, own_folder)
    lines = left.read_text().splitlines()
    lines[3] = '[1, "much"]'
    left.write_text("\n".join(lines))
    with pytest.raises(RuntimeError, match="Line 4 of"):
        bpy.ops.limber.restore_takes()
    left.write_bytes(b"\xff\xfe")
    with pytest.raises(RigError, match="cannot be read"):
        take_copies.read(left)
    left.write_text(
        lines[0] + "\n" + '{"take": 0, "channels": [["Rig", "base", "scale", 0]]}' + "\n[1, 0.5]\n"
    )
    with pytest.raises(RigError, match="Line 2"):
        take_copies.read(left)


@pytest.mark.every_blender
def test_takes_of_bones_that_are_gone_are_said_and_kept(rig, chain, monkeypatch, own_folder):
    recorded(chain, range(2, 20))
    left = crash(monkeypatch, own_folder)
    bpy.ops.limber.end_live()
    for bone in rig.data.bones:
        bone.name = f"{bone.name} renamed"
    with pytest.raises(RuntimeError, match="has no take of what 'Rig' moves"):
        bpy.ops.limber.restore_takes()
    assert left.exists()


@pytest.mark.every_blender
def test_a_folder_that_cannot_be_written_ends_no_recording(rig, chain, monkeypatch, own_folder):
    monkeypatch.setattr(take_copies, "folder", lambda: own_folder / "gone")
    recorded(chain, range(2, 20))
    assert "No copy of the recording is saved" in record.copy_problem(rig)
    bpy.ops.limber.keep_takes()
    assert bpy.data.actions["Rig Take 1"]


@pytest.mark.every_blender
def test_without_a_folder_it_is_said_and_nothing_is_written(rig, chain, monkeypatch, tmp_path):
    monkeypatch.setattr(take_copies, "folder", lambda: None)
    monkeypatch.chdir(tmp_path)
    recorded(chain, range(2, 20))
    assert "No copy of the recording is saved" in record.copy_problem(rig)
    assert list(tmp_path.iterdir()) == []
    bpy.ops.limber.keep_takes()
    take_copies.forget()
    assert take_copies.left(rig) is None


def test_after_an_addition_that_failed_what_was_written_stays_good(rig, chain, monkeypatch, own_folder):
    recorded(chain, range(2, 10))
    (copy,) = own_folder.glob("*.jsonl")
    away = own_folder / "away"
    copy.rename(away)
    copy.mkdir()  # so that nothing can be written there
    bpy.context.scene.frame_set(10)
    copy.rmdir()
    away.rename(copy)
    bpy.context.scene.frame_set(11)
    bpy.context.scene.frame_set(12)
    assert "cannot be written" in record.copy_problem(rig)
    assert [take.frames for take in take_copies.read(copy)] == [list(range(2, 9))]


def test_in_edit_mode_it_says_to_leave_it(rig, chain, monkeypatch, own_folder):
    recorded(chain, range(2, 20))
    crash(monkeypatch, own_folder)
    bpy.ops.limber.end_live()
    make_active(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(RuntimeError, match="Leave Edit Mode first"):
        bpy.ops.limber.restore_takes()
