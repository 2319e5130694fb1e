"""Reads items of a dataset with LeRobot's own class: run with DATASET EPISODE; prints as JSON its description
of the whole dataset and of this episode alone, each with all its items.
"""

import json
import sys

import light_datasets  # noqa: F401  # isort: skip
import numpy as np
from lerobot.datasets import LeRobotDataset

root, episode = sys.argv[1:]


def described(**options) -> dict:
    dataset = LeRobotDataset("limber/episodes", root=root, **options)
    items = [dataset[k] for k in range(len(dataset))]
    return {
        "episodes": dataset.num_episodes,
        "frames": dataset.num_frames,
        "fps": dataset.fps,
        "items": [{name: np.asarray(value).tolist() for name, value in item.items()} for item in items],
    }


print(json.dumps({"whole": described(), "chosen": described(episodes=[int(episode)])}))
