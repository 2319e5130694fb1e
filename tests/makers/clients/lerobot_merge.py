"""Merges datasets with LeRobot's own program and prints its description of the result as JSON: run with
MERGED DATASET DATASET ...
"""

import json
import sys
from pathlib import Path

import light_datasets  # noqa: F401  # isort: skip
from lerobot.datasets import LeRobotDataset, aggregate_datasets

merged, *roots = map(Path, sys.argv[1:])
aggregate_datasets([f"limber/{root.name}" for root in roots], "limber/merged", roots=roots, aggr_root=merged)
meta = LeRobotDataset("limber/merged", root=merged).meta
action = meta.stats["action"]
print(
    json.dumps(
        {
            "episodes": meta.total_episodes,
            **{name: [float(one) for one in action[name]] for name in ("mean", "std", "max")},
        }
    )
)
