"""Motion Check: finds motion that a robot cannot follow, and frames in which an end loses its target."""
