"""How a check talks to a student's code: the same requests in process (a learner's notebook) and into the sandbox.

`wire` turns values into bytes and back, `runner` carries requests out beside the student's code, `blocked` refuses the
operators that an exercise asks to be written, `student` is what a check holds in its hand. It is all shipped to every
learner and trusted to keep no secret. Safe to change: what a value is turned into, on both ends at once. Not safe:
believing a reply before its form was checked, or anything that unpickles.
"""
