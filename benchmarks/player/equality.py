"""How far the player's motion is from Blender's own, live and baked, of the same scene.

    python -m benchmarks.player.equality [CASE ...] [--seconds 60]

Each case is made in a Blender of its own: targets move all the time, motions repeat. Printed are the largest
differences of all joints after the motion filter, before the single precision of keys [rad, m], and how much
the joints moved.
"""

import argparse
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
EVERY = 1.5  # [s] time between two keys of a target
FAR = 1000  # frames before the first one, from which live motion starts anew
AROUND = 0.4  # [m] size of the box within which a target of a chain moves
# [m] size of the box for targets of a mechanism's goals, whose motors reach little farther
AROUND_MECHANISM = 0.02
TURN = 0.3  # [rad] largest rotation of a target about each axis


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", nargs="*", help=", ".join(CASES))
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    parsed = parser.parse_args()
    if unknown := set(parsed.cases) - set(CASES):
        parser.error(f"there is no case {', '.join(sorted(unknown))}: there is {', '.join(CASES)}")
    if parsed.here:
        print(_started(parsed.cases[0], parsed.seconds))
        return
    for name in parsed.cases or CASES:
        command = [sys.executable, "-m", __spec__.name, name, "--seconds", str(parsed.seconds), "--here"]
        done = subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True)
        print(f"{name}: {done.stdout.splitlines()[-1]}", flush=True)


def _started(case: str, seconds: float) -> str:
    """As `compared`, in a Blender that has just been started."""
    import bpy
    import limber

    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.preferences.addons.new().module = limber.__package__
    limber.register()
    return compared(case, seconds)


def compared(case: str, seconds: float) -> str:
    """Plays a case live, baked, and by the player, in an empty file of a Blender with Limber enabled; returns
    the differences as text.
    """
    import bpy

    scene = bpy.context.scene
    CASES[case]()
    scene.frame_start, scene.frame_end = 1, 1 + round(seconds * scene.render.fps / scene.render.fps_base)
    source = random.Random(1)
    for target, size in _targets(scene):
        _move(target, size, scene, source)
    return _differences(scene)


def _differences(scene) -> str:
    from limber.character.file import reading, writing
    from limber.player.playing import play
    from limber.player.script import Script
    from limber.rig.output.character_file import CharacterExport

    work = CharacterExport(scene, "Character", "NONE")
    while work.step():
        pass
    character = work.finish()
    movers = {reader.name: reader.mover for reader in work.chains.values()}
    movers = [movers[chain.name] for chain in character.chains]
    movers += [reader.mover for reader in (*work.mechanisms, *work.bodies)]
    with tempfile.TemporaryDirectory() as folder:
        writing.write(Path(folder) / "Character.limber", character)
        character = reading.read(Path(folder) / "Character.limber")
    rate = 1.0 / character.rate.seconds_a_frame
    player = play(character, Script((character.frames - 1) / rate, rate))["commanded"]
    blender = {"bake": np.array([*_baked(scene, movers, character)])}
    blender["live"] = np.array([*_live(scene, movers, character)])
    apart = ", ".join(f"{name} {np.abs(rows - player).max():.3g}" for name, rows in blender.items())
    return (
        f"{apart} (largest difference of {character.frames} frames of {player.shape[1]} joints, which moved by"
        f" up to {np.ptp(player, axis=0).max():.2f})"
    )


def _baked(scene, movers: list, character) -> Iterator[np.ndarray]:
    """Values (n,) of all joints in each frame of a bake, before they become keys."""
    from limber.rig.output.bake import Bake

    work = Bake(scene, [tuple(mover) for mover in movers], scene.frame_start, scene.frame_end)
    more = True
    while more:
        more = work.step()
        yield _values(movers, lambda mover: work.stage.session(*mover), character)
    work.cancel()


def _live(scene, movers: list, character) -> Iterator[np.ndarray]:
    """Values (n,) of all joints in each frame while live plays the scene."""
    from limber.rig.live import live

    scene.frame_set(scene.frame_end)  # no figure may depend on the frame in which live motion begins
    for mover in movers:
        if not mover.is_live:
            live.start(*mover)
    scene.frame_set(scene.frame_start - FAR)
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        yield _values(movers, lambda mover: live.session(*mover), character)


def _values(movers: list, session_of: Callable, character) -> np.ndarray:
    """Values (n,) of all joints at the last tick, in the order of the file."""
    from limber.character.file.bodies import body_values

    outputs = [session_of(mover).outputs for mover in movers]
    chains, mechanisms = len(character.chains), len(character.mechanisms)
    values = [each.angles for each in outputs[:chains]]
    values += [each.values for each in outputs[chains : chains + mechanisms]]
    values += [
        body_values(each.state)[character.columns(body)]
        for each, body in zip(outputs[chains + mechanisms :], character.bodies, strict=True)
    ]
    return np.concatenate([np.asarray(each, float) for each in values])


def _targets(scene) -> list[tuple]:
    """Objects (no bones) that the scene's movers follow, each with the size [m] of the box within which it
    will move.
    """
    from limber.rig.live.movers import movers_of

    targets = {}
    for mover in (mover for obj in scene.objects for mover in movers_of(obj)):
        goals = [(goal, AROUND_MECHANISM) for goal in getattr(mover.settings, "goals", ())]
        for holder, size in ((mover.settings, AROUND), *goals):
            target = getattr(holder, "target", None)
            if target is not None and not holder.target_bone:
                targets[target.name] = target, size
    return list(targets.values())


def _move(target, size: float, scene, source: random.Random) -> None:
    """Keys a random path and random rotations around where a target is."""
    step = round(EVERY * scene.render.fps)
    target.animation_data_clear()
    target.rotation_mode = "XYZ"
    centre, rotation = target.location.copy(), target.rotation_euler.copy()
    for frame in range(scene.frame_start, scene.frame_end + step, step):
        target.location = [c + size * source.uniform(-0.5, 0.5) for c in centre]
        target.rotation_euler = [angle + source.uniform(-TURN, TURN) for angle in rotation]
        for channel in ("location", "rotation_euler"):
            target.keyframe_insert(channel, frame=frame)


def _lamp() -> None:
    import bpy

    bpy.ops.limber.add_demo_lamp()
    bpy.context.active_object.limber.chains[0].life.amount = 1.0


def _eyes_head_torso() -> None:
    import bpy

    from tests.blender.characters import character
    from tests.blender.rigs import select

    rig = character()
    select(rig, "head")
    bpy.ops.limber.eyes_head_torso()


def _neck() -> None:
    import bpy

    bpy.ops.limber.add_mechanism(kind="neck")


def _robot(name: str) -> Callable[[], None]:
    def make() -> None:
        import bpy

        bpy.ops.limber.add_robot(robot=name)

    return make


def _body() -> None:
    from limber.rig.blender.actions import fcurves

    from tests.blender.following import follower

    _, source = follower()
    for curve in fcurves(source.animation_data.action):
        curve.modifiers.new("CYCLES")


CASES: dict[str, Callable[[], None]] = {
    "lamp": _lamp,
    "torso, head and eyes": _eyes_head_torso,
    "push-rod neck": _neck,
    "SO-101": _robot("so101"),
    "Reachy Mini": _robot("reachy_mini"),
    "body": _body,
}


if __name__ == "__main__":
    main()
