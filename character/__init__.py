"""The engine: the movers of a character and their motion in one frame. Knows no hardware and no clock."""
