# Tries: watch every call of the process from inside
# Score: full
# Flag: hooks into how the notebook runs
# %% added
import sys
sys.addaudithook(lambda event, args: None)
sys.setprofile(lambda *args: None)
sys.settrace(None)
