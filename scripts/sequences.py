"""Runs random sequences of user actions in real Blenders: `python scripts/sequences.py [COUNT] [FIRST_SEED]`.

A seed gives the same sequences as long as the actions in tests/blender/sequences.py stay the same. Each
process has a seed and runs `PER_SEED` sequences. A sequence that fails is stored in build/sequences/ with its
steps, and is repeated first in the next run.
"""

import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "build" / "sequences"
PER_SEED = 50
KEPT_CHARACTERS = 40_000  # number of characters of the output that are kept: the last sequence and its error
LIMIT = 600.0  # [s] time limit for one seed, which takes about 40 s on an idle core


def play(seed: int, environment: str) -> tuple[int, str]:
    """Runs the sequences of one seed; returns the seed and "", the end of the output if one failed, or a
    sentence if they did not end.
    """
    variables = {
        "LIMBER_SEQUENCES": str(PER_SEED),
        "LIMBER_SEQUENCE_SEED": str(seed),
        "LIMBER_SEQUENCE_STEPS": "1",
    }
    variables |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    # unbuffered and uncaptured, so that the output of a Blender that crashes contains the steps before the
    # crash
    command = [
        str(ROOT / environment / "bin" / "python"),
        "-u",
        "-m",
        "pytest",
        "-q",
        "-s",
        "--no-header",
        "tests/blender/test_sequences.py",
    ]
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return seed, f"did not end within {LIMIT:.0f} s"
    return seed, "" if done.returncode == 0 else f"{done.stdout[-KEPT_CHARACTERS:]}\n{done.stderr}"


def failed_before() -> list[int]:
    return sorted(int(re.sub(r"\D", "", path.stem)) for path in KEPT.glob("seed-*.txt"))


def main(count: int, first: int, environment: str) -> int:
    KEPT.mkdir(parents=True, exist_ok=True)
    seeds = list(dict.fromkeys([*failed_before(), *range(first, first + -(-count // PER_SEED))]))
    began, failed = time.monotonic(), []
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for number, (seed, output) in enumerate(pool.map(lambda seed: play(seed, environment), seeds), 1):
            path = KEPT / f"seed-{seed}.txt"
            if output:
                failed.append(seed)
                path.write_text(output, encoding="utf-8")
            else:
                path.unlink(missing_ok=True)
            outcome = f"FAILED, see {path.relative_to(ROOT)}" if output else "passed"
            print(
                f"seed {seed}: {PER_SEED} sequences {outcome} ({number} of {len(seeds)},"
                f" {time.monotonic() - began:.0f} s)",
                flush=True,
            )
    print(
        f"{len(seeds) * PER_SEED} sequences, {len(failed)} of {len(seeds)} seeds"
        f" failed{': ' + str(failed) if failed else ''}"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    numbers = [int(argument) for argument in sys.argv[1:]]
    sys.exit(
        main(
            *(numbers + [1000, 0][len(numbers) :]), environment=os.environ.get("LIMBER_ENVIRONMENT", ".venv")
        )
    )
