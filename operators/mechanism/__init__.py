"""Operators of mechanisms."""
