"""The demo: Limber's main task without a window, with the installed extension: postures, a moving target,
live motion, the motion filter, streaming to the virtual robot, and a bake.

    main.py --out FOLDER                     a desk lamp with five joints, then a head on push rods
    main.py --out FOLDER --motion CLIP.bvh   a figure from a motion-capture clip
    main.py --out FOLDER --robot FILE.urdf   a robot from its file; --root, --end: links, if others than the
                                             default ones
    main.py --out FOLDER --robot NAME        a robot of the gallery: so101, so100, lelamp, open_duck_mini,
                                             reachy_mini
    main.py --out FOLDER --motion CLIP.bvh --robot FILE.urdf   that robot imitates the figure, and looks
    main.py --out FOLDER --solver NAME       another solver than the default one; --rival: the solver to
                                             compare it with

It writes pictures, a .blend and report.json to FOLDER; if something essential failed, it prints a sentence
and exits with 1. It needs a Python with a Blender module, and Limber installed in its profile
(BLENDER_USER_RESOURCES); `make demo` prepares both.
"""

import argparse
import contextlib
import importlib.util
import os
import subprocess
import sys
from dataclasses import dataclass
from math import degrees
from pathlib import Path
from time import perf_counter

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import beside  # noqa: E402
import bpy  # noqa: E402
import captured  # noqa: E402
import gallery  # noqa: E402
import imported  # noqa: E402
import installed  # noqa: E402
import lamp  # noqa: E402
import performance  # noqa: E402
import push_rods  # noqa: E402
import report  # noqa: E402
import studio  # noqa: E402
import walker  # noqa: E402
import without_blender  # noqa: E402
from folder import FolderError, prepare  # noqa: E402

BEGAN = perf_counter()


def say(sentence: str) -> None:
    print(f"demo: {perf_counter() - BEGAN:5.1f} s  {sentence}", flush=True)


@contextlib.contextmanager
def quietly():
    """Context manager that suppresses all output, since Blender prints its operators' reports, and a line
    for every rendered sample.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    saved_streams = {stream: os.dup(stream) for stream in (1, 2)}
    for stream in saved_streams:
        os.dup2(nowhere, stream)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for stream, copy in saved_streams.items():
            os.dup2(copy, stream)
            os.close(copy)
        os.close(nowhere)


@dataclass
class Cast:
    """The performers: the rig with its chain, ready to go live, and the frames to picture."""

    name: str
    title: str
    rig: bpy.types.Object
    chain: object
    frames: int
    rows: list[tuple[str, tuple[int, ...]]]  # rows of the contact sheet: (label, frames)
    # whether the contact sheet has a row of the same frames with the original animation
    compare: bool = False
    said: str = ""  # the import's report
    body: captured.Captured | None = None  # the robot whose whole body follows a clip; None if there is none


def cast_lamp() -> Cast:
    rig, chain = lamp.build()
    lamp.key_postures(rig, chain, lamp.CHANGES)
    return Cast(
        "lamp",
        "One lamp, three postures, one ball: what it says changes, what it looks at does not",
        rig,
        chain,
        lamp.FRAMES,
        lamp.PICTURED,
    )


def cast_walker(clip: Path) -> Cast:
    figure = walker.Walker(clip)
    figure.select()
    bpy.ops.limber.new_chain()
    chain = figure.rig.limber.chains[0]
    chain.target, chain.forward_axis, chain.up, chain.eye = figure.ball, figure.look, figure.up, walker.EYE
    chain.base, chain.roll = "RIG", "UPRIGHT"
    figure.set_servos(chain)
    title = f"{clip.stem}: the same motion, with the eyes on the ball"
    return Cast(
        clip.stem, title, figure.rig, chain, figure.frames, [("with Limber", figure.pictured())], compare=True
    )


def cast_robot(file: Path, root: str, end: str, solver: str) -> Cast:
    robot = imported.Imported(file, root, end, solver)
    title = f"{robot.rig.name}, from its file: three postures, one ball"
    return Cast(file.stem, title, robot.rig, robot.chain, imported.FRAMES, imported.PICTURED, said=robot.said)


def cast_gallery(name: str) -> Cast:
    robot = gallery.Gallery(name)
    title = f"{robot.rig.name}, from the gallery: three postures, one ball"
    sentence = f"'{robot.rig.name}' came with {len(robot.chain.postures)} postures and its servos"
    return Cast(name, title, robot.rig, robot.chain, imported.FRAMES, robot.pictured, said=sentence)


def cast_captured(clip: Path, file: Path, root: str, end: str, solver: str) -> Cast:
    robot = captured.Captured(clip, file, root, end, solver)
    title = f"{robot.rig.name} does what {clip.stem} did, with its eyes on the ball"
    rows = [("with Limber", robot.pictured())]
    return Cast(
        f"{clip.stem}_{file.stem}", title, robot.rig, robot.chain, robot.frames, rows, True, robot.said, robot
    )


def check(cast: Cast) -> None:
    """Prints what the Check button reports about the chain."""
    for finding in installed.module("rig.chains.check").check(bpy.context, cast.rig, cast.chain):
        say(f"Check: {finding.sentence}")


def picture(folder: Path, frames, label: str) -> dict[int, str]:
    """Renders frames of the scene in its current state; returns frame -> file, relative to the folder."""
    pictures = {}
    for number, frame in enumerate(frames, start=1):
        began = perf_counter()
        pictures[frame] = f"frames/{label}_{frame:04d}.png"
        with quietly():
            studio.render(frame, folder / pictures[frame])
        say(f"picture {number} of {len(frames)}: {label}, frame {frame}, in {perf_counter() - began:.1f} s")
    return pictures


@contextlib.contextmanager
def playing(cast: Cast, action, slot):
    """Context manager in which the rig plays `action`, in `slot` if that is not None; the previous action is
    assigned again at its end. If a body follows a clip, its retarget is live meanwhile.
    """
    animation = cast.rig.animation_data
    before = animation.action, getattr(animation, "action_slot", None)
    animation.action = action
    if slot is not None:
        animation.action_slot = slot
    about = {"limber_mover": cast.rig.limber.retarget}  # the operators act on the body, and not on the chain
    if cast.body:
        with bpy.context.temp_override(**about):
            bpy.ops.limber.live()
    yield
    if cast.body:
        with bpy.context.temp_override(**about):
            bpy.ops.limber.end_live()
    animation.action = before[0]
    if before[1] is not None:
        animation.action_slot = before[1]


def caption(frame: int, aim_error: float, solution) -> str:
    return (
        f"frame {frame}: aim {degrees(aim_error):.1f}, shape {degrees(solution.shape_deviation):.0f}"
        " degrees off"
    )


def rivals_row(folder: Path, cast: Cast, take, rival, name: str, original: tuple) -> dict:
    """Renders the row of pictures in which the rival differs most, with the rival's solution of each frame;
    returns its label and cells. `original` as for `contact_sheet`.
    """
    label, frames = beside.farthest(take, rival, cast.rows)
    session = installed.module("rig.live.live").session
    cells = []
    with playing(cast, *original), beside.live_with(cast.chain, name):
        pictures = picture(folder, frames, name)
        for frame, file in pictures.items():
            bpy.context.scene.frame_set(frame)
            solution = session(cast.rig, cast.chain).outputs.solution
            cells.append({"picture": file, "caption": caption(frame, solution.aim_error, solution)})
    return {"label": f"{label}, {rival.label}", "cells": cells}


def contact_sheet(folder: Path, cast: Cast, take, original: tuple) -> dict:
    """Renders the pictures of the contact sheet; returns its title, subtitle and rows. `original`:
    (action, slot) of the clip, for `playing`.
    """
    rows = []
    if cast.compare:
        with playing(cast, *original):
            pictures = picture(folder, cast.rows[0][1], "captured")
        rows.append(
            {
                "label": "as captured",
                "cells": [{"picture": file, "caption": f"frame {frame}"} for frame, file in pictures.items()],
            }
        )
    for label, frames in cast.rows:
        pictures = picture(folder, frames, label.lower().replace(" ", "_"))
        cells = []
        for frame, file in pictures.items():
            cells.append(
                {
                    "picture": file,
                    "caption": caption(frame, take.filtered_aim_error[frame - 1], take.solutions[frame - 1]),
                }
            )
        rows.append({"label": label, "cells": cells})
    subtitle = (
        f"{len(take.frames)} frames at {take.fps:g} a second, {len(take.joints)} joints: warped, filtered,"
        " streamed to a robot, baked. The ray shows where the head points."
    )
    return {"title": cast.title, "subtitle": subtitle, "rows": rows}


def draw(folder: Path) -> None:
    """Draws contact sheet and plot with a Python that has matplotlib: this one, or the development
    environment's.
    """
    python = sys.executable
    if importlib.util.find_spec("matplotlib") is None:
        python = str(HERE.parent / ".venv" / "bin" / "python")
    subprocess.run([python, str(HERE / "pictures.py"), str(folder)], check=True, stdout=subprocess.DEVNULL)


def cast_for(options: argparse.Namespace) -> Cast:
    if options.robot and options.motion:
        return cast_captured(
            options.motion.resolve(), options.robot.resolve(), options.root, options.end, options.solver
        )
    if options.robot and not options.robot.is_file() and gallery.known(options.robot.name):
        return cast_gallery(options.robot.name)
    if options.robot:
        return cast_robot(options.robot.resolve(), options.root, options.end, options.solver)
    return cast_walker(options.motion.resolve()) if options.motion else cast_lamp()


def run(options: argparse.Namespace) -> int:
    files, out, rival_name = (
        [file for file in (options.motion, options.robot) if file],
        options.out.resolve(),
        options.rival,
    )
    name = "_".join(file.stem for file in files)
    folder = out / name if name else out
    prepare(folder, f"{name or 'lamp'}.blend")
    package = installed.enable()
    say(f"Blender {bpy.app.version_string}, Limber installed in {Path(package.__file__).parent}")
    if (
        options.robot
        and not options.motion
        and gallery.known(options.robot.name)
        and gallery.has_closed_loops(options.robot.name)
    ):
        return told(
            push_rods.show(
                folder, say, quietly, draw, lambda: gallery.scene(options.robot.name, options.port)
            )
        )
    with quietly():
        cast = cast_for(options)
    cast.chain.solver = options.solver
    if cast.said:
        say(cast.said)
    say(
        f"chain '{cast.chain.name}' from '{cast.chain.root}' to '{cast.chain.end}' has"
        f" {len(cast.chain.joints)} joints"
    )
    check(cast)
    animation = cast.rig.animation_data or cast.rig.animation_data_create()
    original = animation.action, getattr(animation, "action_slot", None)
    followed = cast.body.figures() if cast.body else None
    if options.port:
        cast.rig.limber.device.port = options.port
    take = performance.perform(cast.rig, cast.chain, cast.frames, say)
    say(f"baking {cast.frames} frames")
    performance.bake(cast.rig, cast.chain, take)
    blend = folder / f"{cast.name}.blend"
    with quietly():
        bpy.context.scene.frame_set(1)
        bpy.ops.wm.save_as_mainfile(filepath=str(blend), compress=True)
    figures = report.measure(take)
    if followed:
        figures["body"] = followed
    rival = beside.solve(take, rival_name)
    figures["rival"] = {"label": rival.label} | rival.report()
    sheet = contact_sheet(folder, cast, take, original)
    sheet["rows"].append(rivals_row(folder, cast, take, rival, rival_name, original))
    frames = [cell["picture"] for row in sheet["rows"] for cell in row["cells"]]
    pictures = [str(folder / name) for name in ("contact_sheet.png", "plot.png", *frames)]
    figures |= {"blender": bpy.app.version_string, "pictures": pictures, "blend": str(blend)}
    report.save(folder, take, figures, sheet)
    draw(folder)
    print(report.table(figures), flush=True)
    short = report.shortcomings(figures)
    if not files:
        say("the lamp without Blender: a visitor comes, moves, is lost and returns")
        alone = folder / "without_blender"
        with quietly(), playing(cast, *original):
            without_blender.export(alone, cast.rig, cast.chain)
        short += without_blender.show(alone, cast.rig, cast.chain, say, quietly, draw)
        say("second scene: a head on push rods")
        short += push_rods.show(folder / "push_rods", say, quietly, draw)
    say(f"pictures, {blend.name} and report.json are in {folder}")
    return told(short)


def told(short: list[str]) -> int:
    """Prints the shortcomings; returns the exit code."""
    for sentence in short:
        print(f"demo: {sentence}", file=sys.stderr)
    return 1 if short else 0


def main() -> int:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument(
        "--out",
        type=Path,
        default=HERE.parent / "build" / "demo",
        help="folder for what the demo leaves (build/demo)",
    )
    ask.add_argument(
        "--motion",
        type=Path,
        help="a motion-capture clip (.bvh) instead of the lamp; with --robot: that robot follows it",
    )
    ask.add_argument(
        "--robot",
        type=Path,
        help="a robot's file (URDF, xacro, MJCF), or its name in the gallery, instead of the lamp",
    )
    ask.add_argument("--root", default="", help="the robot's root link (its file's own)")
    ask.add_argument(
        "--end",
        default="",
        help="the robot's link that looks (the one called head, else that which most motors move)",
    )
    ask.add_argument(
        "--port",
        default="",
        help="serial port of the robot that follows, with the servos of the scene (the virtual robot)",
    )
    ask.add_argument("--solver", default="expressive", help="the chain's solver (expressive)")
    ask.add_argument("--rival", default="erik", help="the solver that is shown beside it (erik)")
    options = ask.parse_args()
    try:
        return run(options)
    except (
        FolderError,
        performance.FailedError,
        installed.NotInstalledError,
        walker.ClipError,
        imported.RobotError,
    ) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # some Blender modules hang while the interpreter ends
