"""What a learner meets in a notebook: the check and its table, hints, progress, and components kept for later.

Everything here runs in the learner's own kernel and writes to `.course/` alone, through `course.files`. Safe to change:
how anything is shown. Not safe: the form of `progress.json` and of kept components, which learners' folders hold
already.
"""
