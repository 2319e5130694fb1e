"""Reasons for which a file cannot be read or written, as users read them."""


def reason(error: OSError | UnicodeDecodeError) -> str:
    """An error of reading or writing a file as a few words, without its number and path: "No such file or directory"."""
    if isinstance(error, UnicodeDecodeError):
        return "it is no UTF-8 text"
    return error.strerror or str(error)
