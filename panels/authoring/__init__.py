"""Panels of rigs, chains, postures, gaze and motion."""
