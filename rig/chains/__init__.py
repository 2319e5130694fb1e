"""Chains: their joints and ends, postures, and what Check says of them."""
