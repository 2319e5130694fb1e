"""Feetech's STS and SCS bus servos. Knows no Blender."""
