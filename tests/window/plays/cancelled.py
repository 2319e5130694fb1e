"""Opens the dialog or the file browser of every operator that asks before it works, and closes it by
Cancel.
"""

import contextlib
import importlib.util
import io
from pathlib import Path

import bpy

RIGS = Path(__file__).resolve().parents[2] / "blender" / "rigs.py"
# position in a dialog, which opens in the window's corner, where the mouse has not been yet
IN_DIALOG = (150, 100)


def play(stage):
    spec = importlib.util.spec_from_file_location("rigs", RIGS)
    rigs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(rigs)
    with stage.context():
        _, chain = rigs.looking_chain()
        for number, joint in enumerate(chain.joints):
            joint.servo = number
        bpy.ops.object.mode_set(mode="OBJECT")  # robots are added in this mode
    stage.move(IN_DIALOG)
    stage.facts["asked"], stage.facts["printed"] = {}, {}
    for name in asking(stage):
        printed = io.StringIO()
        with contextlib.redirect_stderr(printed), contextlib.redirect_stdout(printed):
            with stage.context():
                getattr(bpy.ops.limber, name)("INVOKE_DEFAULT")
            yield 0.2
            stage.facts["asked"][name] = "FILE_BROWSER" if browsers() else "dialog"
            yield from leave(stage)
        stage.facts["printed"][name] = printed.getvalue()
    stage.facts["left"] = [operator.bl_idname for operator in stage.window.modal_operators]


def asking(stage) -> list[str]:
    """Operators that open the file browser, or that work step by step and ask for settings first."""
    browsing, stepwise = stage.part("operators.files").ReadsFile, stage.part("operators.stepwise").Stepwise
    return [
        cls.bl_idname.removeprefix("limber.")
        for cls in stage.part("registration").classes()
        if issubclass(cls, browsing) or (issubclass(cls, stepwise) and cls.settings)
        if getattr(bpy.ops.limber, cls.bl_idname.removeprefix("limber.")).poll()
    ]


def browsers() -> list:
    return [
        (window, area)
        for window in bpy.context.window_manager.windows
        for area in window.screen.areas
        if area.type == "FILE_BROWSER"
    ]


def leave(stage):
    """Cancels the open dialog or file browser."""
    for window, area in browsers():
        region = next(region for region in area.regions if region.type == "EXECUTE")
        with bpy.context.temp_override(window=window, area=area, region=region):
            bpy.ops.file.cancel()
    if not browsers():
        stage.press("ESC", IN_DIALOG)
    yield from stage.until(lambda: not browsers())
    yield 0.2
