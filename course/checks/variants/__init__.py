"""Wrong forms of parts, published for exercises that ask for a test: what a learner's test is tried on.

A module beside this one holds each chapter's: plain functions or classes with the part's arguments, and a dict of them
by the name that a learner is told. Each must fail the part's own check. The grader tries a test on many more.
"""
