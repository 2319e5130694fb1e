"""Tests that every stored posture has a picture that distinguishes it; it is made outside drawing, and
updated after changes.
"""

import bpy
import limber
import numpy as np
import pytest
from limber.rig.blender import actions
from limber.rig.showing.thumbnails import gallery

from tests.blender.drawing import drawn
from tests.blender.posing import LEAN, REST, stored
from tests.blender.rigs import LENGTH, UPRIGHT, build, looking_chain, make_active

pytestmark = pytest.mark.every_blender

NOD = {**REST, "head": (0.9, 0, 0)}
TURNED = {**REST, "base": (0, 1.2, 0), "lower": (0.8, 0, 0)}
APART = 0.015  # least share of a picture's pixels that differ between two postures
ARROW = 0.005  # the same share if only the arrow or another chain's bones differ


@pytest.fixture
def chain():
    return looking_chain()[1]


def look(chain) -> None:
    """Requests the pictures as the panel does, and does the work of the timer."""
    gallery.choices(chain, bpy.context)
    while gallery.is_pending():
        gallery.advance()


def pixels(rig, chain, action) -> np.ndarray:
    preview = gallery.picture(rig, chain, action)
    found = np.empty(len(preview.image_pixels_float), dtype=np.float32)
    preview.image_pixels_float.foreach_get(found)
    return found.reshape(*list(preview.image_size), 4)


def differ(one: np.ndarray, other: np.ndarray) -> float:
    """Share of the pixels that differ."""
    return float((np.abs(one - other).max(axis=2) > 0.2).mean())


# Content of the pictures.


def test_pictures_of_different_postures_differ_and_of_equal_ones_do_not(rig, chain):
    postures = [
        stored(rig, name, angles)
        for name, angles in (("Rest", REST), ("Lean", LEAN), ("Nod", NOD), ("Turned", TURNED))
    ]
    again = stored(rig, "Again", LEAN)
    look(chain)
    seen = [pixels(rig, chain, action) for action in postures]
    for k, one in enumerate(seen):
        for other in seen[:k]:
            assert differ(one, other) > APART
    assert differ(seen[1], pixels(rig, chain, again)) == 0.0


def test_a_turn_of_the_last_bone_about_itself_is_seen_where_it_looks_aside(rig, chain):
    chain.forward_axis, chain.up = "+Z", "+Y"
    left, right = (
        stored(rig, "Left", {**REST, "head": (0, 0.8, 0)}),
        stored(rig, "Right", {**REST, "head": (0, -0.8, 0)}),
    )
    look(chain)
    assert differ(pixels(rig, chain, left), pixels(rig, chain, right)) > APART


def test_bones_of_other_chains_are_seen_beside_it_in_another_colour():
    rig = build({**UPRIGHT, "arm": "X", "hand": "XZ"}, parents={"arm": "middle"})
    _, chain = looking_chain(rig, "base", "head")
    action = stored(rig, "Bent", {**REST, "upper": (1.2, 0, 0)})
    look(chain)
    with_arm = pixels(rig, chain, action)
    rig.data.bones["arm"].hide = rig.data.bones["hand"].hide = True
    gallery.invalidate()
    look(chain)
    assert differ(with_arm, pixels(rig, chain, action)) > ARROW


def test_the_chain_stands_upright_also_where_the_armature_was_turned_when_it_was_imported(rig, chain):
    action = stored(rig, "Rest", REST)
    for turn in (0.0, 0.2):
        rig.rotation_euler.x = turn
        bpy.context.view_layer.update()
        gallery.invalidate()
        look(chain)
        rows = np.flatnonzero(pixels(rig, chain, action)[..., 3].max(axis=1))
        columns = np.flatnonzero(pixels(rig, chain, action)[..., 3].max(axis=0))
        assert np.ptp(rows) > 4 * np.ptp(columns), "it is high and slim"
    rig.rotation_euler.x = np.pi / 2  # now it lies, as authored
    bpy.context.view_layer.update()
    gallery.invalidate()
    look(chain)
    rows = np.flatnonzero(pixels(rig, chain, action)[..., 3].max(axis=1))
    assert np.ptp(rows) < 100


def test_a_posture_that_slides_is_drawn_where_it_slides():
    from tests.blender.rigs import select

    rig = build({"rail": "Y", "head": "X"})
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["head"].use_connect = False
    bpy.ops.object.mode_set(mode="POSE")
    limit = rig.pose.bones["head"].constraints.new("LIMIT_LOCATION")
    limit.owner_space, limit.use_min_x, limit.use_max_x, limit.min_x, limit.max_x = (
        "LOCAL",
        True,
        True,
        -0.2,
        0.2,
    )
    select(rig, "rail", "head")
    bpy.ops.limber.new_chain()
    chain = rig.limber.chains[0]
    assert [joint.axis for joint in chain.joints] == ["Y", "LINEAR_X", "X"]
    postures = []
    for name, way in (("Near", 0.0), ("Far", 2 * LENGTH)):
        rig.pose.bones["head"].location.x = way
        bpy.ops.limber.store_posture(name=name)
        postures.append(bpy.data.actions[name])
    look(chain)
    assert differ(*(pixels(rig, chain, action) for action in postures)) > APART


# Time of rendering.


def test_drawing_the_panel_makes_no_picture_and_the_timer_makes_one_at_a_time(rig, chain):
    from limber.panels.authoring.postures import LIMBER_PT_postures
    from limber.rig.events import handlers

    postures = [stored(rig, "Lean", LEAN), stored(rig, "Nod", NOD)]
    gallery.forget()
    drawn(LIMBER_PT_postures)
    gallery.choices(chain, bpy.context)
    assert [gallery.picture(rig, chain, action) for action in postures] == [None, None]
    assert handlers._pictures() == 0.0
    assert sum(gallery.picture(rig, chain, action) is not None for action in postures) == 1
    assert handlers._pictures() is None
    assert all(gallery.picture(rig, chain, action) for action in postures)
    gallery.choices(chain, bpy.context)
    assert not gallery.is_pending()


def test_what_is_drawn_again_and_again_is_the_same_picture_and_the_same_list(rig, chain):
    action = stored(rig)
    look(chain)
    first = gallery.picture(rig, chain, action), gallery.choices(chain, bpy.context)
    look(chain)
    assert (gallery.picture(rig, chain, action), gallery.choices(chain, bpy.context)) == first
    assert gallery.choices(chain, bpy.context) is first[1]


def turn_key(action) -> None:
    """Bends the chain in the other direction, by a keyframe of the pose asset."""
    actions.find(actions.fcurves(action), 'pose.bones["lower"].rotation_euler', 0).keyframe_points[
        0
    ].co.y = -1.2
    action.update_tag()
    bpy.context.view_layer.update()


def lengthen(rig) -> None:
    """Lengthens the head in Edit Mode."""
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["head"].tail.z += 3 * LENGTH
    bpy.ops.object.mode_set(mode="POSE")
    bpy.context.view_layer.update()


def look_along(chain) -> None:
    chain.up, chain.forward_axis = "+Y", "+Z"


@pytest.mark.parametrize(
    ("change", "least"),
    [
        pytest.param(lambda rig, chain, action: turn_key(action), APART, id="key of the pose asset"),
        pytest.param(lambda rig, chain, action: lengthen(rig), APART, id="bones in Edit Mode"),
        pytest.param(lambda rig, chain, action: look_along(chain), ARROW, id="axis to look along"),
    ],
)
def test_what_a_posture_is_seen_by_changes_its_picture_when_it_changes(rig, chain, change, least):
    action = stored(rig)
    look(chain)
    before = pixels(rig, chain, action)
    change(rig, chain, action)
    look(chain)
    assert differ(before, pixels(rig, chain, action)) > least


def test_a_renamed_posture_keeps_its_picture_and_is_listed_by_its_new_name(rig, chain):
    action = stored(rig)
    look(chain)
    before = gallery.picture(rig, chain, action)
    action.name = "Sorrow"
    look(chain)
    assert gallery.picture(rig, chain, action) == before
    assert [choice[1] for choice in gallery.choices(chain, bpy.context)] == ["Sorrow"]


def test_a_removed_posture_frees_its_picture(rig, chain):
    stored(rig, "Nod", NOD)
    stored(rig)
    look(chain)
    assert len(gallery._cache.previews) == 2
    bpy.ops.limber.remove_posture()
    gallery.invalidate()
    look(chain)
    assert len(gallery._cache.previews) == 1


def test_undo_of_a_removal_has_its_picture_again(undo_step):
    rig, chain = looking_chain()
    stored(rig)
    undo_step("stored")
    look(chain)
    before = pixels(rig, chain, bpy.data.actions["Lean"])
    bpy.ops.limber.remove_posture()
    undo_step("removed")
    look(chain)
    bpy.ops.ed.undo()
    rig = bpy.data.objects["Rig"]
    chain = rig.limber.chains[0]
    look(chain)
    assert differ(before, pixels(rig, chain, bpy.data.actions["Lean"])) == 0.0


def test_undo_of_a_changed_pose_asset_has_the_picture_of_before(undo_step):
    rig, chain = looking_chain()
    action = stored(rig)
    undo_step("stored")
    look(chain)
    before = pixels(rig, chain, action)
    turn_key(action)
    undo_step("changed")
    look(chain)
    assert differ(before, pixels(rig, chain, action)) > APART
    bpy.ops.ed.undo()
    rig = bpy.data.objects["Rig"]
    look(rig.limber.chains[0])
    assert differ(before, pixels(rig, rig.limber.chains[0], bpy.data.actions["Lean"])) == 0.0


def test_after_loading_a_file_its_postures_have_pictures(rig, chain, reopen):
    before = stored(rig)
    look(chain)
    seen = pixels(rig, chain, before)
    reopen()
    rig = bpy.data.objects["Rig"]
    chain = rig.limber.chains[0]
    look(chain)
    assert differ(seen, pixels(rig, chain, bpy.data.actions["Lean"])) == 0.0


def test_unregistering_frees_all_pictures(rig, chain):
    stored(rig)
    look(chain)
    limber.unregister()
    assert gallery._cache.previews is None
    assert not gallery._cache.known
    limber.register()


def test_a_chain_that_lacks_a_bone_has_no_picture_and_hurts_nobody(rig, chain):
    action = stored(rig)
    chain.end = "nose"
    look(chain)
    assert gallery.picture(rig, chain, action) is None
    assert not gallery.is_pending()


def test_a_deleted_pose_asset_is_told_in_the_list_of_pictures(rig, chain):
    bpy.data.actions.remove(stored(rig))
    look(chain)
    assert [choice[1] for choice in gallery.choices(chain, bpy.context)] == ["Deleted"]


def test_a_posture_chosen_by_its_picture_is_selected(rig, chain):
    for name in ("One", "Two", "Three"):
        stored(rig, name)
    assert chain.pictured_posture == "2"
    chain.pictured_posture = "0"
    assert chain.shown_posture == 0
    bpy.ops.limber.apply_posture()
    chain.shown_posture = 99
    assert chain.pictured_posture == "2"


# Blender's own pose library


def test_a_new_pose_asset_has_the_picture_for_blenders_pose_library_also_after_saving(rig, chain, reopen):
    action = stored(rig)
    look(chain)
    seen = pixels(rig, chain, action)
    assert not np.array_equal(seen, np.zeros_like(seen))
    reopen()
    kept = bpy.data.actions["Lean"].preview
    found = np.array(kept.image_pixels_float[:]).reshape(seen.shape)
    assert np.abs(found - seen).max() < 1 / 64, "a byte a colour"


def test_the_mirror_image_has_the_mirrored_picture(rig, chain):
    stored(rig, angles={**REST, "base": (0, 0.5, 0), "head": (0.3, 0.6, 0)})
    bpy.ops.limber.mirror_posture()
    assert chain.postures[1].action.preview is not None


def test_a_pose_asset_that_was_there_keeps_its_own_picture(rig, chain):
    from tests.blender.posing import own_pose

    own_pose(rig)
    make_active(rig)
    bpy.ops.limber.add_posture(name="Mine")
    look(chain)
    assert bpy.data.actions["Mine"].preview is None
