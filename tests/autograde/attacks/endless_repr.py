# Tries: show a value whose text never ends
# Score: full
# Flag: ended: output cut
# %% added
class Long:
    def __repr__(self):
        return "y" * 50_000_000
Long()
