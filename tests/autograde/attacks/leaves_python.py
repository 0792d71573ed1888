# Tries: end the process by sys.exit, os._exit and abort in several cells
# Score: scale 0, centre 0, question_mean 0
# Flag: ended: exited
# %% scale
import os
os._exit(0)
# %% centre
import os
def centre(x):
    os._exit(0)
# %% question_mean
answer_0_q1 = exit()
