"""How learning platforms name what they let one download, one module for each: `scheme` says what a scheme is.

Each was read in the platform's own source or documentation, which its docstring names, and has a table of names as its
test. Google Classroom has none: its Drive folder holds files under the names that students gave them, so nothing in it
says whose a file is; put them into folders of their students' names (`--platform folders`).

Safe to change: what a platform writes today. A part of a name that a student can choose never decides.
"""
