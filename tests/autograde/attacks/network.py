# Tries: reach the network by name, by address, by a socket file, by raw packets and by the kernel's own families
# Score: centre 0
# Flag: uses the network
# %% centre
import socket
reached = []
def attempt(name, action):
    try:
        action()
        reached.append(name)
    except OSError:
        pass
attempt("address", lambda: socket.create_connection(("1.1.1.1", 53), 1))
attempt("loopback", lambda: socket.create_connection(("127.0.0.1", 22), 1))
attempt("listen", lambda: socket.create_server(("", 0)))
attempt("name", lambda: socket.getaddrinfo("example.org", 80))
attempt("datagram", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("1.1.1.1", 53)))
attempt("raw", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
attempt("netlink", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))
attempt("host", lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM).connect((2, 22)))
attempt("bluetooth", lambda: socket.socket(31, socket.SOCK_RAW, 1))
attempt("file", lambda: socket.socket(socket.AF_UNIX).connect("/run/docker.sock"))
for name in ("\0/tmp/.X11-unix/X0", "\0/tmp/dbus", "\0containerd-shim"):
    attempt(name[1:], lambda: socket.socket(socket.AF_UNIX).connect(name))
print("REACHED", reached)
def centre(x):
    return x
