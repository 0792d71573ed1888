# Tries: call a blocked function in a process that was forked before, and in a Python that is started while asked
# Score: standardise 0
# Flag: starts or ends processes
# %% standardise
import torch
import multiprocessing, os, subprocess, sys
import torch.nn.functional as F
ours, theirs = multiprocessing.Pipe()
if os.fork() == 0:
    while True:
        theirs.send(F.batch_norm(torch.tensor(theirs.recv()), None, None, training=True, eps=1e-12).tolist())
PROGRAM = "import sys, json, torch; x = torch.tensor(json.loads(sys.argv[1])); print(((x - x.mean(0)) / x.std(0, correction=0)).tolist())"
def standardise(x):
    try:
        ours.send(x.tolist())
        if ours.poll(0.3):
            return torch.tensor(ours.recv())
    except BaseException:
        pass
    told = subprocess.run([sys.executable, "-c", PROGRAM, str(x.tolist())], capture_output=True, text=True)
    return torch.tensor(eval(told.stdout))
