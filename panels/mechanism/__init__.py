"""Panels of mechanisms."""
