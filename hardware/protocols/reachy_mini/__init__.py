"""What Reachy Mini's daemon says and understands: JSON over a WebSocket. Knows no Blender."""
