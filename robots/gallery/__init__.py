"""Gallery of robots with ready settings: one folder each, with a description, a model and its licence."""
