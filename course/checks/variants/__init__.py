"""Wrong forms of components, published for exercises that ask for a test: what a learner's test is tried on.

A module beside this one holds each chapter's: plain functions or classes with the component's arguments, and a dict of
them by the name that a learner is told. Each must fail the component's own check. The grader tries a test on many more.
Safe to change: new forms. Not safe: a form's name, which recorded tables hold.
"""
