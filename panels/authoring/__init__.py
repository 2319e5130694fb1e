"""Panels of chains, postures, gaze, life, motion, solvers, retargeting and the behaviour."""
