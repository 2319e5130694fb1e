"""Feetech's STS and SCS bus servos."""
