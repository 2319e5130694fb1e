"""Operators that start and end live motion, and that rehearse the behaviour."""
