# Tries: read other processes through /proc and /sys
# Score: centre 0
# Flag: looks at files
# %% centre
import os
for path in ("/proc/1/environ", "/proc/self/environ", "/proc/self/maps", "/proc/self/mem", "/proc/2/cmdline", "/proc/mounts",
             "/proc/self/fd/3", "/sys/class/net", "/etc/hostname", "/etc/shadow", "/root/.ssh/id_rsa", "/var/run/docker.sock"):
    try:
        print("READ", path, open(path, "rb").read(100))
    except OSError:
        pass
print(os.listdir("/proc"))
def centre(x):
    return x
