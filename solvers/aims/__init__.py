"""What an end should do: each kind of aim is one class, made of residual blocks."""
