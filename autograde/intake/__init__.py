"""Intake: what came back from students is read here, and nowhere else, by children without rights.

    jail       the grader's side: starts the jail, asks, and checks the form of every answer
    worker     the warm process inside the jail, which forks a child for each question
    archives   in a child: the members of a zip, tar or tar.gz
    protocol   frames between the two, and the form of what they hold
    names      what a text of Python binds and uses

What runs inside imports the standard library, this package and the modules that say what a file holds and what of it
is graded (`jail.INSIDE`), and nothing else.
"""
