"""How a check talks to a student's code: the same requests in process (a learner's notebook) and into the sandbox.

`wire` turns values into bytes and back, `runner` carries requests out beside the student's code, `student` is what a
check holds in its hand. Nothing here is trusted to keep a secret: it is shipped to every learner.
"""
