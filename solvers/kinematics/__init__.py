"""Rotations, frames and trees of joints, with their Jacobians."""
