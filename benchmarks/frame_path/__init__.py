"""Which files and functions of the project run in one live frame, in both processes: `python -m
benchmarks.frame_path`.
"""
