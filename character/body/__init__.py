"""The mover of a whole body that follows a motion (retargeting)."""
