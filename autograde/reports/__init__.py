"""What people read after grading: students' feedback, the instructor's summary, a grade's trace, the table of grades.

Everything here reads the ledger's verdicts and the gradebook and changes neither; `push` adds to the ledger's folder
what a platform has confirmed. Safe to change: pages, their templates and words. Whatever a student wrote (names,
output, figures) is escaped where it is shown, and opens in a spreadsheet without running: keep both.
"""
