"""From the evaluated scene to the inputs of the engine and the solvers."""
