"""The mathematics: skeletons, goals and solvers, in numpy and plain floats. Knows no Blender."""
