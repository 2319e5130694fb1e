"""Reads a table of a dataset with the library with which LeRobot writes it: run with FILE KIND; prints its
numbers as JSON.
"""

import json
import math
import sys

import pyarrow as pa
import pyarrow.parquet as pq

KINDS = {
    "as lerobot": {"compression": "snappy", "use_dictionary": True},
    "plain": {"compression": "none", "use_dictionary": False},
    "zstd": {"compression": "zstd", "use_dictionary": True},
    "gzip": {"compression": "gzip", "use_dictionary": ["episode_index"]},
    "second version": {"compression": "snappy", "use_dictionary": True, "data_page_version": "2.0"},
    "one group": {
        "compression": "snappy",
        "use_dictionary": True,
        "data_page_size": 2000,
        "dictionary_pagesize_limit": 3000,
    },
}
path, kind = sys.argv[1:]
lengths = (120, 77, 300)
rows = [(episode, k) for episode, length in enumerate(lengths) for k in range(length)]
actions = [[round(10 * math.sin(k / 8 + j), 1 + episode) for j in range(6)] for episode, k in rows]
table = pa.table(
    {
        "action": pa.array(actions, pa.list_(pa.float32(), 6)),
        "timestamp": pa.array([k / 30 for _, k in rows], pa.float32()),
        "episode_index": pa.array([episode for episode, _ in rows], pa.int64()),
        "task": pa.array(["look at the ball"] * len(rows)),
    }
)
with pq.ParquetWriter(path, table.schema, **KINDS[kind]) as writer:
    start = 0
    for length in (sum(lengths),) if kind == "one group" else lengths:
        writer.write_table(table.slice(start, length))
        start += length
print(json.dumps({name: table[name].to_pylist() for name in ("action", "timestamp", "episode_index")}))
