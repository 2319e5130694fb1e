"""Panels of live motion."""
