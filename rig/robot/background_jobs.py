"""Background jobs of this session: scans, changes of a servo's ID or baud rate, and descriptions of users'
protocol files. Nothing is saved.

Each job runs in a separate process. Blender's timer calls `look`, which receives their progress.
"""

from dataclasses import dataclass, field, replace

from ...hardware.background_job import BackgroundJob
from ...hardware.describe import describe
from ...hardware.job_events import Described, Ended, Found, JobProgress, Remark
from ...hardware.protocols.settings import DEFAULT, ProtocolSettings
from ...hardware.protocols.table import BUILT_IN, FILE
from . import programs

# [s] time without a message after which a job counts as failed: a Bluetooth port opens in 10 s
PATIENCE = 20.0
MOST_REMARKS = 6  # number of remarks beyond which a job's further ones are dropped


@dataclass
class RunningJob:
    """A background job and its results so far.

    Attributes:
        job: The process, and its messages.
        before: For a change of a servo: its port, baud rate and ID before the change; else None.
        share: Progress, 0 to 1.
        says: Text about the current step or, after the end, about the result.
        failed: Whether the job has failed.
        found: Servos that a scan has found so far, or the servo that was changed.
        remarks: The job's remarks for the user, at most `MOST_REMARKS`.
    """

    job: BackgroundJob
    before: tuple | None = None
    share: float = 0.0
    says: str = "Starting"
    failed: bool = False
    found: list[Found] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    @property
    def over(self) -> bool:
        """Whether the job has ended."""
        return self.job.over

    def hear(self) -> bool:
        """Receives the job's messages, by which it updates the results; returns whether there were any."""
        events = self.job.events()
        for item in events:
            match item:
                case JobProgress(done, total, text):
                    self.share, self.says = done / max(total, 1), text
                case Found():
                    self.found = [*(other for other in self.found if _address(other) != _address(item)), item]
                case Remark(text) if text not in self.remarks and len(self.remarks) < MOST_REMARKS:
                    self.remarks.append(text)
                case Described():
                    _described[item.protocol] = item
                case Ended(text, failed):
                    self.says, self.failed, self.share = failed or text, bool(failed), 1.0
        return bool(events)


def _address(found_servo: Found) -> tuple:
    """Port, baud rate and ID of a servo, by which it is addressed."""
    return found_servo.port, found_servo.baudrate, found_servo.servo


_scan: RunningJob | None = None
_change: RunningJob | None = None
_file_jobs: dict[str, RunningJob] = {}  # jobs that describe users' protocol files, by the protocols' names
_described: dict[str, Described] = {}  # their results, by the same names


def scan() -> RunningJob | None:
    """The newest scan; None if none was started."""
    return _scan


def change() -> RunningJob | None:
    """The newest change of a servo's ID or baud rate; None if none was started."""
    return _change


def busy_ports() -> bool:
    """Whether a job is using ports."""
    return any(running is not None and not running.over for running in (_scan, _change))


def start_scan(
    port: str | None, without: set[str], protocols: list[str], baudrates: list[int], lowest: int, highest: int
) -> RunningJob:
    """Starts a scan of a port (None: all ports except those in `without`) with these protocols and baud rates
    [bit/s], for servo IDs from `lowest` to `highest`. A running scan is cancelled, and earlier results are
    discarded.

    Raises:
        WorkerError: the process cannot be started.
    """
    global _scan
    cancel()
    where = {"ports": None if port is None else [port], "without": sorted(without)}
    _scan = RunningJob(
        BackgroundJob(
            "scan",
            {**where, "protocols": protocols, "baudrates": baudrates, "lowest": lowest, "highest": highest},
            PATIENCE,
        )
    )
    return _scan


def start_change(port: str, protocol: str, baudrate: int, servo: int, **new: int) -> RunningJob:
    """Starts to set a new ID (`new_servo`) or baud rate (`new_baudrate` [bit/s]) on a servo.

    Raises:
        WorkerError: the process cannot be started.
    """
    global _change
    arguments = {"port": port, "protocol": protocol, "baudrate": baudrate, "servo": servo, **new}
    _change = RunningJob(BackgroundJob("change", arguments, PATIENCE), (port, baudrate, servo))
    return _change


def description(protocol: str, settings: ProtocolSettings = DEFAULT) -> tuple[Described | None, str]:
    """(capabilities of a protocol, ""), or (None, why they are not known, as a sentence): for example, its
    file is still being read. `settings` count only for a built-in protocol.
    """
    if protocol in BUILT_IN:
        return describe(protocol, settings), ""
    if protocol in _described:
        return _described[protocol], ""
    running = _file_jobs.get(protocol)
    if running is None:
        return None, "Choose your file and press Read File"
    return None, running.says if running.over else "Reading the file"


def read_file(protocol: str) -> None:
    """Starts a background job that describes a user's protocol file, again if it was described before.

    Raises:
        ProtocolError: no file is chosen, it cannot be read, or the user has not allowed it to run.
        WorkerError: the process cannot be started.
    """
    digest = programs.require(protocol.removeprefix(FILE))
    _described.pop(protocol, None)
    if protocol in _file_jobs:
        _file_jobs[protocol].job.cancel()
    _file_jobs[protocol] = RunningJob(
        BackgroundJob("describe", {"protocol": protocol, "program": digest}, PATIENCE)
    )


def look() -> bool:
    """Receives the messages of all jobs, and writes a servo's new ID and baud rate to the scan's results;
    returns whether there were any messages.
    """
    running_jobs = [running for running in (_scan, _change, *_file_jobs.values()) if running is not None]
    have_events = [running.hear() for running in running_jobs]
    _update_changed_servo()
    return any(have_events)


def are_going() -> bool:
    """Whether any job is running."""
    return any(running is not None and not running.over for running in (_scan, _change, *_file_jobs.values()))


def cancel() -> None:
    """Cancels the scan."""
    if _scan is not None:
        _scan.job.cancel()
        _scan.hear()


def end_all() -> None:
    """Ends all jobs and forgets their results, before Limber is disabled or another file is loaded."""
    global _scan, _change
    for running in (_scan, _change, *_file_jobs.values()):
        if running is not None:
            running.job.cancel()
    _scan = _change = None
    _file_jobs.clear()
    _described.clear()


def _update_changed_servo() -> None:
    """Writes the new ID and baud rate of a changed servo to the results of the scan."""
    if _scan is None or _change is None or not _change.found:
        return
    (new,) = _change.found
    for k, old in enumerate(_scan.found):
        if _address(old) == _change.before:
            _scan.found[k] = replace(old, servo=new.servo, baudrate=new.baudrate)
