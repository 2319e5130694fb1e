"""Error for a file that announces so much data that the user is asked before it is read."""


class LargeError(ValueError):
    """A file announces over 50 MB in memory, or over an hour of motion; the message says how much, and how to
    read it all the same.
    """
