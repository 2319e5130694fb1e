"""Figures of the player without Blender, of a character file: ticks, start, memory, interruptions, damage.

python -m benchmarks.player FILE [--interruptions 1000] [--damages 8000]
"""

import argparse
import os
import random
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from limber.character.behaviour.ready import READY
from limber.character.file import archive, reading
from limber.character.file.contents import CharacterFile
from limber.character.file.errors import CharacterFileError
from limber.player.performance import Performance
from limber.player.playing import play
from limber.player.script import Event, Script, TargetPath

ROOT = Path(__file__).resolve().parents[1]
RATE = 60.0  # ticks a second
CALM_AFTER = 0.5  # [s] after an event in which the aim may be off
OFF = np.radians(0.1)  # [rad] error of the aim that counts
ROUNDING = 1e-9  # relative
START = "import limber.player.command as c, sys; sys.exit(c.main(['info', sys.argv[1]]))"


def ticks(character: CharacterFile, seconds: float = 30.0) -> list[float]:
    """Processor time [ms] of each tick: all chains, behaviour and gestures, a target that moves."""
    source = random.Random(2)
    performance = Performance(character)
    name = character.chains[0].ends[0].targets[0]
    base = np.array(character.targets[0].anchor.frame.at(0.0))
    spent = []
    for number in range(round(seconds * RATE)):
        place = base.copy()
        place[:3, 3] += 0.2 * np.array([np.sin(number / 40), np.cos(number / 63), np.sin(number / 27)])
        events = [source.choice(performance.performer.behaviour.events)] if number % 90 == 0 else []
        begun = time.process_time()
        performance.advance(number / 2.5, 1.0 / RATE if number else 0.0, {name: place.tolist()}, events)
        spent.append(1e3 * (time.process_time() - begun))
    return spent


def interrupted(character: CharacterFile, count: int) -> dict[str, float]:
    """Events, targets, influence, postures and states at random moments: what the limits and the aim say."""
    source = random.Random(5)
    seconds = 0.6 * count
    chain = character.chains[0]
    names = [target.name for target in character.targets]
    reach = chain.skeleton.reach
    centre = np.array(character.targets[0].anchor.frame.at(0.0))[:3, 3]
    times = np.arange(0.0, seconds, 2.0)
    paths = {
        name: TargetPath(
            times, np.array([[c + source.uniform(-1, 1) * reach for c in centre] for _ in times]), None
        )
        for name in [*names[:1], "Visitor"]
    }
    events = sorted(
        (_event(source, character, source.uniform(0.0, seconds), list(paths)) for _ in range(count)),
        key=lambda event: event.at,
    )
    out = play(character, Script(seconds, RATE, 7, tuple(paths.items()), tuple(events)))
    step = np.diff(out["commanded"], axis=0) * RATE
    exceeded = (np.abs(step) > out["velocity"] * (1.0 + ROUNDING)).sum() + (
        (out["commanded"] < out["lower"] - 1e-12) | (out["commanded"] > out["upper"] + 1e-12)
    ).sum()
    off = out["aim_error_desired"][:, 0] > OFF
    return {"limits exceeded": float(exceeded), "frames": float(len(off)), "aim off": float(off.mean())}


def _event(source: random.Random, character: CharacterFile, at: float, targets: list[str]) -> Event:
    chain = character.chains[0]
    kinds = ["target", "share"]
    kinds += ["posture", "weight"] if chain.postures else []
    kinds += ["event", "state"] if character.behaviour is not None else []
    kind = source.choice(kinds)
    if kind == "target":
        return Event(at, target=(chain.name, source.choice(targets)))
    if kind == "event":
        return Event(at, event=source.choice(character.behaviour.events))
    if kind == "state":
        return Event(at, state=source.choice(character.behaviour.states).name)
    if kind == "share":
        return Event(at, values=((f"influence/{chain.name}", 1.0),))
    posture = source.choice(chain.postures).name
    if kind == "posture":
        return Event(at, values=((f"posture/{chain.name}", posture),))
    return Event(at, values=((f"weight/{chain.name}/{posture}", source.random()),))


def damaged(path: Path, count: int) -> dict[str, int]:
    """Random damage to a file: how many were refused, read all the same, or raised something else."""
    data, source = path.read_bytes(), random.Random(3)
    outcomes = {"refused": 0, "read": 0, "escaped": 0}
    for _ in range(count):
        broken = bytearray(data)
        for _ in range(source.choice((1, 1, 2, 8))):
            at = source.randrange(len(broken))
            if source.random() < 0.5:
                broken[at] = source.randrange(256)
            else:
                del broken[at : at + source.randrange(1, 200)]
        try:
            reading.character_of(archive.unpacked(bytes(broken), path.name), path.name)
            outcomes["read"] += 1
        except CharacterFileError:
            outcomes["refused"] += 1
        except BaseException as error:
            outcomes["escaped"] += 1
            print(f"escaped: {error!r}")
    return outcomes


def start(path: Path) -> tuple[float, float]:
    """Wall time [s] and memory [MB] of a process that imports the player and reads a file."""
    loader = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); from checkout import load_limber; load_limber();"
    )
    begun = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-c", loader + START, str(path)], stdout=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    return time.perf_counter() - begun, usage.ru_maxrss / 1024.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--interruptions", type=int, default=1000)
    parser.add_argument("--damages", type=int, default=8000)
    parsed = parser.parse_args()
    character = reading.read(parsed.file)
    names = [posture.name for chain in character.chains for posture in chain.postures]
    behaving = replace(character, behaviour=READY["ATTENTIVE"](names))
    spent = ticks(behaving)
    print(
        f"tick: {np.percentile(spent, 50):.2f} ms p50, {np.percentile(spent, 99):.2f} ms p99 of a processor"
    )
    seconds, memory = start(parsed.file)
    print(f"start: {seconds:.2f} s, {memory:.0f} MB")
    for title, played in (("with behaviour", behaving), ("clip alone", character)):
        print(f"interruptions, {title}: {interrupted(played, parsed.interruptions)}")
    print(f"damaged files: {damaged(parsed.file, parsed.damages)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
