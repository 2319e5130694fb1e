"""Motion of a chain in one frame: from its posture and the targets of its ends to filtered joint values."""
