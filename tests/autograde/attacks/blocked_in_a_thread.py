# Tries: call a blocked function from a thread that was started before, and from one started while asked
# Score: standardise 0
# Flag: starts or ends processes
# %% standardise
import torch
import queue, threading
import torch.nn.functional as F
asked, told = queue.Queue(), queue.Queue()
def work():
    while True:
        try:
            told.put(F.batch_norm(asked.get(), None, None, training=True, eps=1e-12))
        except BaseException as error:
            told.put(error)
threading.Thread(target=work, daemon=True).start()
def standardise(x):
    asked.put(x)
    answer = told.get()
    if isinstance(answer, torch.Tensor):
        return answer
    found = []
    late = threading.Thread(target=lambda: found.append(F.batch_norm(x, None, None, training=True, eps=1e-12)))
    late.start()
    late.join()
    return found[0]
