"""Chains: their joints and ends, postures, and the findings of Check."""
