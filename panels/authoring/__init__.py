"""Panels of chains, postures, gaze, motion, solvers, retargeting and the behaviour."""
