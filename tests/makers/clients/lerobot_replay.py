"""Prints as JSON the values that LeRobot's own class reads from a dataset, and replays it with
`lerobot-replay` on a port: run with PORT FOLDER DATASET.

FOLDER has arm.json, the calibration.
"""

import builtins
import json
import sys

import light_datasets  # noqa: F401  # isort: skip
import patience  # noqa: F401  # isort: skip
from lerobot.datasets import LeRobotDataset
from lerobot.scripts import lerobot_replay

port, folder, root = sys.argv[1:4]
builtins.input = lambda *_: ""  # ENTER: use the calibration file
dataset = LeRobotDataset("limber/motion", root=root, episodes=[0])
rows = dataset.select_columns("action")
told = {
    "fps": dataset.fps,
    "names": dataset.features["action"]["names"],
    "task": dataset.meta.tasks.index[0],
    "action": [[float(value) for value in rows[k]["action"]] for k in range(dataset.num_frames)],
}
sys.argv[1:] = [
    "--robot.type=so101_follower",
    f"--robot.port={port}",
    "--robot.id=arm",
    f"--robot.calibration_dir={folder}",
    "--robot.use_degrees=true",
    "--robot.disable_torque_on_disconnect=false",
    "--dataset.repo_id=limber/motion",
    f"--dataset.root={root}",
    "--dataset.episode=0",
    "--play_sounds=false",
]
lerobot_replay.main()
print(json.dumps(told))
