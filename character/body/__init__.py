"""The mover of a body that follows a motion with all its links."""
