# Tries: ignore the alarm, block all signals and wait
# Score: centre 0
# Flag: reaches below Python
# %% centre
import signal, time
def centre(x):
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    time.sleep(60)
