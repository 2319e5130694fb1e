"""OSC over UDP: packets, and sockets that never block."""
