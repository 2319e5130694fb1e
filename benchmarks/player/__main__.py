"""Measures the player without Blender: ticks, start, memory, interruptions, damaged files.

    python -m benchmarks.player [FILE] [--seconds 30] [--interruptions 1000] [--damages 8000] [--seed 3]

FILE is a character file; without one, the demo lamp is exported and used.
"""

from limber.character.file import reading

from .caches import walked
from .damage import damaged
from .interruptions import interrupted
from .lamp import exported, layered, parser_of
from .starting import started
from .ticks import RATE, measured

PLAYED = 5.0  # [s] playing time after which memory is measured
STARTS = 3  # number of starts, of which the fastest is used


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--seconds", type=float, default=30.0, help="of the ticks")
    parser.add_argument("--interruptions", type=int, default=1000)
    parser.add_argument("--damages", type=int, default=8000)
    parser.add_argument("--seed", type=int, default=3, help="of the damage")
    parsed = parser.parse_args()
    path = exported(parsed.file)
    character = reading.read(path)
    behaving = layered(character)
    if parsed.seconds:
        for pace, is_simulated in (("one after the other", True), ("in real time", False)):
            for title, has_page in (("no page", False), ("a page that a browser shows", True)):
                ticks = measured(behaving, path, parsed.seconds, has_page, is_simulated)
                print(f"Ticks {pace}, {title}: {ticks}", flush=True)
        print(f"A loop without the player: {walked(1.0 / RATE)}", flush=True)
        print(f"Start to the first tick: {min(started(path) for _ in range(STARTS))}", flush=True)
        print(f"Played {PLAYED:g} s with a page: {started(path, PLAYED, '--page', '0')}", flush=True)
    if parsed.interruptions:
        for title, played in (("with behaviour", behaving), ("clip alone", character)):
            print(f"Interruptions, {title}: {interrupted(played, parsed.interruptions)}", flush=True)
    if parsed.damages:
        print(f"Damaged files: {damaged(path, parsed.damages, parsed.seed)}", flush=True)


if __name__ == "__main__":
    main()
