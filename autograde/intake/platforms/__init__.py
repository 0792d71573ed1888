"""How learning platforms name what they let one download, one module for each: `scheme` says what a scheme is.

Each was read in the platform's own source or documentation, which its docstring names, and has a table of names as its
test. Google Classroom has no scheme: its Drive folder holds files under names that students can change, so `classroom`
only says what in a name may be a person's, and a roster whether it is.

Safe to change: what a platform writes today. A part of a name that a student can choose never decides.
"""
