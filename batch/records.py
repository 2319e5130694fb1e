"""Records of a batch: a small file for each task with its outcome. A batch continues from these alone after
any interruption, on one machine or several.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..files import atomic
from ..files.plain import json_of
from .tasks import FileTask, digest

STARTED, FAILED = "started", "failed"


@dataclass
class TaskRecord:
    """Outcome of a task.

    Attributes:
        state: "started" while it is running, or "failed"; every other state means done.
        reason: Reason why it failed, why there was nothing to do, or why its result is flagged; "" for none.
        fingerprint: Digest of everything on which the result depends; see `Records.fingerprint`.
        output: SHA-256 of the written file; "" for none.
        facts: Further results, by name.
    """

    state: str
    reason: str = ""
    fingerprint: str = ""
    output: str = ""
    facts: dict[str, Any] = field(default_factory=dict)


class Records:
    """The records of a batch.

    Args:
        folder: Their folder.
        settings: Everything on which the results depend apart from their sources: options, version, digests
            of further files.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self.folder = folder
        self._settings = json.dumps(settings, sort_keys=True)

    def path(self, task: FileTask) -> Path:
        """Path of a task's record."""
        return self.folder / f"{task.name}.json"

    def fingerprint(self, task: FileTask) -> str:
        """Digest of a task's source and of the batch's settings."""
        return hashlib.sha256(f"{self._settings}\n{digest(task.source)}".encode()).hexdigest()

    def read(self, task: FileTask) -> TaskRecord | None:
        """The record of a task; None if the record is missing or damaged."""
        try:
            fields = json_of(self.path(task).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return _record(fields)

    def write(self, task: FileTask, record: TaskRecord) -> None:
        """Writes the record of a task; raises OSError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        atomic.write_text(self.path(task), json.dumps(asdict(record), indent=1) + "\n")

    def remove(self, task: FileTask) -> None:
        """Removes the record of a task; raises OSError."""
        self.path(task).unlink(missing_ok=True)

    def is_ended(self, task: FileTask) -> bool:
        """Whether a task has a result, successful or not."""
        record = self.read(task)
        return record is not None and record.state != STARTED

    def is_done(self, task: FileTask) -> bool:
        """Whether a task was done with this source and these settings, and its output is unchanged."""
        record = self.read(task)
        if record is None or record.state in (STARTED, FAILED):
            return False
        return record.fingerprint == self.fingerprint(task) and (
            not record.output or digest(task.output) == record.output
        )


def _record(fields: Any) -> TaskRecord | None:
    texts = ("state", "reason", "fingerprint", "output")
    if not isinstance(fields, dict) or not all(isinstance(fields.get(name), str) for name in texts):
        return None
    facts = fields.get("facts")
    return TaskRecord(*(fields[name] for name in texts), facts if isinstance(facts, dict) else {})
