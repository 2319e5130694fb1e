"""Random sequences of what users do, in real Blenders: `python scripts/sequences.py [COUNT] [FIRST_SEED]`.

A seed stands for the same sequences as long as the deeds of tests/blender/sequences.py stay the same. Each
process has a seed and plays `PER_SEED` sequences; what fails is kept in build/sequences/, with the steps that
led there, and played again first at the next run.
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
KEPT_CHARACTERS = 40_000  # of the output: the last sequence and what it raised
LIMIT = 600.0  # [s] for one seed: it takes about 40 s on an idle core


def play(seed: int, environment: str) -> tuple[int, str]:
    """Plays one seed; returns it, and the output where it failed."""
    variables = {
        "LIMBER_SEQUENCES": str(PER_SEED),
        "LIMBER_SEQUENCE_SEED": str(seed),
        "LIMBER_SEQUENCE_STEPS": "1",
    }
    variables |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    # unbuffered and uncaptured, so that a Blender that crashes leaves the steps that led there
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
