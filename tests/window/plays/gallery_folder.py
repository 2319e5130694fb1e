"""Adds a robot from a folder without one: the file browser's button, and Blender's report."""

import shutil
import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

from export import browser

FOLDER = Path(__file__).resolve().parents[3] / "build" / "window" / "no_robot"


def reports(stage) -> str:
    """All reports of Blender, as its Info Editor copies them."""
    area = stage.area()
    area.type = "INFO"
    region = next(region for region in area.regions if region.type == "WINDOW")
    with bpy.context.temp_override(window=stage.window, area=area, region=region):
        bpy.ops.info.select_all(action="SELECT")
        bpy.ops.info.report_copy()
    area.type = "VIEW_3D"
    return bpy.context.window_manager.clipboard


def play(stage):
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    stage.open_tab()
    before = len(bpy.data.objects)
    with stage.context():
        bpy.ops.limber.add_robot_folder("INVOKE_DEFAULT")
    yield from stage.until(browser)
    yield 0.2
    window, area = browser()
    area.spaces.active.params.directory = str(FOLDER).encode()
    region = next(region for region in area.regions if region.type == "EXECUTE")
    with bpy.context.temp_override(window=window, area=area, region=region):
        bpy.ops.file.execute()
    yield from stage.until(lambda: not browser() and not stage.window.modal_operators)
    stage.photograph("gallery_no_robot")
    stage.facts["added"] = len(bpy.data.objects) - before
    stage.facts["modal"] = [operator.bl_idname for operator in stage.window.modal_operators]
    stage.facts["said"] = reports(stage)
