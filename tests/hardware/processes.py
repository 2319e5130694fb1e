"""Looking at processes that come and go."""

from pathlib import Path


def is_running(pid: int) -> bool:
    """Whether the process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # not there, or gone between the file's opening and its reading
        return False
