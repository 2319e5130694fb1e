"""Least squares within bounds and linear constraints."""
