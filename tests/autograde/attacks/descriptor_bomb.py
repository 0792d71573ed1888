# Tries: open files, sockets and pipes without end
# Score: centre 0
# Flag: looks at files
# %% centre
held = []
def centre(x):
    return x
while True:
    held.append(open("/dev/null"))
