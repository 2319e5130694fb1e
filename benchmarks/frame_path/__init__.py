"""Lists the project's files and functions that run in one live frame, in both processes: `python -m
benchmarks.frame_path`.
"""
