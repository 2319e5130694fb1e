"""Operators that bake, record, export, compare and check motion."""
