"""From the evaluated scene to the inputs of solvers and movers."""
