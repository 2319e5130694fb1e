"""Making and checking mechanisms in the scene."""
