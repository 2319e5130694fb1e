"""Robot models from URDF files: reading, re-rooting, kinematics. Knows no Blender; it needs `solvers` and ruamel.yaml alone."""
