"""Converts the evaluated scene to inputs of the engine and the solvers."""
