"""What LeRobot's own dataset reads, as JSON, and its own `lerobot-replay` of it on a port: run with PORT FOLDER DATASET.

FOLDER has arm.json, the calibration. PyTorch and PyAV, which read images, are stood in for: numbers are numpy arrays.
"""

import builtins
import json
import sys

import light
import numpy

light.ABSENT = (*light.ABSENT, "av", "safetensors", "torchcodec")
import patience  # noqa: F401, E402  # isort: skip
import torch  # noqa: E402
from lerobot.utils import import_utils  # noqa: E402

torch.tensor = numpy.asarray
import_utils._require_package_cache.update(dict.fromkeys(("av", "torch"), True))
from lerobot.datasets import LeRobotDataset  # noqa: E402
from lerobot.scripts import lerobot_replay  # noqa: E402

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
