"""Texts for users on why a file cannot be read or written, and on how a process ended."""

import signal


def reason(error: OSError | UnicodeDecodeError) -> str:
    """Text of an error of reading or writing a file, without its number and path: "No such file or
    directory".
    """
    if isinstance(error, UnicodeDecodeError):
        return "it is no UTF-8 text"
    return error.strerror or str(error)


def ending(code: int) -> str:
    """Text on the exit code of a process: "exit status 3", or the signal that ended it: "ended by SIGKILL,
    Killed".
    """
    if code >= 0:
        return f"exit status {code}"
    try:
        number = signal.Signals(-code)
    except ValueError:  # real-time signals have no name
        return f"ended by signal {-code}"
    return f"ended by {number.name}, {signal.strsignal(number)}"
