"""Runs all long measurements one after another: `python -m benchmarks.soak [--seconds SECONDS]`.

They are a long stream, the worker's lateness compared with an empty loop, repeated Stops, the real firmware
and simulated servos on real ports, random faults, and a character that plays without Blender. If one of them
fails, the others still run; failures are repeated at the end, with exit status 1.
"""

import argparse
import subprocess
import sys
import time

MINUTE = 60.0  # [s] longest duration of the firmware's streams, and of the measurement of lateness
STOPS = 30  # number of times that Stop is pressed
PLAYED = 24.0  # simulated seconds of the player per second of the long stream: a day for an hour of stream


def commands(seconds: float) -> dict[str, list[str]]:
    """Title of each measurement -> the module that runs it, and its arguments."""
    return {
        f"A stream of {seconds:.0f} s": ["benchmarks.link", "--soak", f"{seconds:g}"],
        "Hand-over, and lateness beside a busy Blender": [
            "benchmarks.link",
            "--seconds",
            f"{min(seconds, MINUTE):g}",
        ],
        "Stop": ["benchmarks.link", "--stop", str(STOPS)],
        "Firmware and servos behind real ports": [
            "benchmarks.link",
            "--figures",
            "--seconds",
            f"{min(seconds, MINUTE):g}",
        ],
        f"Random faults, {seconds:.0f} s of simulated time with each robot": [
            "tests.hardware.faults.soak",
            "--seconds",
            f"{seconds:g}",
        ],
        f"A character without Blender, {PLAYED * seconds / 3600.0:.1f} h of simulated time": [
            "benchmarks.player.soak",
            "--seconds",
            f"{PLAYED * seconds:g}",
        ],
    }


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument(
        "--seconds",
        type=float,
        default=600.0,
        help="of the long stream and of the random faults; of others a minute at most",
    )
    seconds = ask.parse_args().seconds
    missed = []
    for what, arguments in commands(seconds).items():
        print(f"\n{what}", flush=True)
        began = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", *arguments], stderr=subprocess.PIPE, text=True, check=False
        )
        print(f"(took {time.perf_counter() - began:.0f} s)", flush=True)
        if done.returncode:
            missed.append(f"{what}: {(done.stderr.strip().splitlines() or ['see above'])[-1]}")
    print("\nAll figures are reached" if not missed else "\nMissed:\n  " + "\n  ".join(missed))
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
