"""Robot models from URDF files: reading, re-rooting, kinematics. Knows no Blender; the standard library and `solvers` alone."""
