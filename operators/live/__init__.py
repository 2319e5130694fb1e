"""Operators that start and end live motion."""
