"""Panels of baking, recording, export, comparison and checks."""
