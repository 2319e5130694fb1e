"""Reads a move with Reachy Mini's own library, plays it on a daemon, and prints its values as JSON: run with
HOST PORT FOLDER NAME.
"""

import json
import sys

from reachy_mini import ReachyMini
from reachy_mini.motion import recorded_move

host, port, folder, name = sys.argv[1:5]
# a library of the Hub has the same files as this folder
recorded_move.snapshot_download = lambda *_, **__: folder
move = recorded_move.RecordedMoves("limber/motion").get(name)
with ReachyMini(
    host=host, port=int(port), automatic_body_yaw=False, media_backend="no_media", localhost_only=True
) as robot:
    robot.play_move(move, initial_goto_duration=0.5, sound=False)
rows = [move.evaluate(time) for time in move.timestamps[:-1]]
print(
    json.dumps(
        {
            "description": move.description,
            "sound": move.sound_path.name if move.sound_path else None,
            "duration": move.duration,
            "time": move.timestamps,
            "head": [head.tolist() for head, _, _ in rows],
            "antennas": [list(antennas) for _, antennas, _ in rows],
            "body_yaw": [yaw for _, _, yaw in rows],
        }
    )
)
