"""Robot models from URDF, xacro and MJCF files: readers, trees from any root link, and closures of loops."""
