"""Error for a file so large that the user is asked before it is read."""


class LargeError(ValueError):
    """A file has or announces over 50 MB, an hour of motion, or 600 parts of a robot; the message gives the
    size, and how to read the file nevertheless.
    """
