"""The mover of a chain: posture and targets to filtered joint values."""
