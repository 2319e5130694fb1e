"""Reads the Parquet tables of a LeRobot dataset with pyarrow: run with DATASET; prints as JSON the columns of
each table, by its path in the dataset.
"""

import json
import sys
from pathlib import Path

import pyarrow.parquet as pq

root = Path(sys.argv[1])
tables = {
    path.relative_to(root).as_posix(): pq.read_table(path).to_pydict() for path in root.rglob("*.parquet")
}
print(json.dumps(tables))
