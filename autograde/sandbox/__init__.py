"""Where the code of a submission runs: a fresh child for each, behind bubblewrap, a filter of system calls and limits.

`launch` starts a warm process and ends it: `command` is bubblewrap's command line, `folder` (with `fonts`) what stands
in the sandbox of ours. `pool` makes a sandbox of it, with a child for each submission: `outputs` and `usage` are what
becomes of a child's reports. `remote` speaks through one.
These are the trusted side; the folder `inside` is what runs within, and all that the sandbox sees of the grader.
`seccomp` and `limits` say what a child may do and use; `doctor` and `causes` tell whether this machine can isolate at
all.

Safe to change: limits, and the words of a finding. Not safe without a new attack in tests/autograde/attacks/: what is
mounted, which system calls pass, what a child inherits. It fails closed: where isolation is in doubt, nothing is
graded.
"""
