"""Lists the project's files that run in one live frame: `python -m benchmarks.frame_path [--names] [--json
FILE] [--picture FILE]`.

The demo lamp plays; the virtual robot is connected and armed. One frame is traced from Blender's handler to
the bytes on the wire, in both processes, Blender and the hardware worker. Then a tick of the clock is traced,
which moves the lamp while nothing plays and the target is dragged. 24 frames and 24 ticks are traced; those
that ran the most files are shown. Time is simulated, so that the result is the same on a slow or busy
computer.

Crossings: how often one call stack leads from a host (Blender's code, or the player) into the engine, at
most. 1: the engine calls no host.
"""

import argparse
import json
import os
import sys
from pathlib import Path

import bpy

from . import lamp, played, report


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--names", action="store_true", help="functions, too")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep files, functions and counts there")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw the frame there (.png or .svg)")
    options = parser.parse_args()
    frame, tick = lamp.trace()
    play = played.trace()
    print(
        f"Blender {bpy.app.version_string}: frame {frame.number} of the demo lamp, files in the order of"
        " their first calls\n"
    )
    print("\n".join(report.lines(frame, options.names)))
    print(f"\nTick {tick.number} of the clock while the target is dragged: {len(tick.files)} files")
    for title, files, others in (
        ("only in the tick", tick.files, frame.files),
        ("only in the frame", frame.files, tick.files),
    ):
        print(f"  {title}: {', '.join(file for file in files if file not in others) or 'none'}")
    print("\nCrossings from a host into the engine")
    for title, path in (("the frame", frame), ("the tick", tick), ("a tick of the player", play)):
        print(f"  {title:24} {path.crossings}")
    if options.json:
        options.json.write_text(
            json.dumps(
                {
                    "frame": report.record(frame),
                    "tick": report.record(tick),
                    "player": report.crossings(play),
                },
                indent=1,
            )
            + "\n",
            encoding="utf-8",
        )
    if options.picture:
        from .picture import draw  # imported here, since not every environment has matplotlib

        draw(report.functions(frame.blender), report.functions(frame.worker), options.picture)
    sys.stdout.flush()
    os._exit(0)  # a Blender module may hang while the interpreter ends


if __name__ == "__main__":
    main()
