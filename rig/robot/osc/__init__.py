"""OSC over UDP, for whatever other programs may say: packets, and sockets that never wait."""
