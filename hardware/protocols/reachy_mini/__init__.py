"""Protocol of Reachy Mini's daemon: JSON messages over a WebSocket."""
