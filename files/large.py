"""Error for a file so large that the user is asked before it is read."""


class LargeError(ValueError):
    """A file announces over 50 MB in memory, or over an hour of motion; the message gives the size, and how
    to read it nevertheless.
    """
