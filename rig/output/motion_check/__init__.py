"""Motion Check: finds motion that a robot cannot follow, frames in which an end loses its target, and links
that enter no-go zones.
"""
