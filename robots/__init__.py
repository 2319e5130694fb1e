"""Robot models from URDF, xacro and MJCF files: reading, re-rooting, kinematics. Knows no Blender; it needs `solvers` and ruamel.yaml."""
