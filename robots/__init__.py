"""Robot models from URDF, xacro and MJCF files: reading, re-rooting, kinematics.yaml."""
