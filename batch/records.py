"""Records of a batch: a small file for each task, with what came of it. They are all that a batch needs to go
on after an end of any kind, on one machine or several.
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
    """What came of a task.

    Attributes:
        state: "started" while it is worked on; "failed"; any other: it is done.
        reason: Why it failed, or why there was nothing to do.
        fingerprint: Of all that the result depends on; see `Records.fingerprint`.
        output: SHA-256 of the file that was written; "" for none.
        facts: What else is known of it.
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
        settings: What the results depend on besides their sources: options, version, further files' digests.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self.folder = folder
        self._settings = json.dumps(settings, sort_keys=True)

    def path(self, task: FileTask) -> Path:
        return self.folder / f"{task.name}.json"

    def fingerprint(self, task: FileTask) -> str:
        """Digest of a task's source and of the batch's settings."""
        return hashlib.sha256(f"{self._settings}\n{digest(task.source)}".encode()).hexdigest()

    def read(self, task: FileTask) -> TaskRecord | None:
        """The record of a task; None: there is none, or it was damaged."""
        try:
            fields = json_of(self.path(task).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return _record(fields)

    def write(self, task: FileTask, record: TaskRecord) -> None:
        """Raises OSError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        atomic.write_text(self.path(task), json.dumps(asdict(record), indent=1) + "\n")

    def remove(self, task: FileTask) -> None:
        """Raises OSError."""
        self.path(task).unlink(missing_ok=True)

    def is_ended(self, task: FileTask) -> bool:
        """Whether a task has a result, good or bad."""
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
