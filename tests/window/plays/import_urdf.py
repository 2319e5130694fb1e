"""Drops a robot's file into the 3D view, confirms its options, undoes and redoes the import; then imports
with the file browser.
"""

from pathlib import Path

import bpy

FILE = Path(__file__).resolve().parents[3] / "build" / "window" / "arm.urdf"
# position in a dialog, which opens in the window's corner, where the mouse has not been yet
IN_DIALOG = (150, 100)
ARM = """<robot name="arm">
  <link name="base"><visual><geometry><box size="0.3 0.3 0.1"/></geometry></visual></link><link name="upper"/>
  <link name="head"><visual><geometry><sphere radius="0.1"/></geometry></visual></link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.2"/><axis xyz="0 0 1"/></joint>
  <joint name="nod" type="revolute"><parent link="upper"/><child link="head"/><origin xyz="0 0 0.6"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1"/></joint>
</robot>"""


def play(stage):
    stage.open_tab()
    yield 0.2
    bpy.ops.ed.undo_push(message="before")
    FILE.write_text(ARM, encoding="utf-8")
    stage.move(IN_DIALOG)
    with stage.context():
        bpy.ops.limber.import_robot("INVOKE_DEFAULT", filepath=str(FILE))
    yield 0.2
    stage.photograph("import_urdf_options")
    stage.facts["before"] = everything()
    view = stage.area().spaces.active.region_3d
    before = view.view_distance
    stage.press("RET", IN_DIALOG)
    yield from stage.until(
        lambda: "arm" in bpy.data.objects and view.view_distance != before
    )  # the view frames the robot last
    stage.facts["distance"] = view.view_distance
    stage.facts["imported"] = sorted(thing.name for thing in bpy.data.objects)
    yield 0.2
    stage.photograph("import_urdf")
    with stage.context():
        bpy.ops.ed.undo()
    stage.facts["undone"] = everything()
    with stage.context():
        bpy.ops.ed.redo()
    stage.facts["redone"] = sorted(thing.name for thing in bpy.data.objects)
    view.view_distance = 40.0
    with stage.context("OUTLINER"):  # as from the File menu, which belongs to no viewport
        bpy.ops.limber.import_robot("INVOKE_DEFAULT")
    yield from stage.until(browser)
    yield 0.2
    stage.photograph("import_urdf_browser")
    window, area = browser()
    area.spaces.active.params.directory = str(FILE.parent).encode()
    area.spaces.active.params.filename = FILE.name
    region = next(region for region in area.regions if region.type == "EXECUTE")
    with bpy.context.temp_override(window=window, area=area, region=region):
        bpy.ops.file.execute()
    yield from stage.until(lambda: "arm.001" in bpy.data.objects and view.view_distance < 39.0)
    yield 0.2
    stage.facts["distance_after_browser"] = view.view_distance


def browser():
    """The window and the area of the file browser; None if there is none."""
    found = ((window, area) for window in bpy.context.window_manager.windows for area in window.screen.areas)
    return next(((window, area) for window, area in found if area.type == "FILE_BROWSER"), None)


def everything() -> list[str]:
    return sorted(
        thing.name
        for kind in ("objects", "armatures", "meshes", "collections")
        for thing in getattr(bpy.data, kind)
    )
