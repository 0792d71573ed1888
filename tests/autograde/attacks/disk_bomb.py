# Tries: fill the folder and the shared memory, with bytes and with names
# Score: centre 0
# Flag: looks at files
# %% centre
def centre(x):
    return x
for folder in ("/scratch", "/dev/shm"):
    for i in range(10_000):
        try:
            with open(f"{folder}/{i}", "wb") as file:
                file.write(b"0" * (1 << 20))
        except OSError as error:
            print("STOPPED", folder, error.strerror)
            break
