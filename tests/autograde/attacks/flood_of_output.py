# Tries: print a hundred megabytes, and while being asked as well
# Score: full
# Flag: ended: output cut
# %% added
for _ in range(100):
    print("x" * 1_000_000)
