"""The warm process inside the sandbox: imports once, then forks a fork server for each assignment of a run, and that a
child for each submission.

Of the grader, exactly this folder is what the sandbox can see, as a package of its own: so it holds no secret, and
imports nothing of `autograde` but itself. It imports itself relatively, for the jail of the intake sees some of it
under the name that it has here. It runs student code in the end: whatever its children say is judged outside. Four
processes matter, from trusted to not trusted:

    warm process  imports PyTorch and what every notebook uses (`preload`), waits for assignments, forks (`__main__`)
    fork server   one for each assignment: imports what its notebook does, waits for jobs, forks (`fork_server`)
    supervisor    one for each job: makes the child's namespaces, watches time and memory, reports what the child used
    child         process 1 of its own PID namespace: limits and drops all it can (`confinement`), runs the cells, then
                  answers requests (`child`); what the cells put out is caught on the way (`output`)

`kernel` has the calls and numbers of the kernel's that these share; `__main__` is what Python runs in the sandbox.

Safe to change: what is imported beforehand, what of a cell's output is kept. Not safe without a new attack in
tests/autograde/attacks/: what a child gives up, and in which order.
"""
