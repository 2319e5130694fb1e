"""Behaviour of a scene's characters: what its settings mean, and what they can be chosen from."""
