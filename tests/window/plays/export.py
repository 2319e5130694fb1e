"""Exports with the menu: the file browser with its options, then the frames with progress; once to the end,
once cancelled with Esc.
"""

import shutil
import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

import lamp

FOLDER = Path(__file__).resolve().parents[3] / "build" / "window" / "export"
MANY, FEW = 20_000, 40  # number of frames: too many to end before Esc is pressed; a few


def is_exporting(stage) -> bool:
    return any(operator.bl_idname == "LIMBER_OT_export_motion" for operator in stage.window.modal_operators)


def browser():
    """The window and the area of the file browser; None if there is none."""
    found = ((window, area) for window in bpy.context.window_manager.windows for area in window.screen.areas)
    return next(((window, area) for window, area in found if area.type == "FILE_BROWSER"), None)


def browse(stage, name: str):
    """Opens the browser, photographs it, and presses its button."""
    with stage.context():
        bpy.ops.limber.export_motion("INVOKE_DEFAULT", format="firmware")
    yield from stage.until(browser)
    yield 0.2
    window, area = browser()
    stage.photograph("export_browser")
    stage.facts.setdefault("proposed", area.spaces.active.params.filename)
    area.spaces.active.params.directory = str(FOLDER).encode()
    area.spaces.active.params.filename = name
    region = next(region for region in area.regions if region.type == "EXECUTE")
    with bpy.context.temp_override(window=window, area=area, region=region):
        bpy.ops.file.execute()


def play(stage):
    _, chain = lamp.build(stage)
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    stage.open_tab()
    with stage.context():
        bpy.ops.limber.live()
    yield 0.2

    chain.frame_start, chain.frame_end = 1, MANY
    yield from browse(stage, "long.h")
    yield from stage.until(lambda: is_exporting(stage) and bpy.context.scene.frame_current > 10)
    yield 0.2
    stage.photograph("exporting")
    stage.press("ESC")
    yield from stage.until(lambda: not is_exporting(stage))
    stage.facts["after_cancel"] = sorted(path.name for path in FOLDER.iterdir())
    stage.facts["frame_after_cancel"] = bpy.context.scene.frame_current

    chain.frame_end = FEW
    yield from browse(stage, "short.h")
    yield from stage.until(lambda: any(FOLDER.iterdir()) and not is_exporting(stage))
    stage.facts["after_export"] = sorted(path.name for path in FOLDER.iterdir())
    stage.facts["begins"] = (FOLDER / "short.h").read_text().splitlines()[:3]
    yield 0.2
