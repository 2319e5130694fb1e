"""What announces so much that the user is asked before it is read."""


class LargeError(ValueError):
    """A file announces over 50 MB in memory, or over an hour of motion; the message says how much, and how to
    read it all the same.
    """
