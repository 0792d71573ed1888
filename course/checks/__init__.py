"""What is looked at in each exercise: `engine` judges, and a module for each chapter says which cases there are.

`fixtures` are small public models that checks build beside a student's code, `variants` the wrong forms that a
learner's test is tried on, `recorded` the tables that `python -m tools.notebooks record` makes: never edit those. Safe
to change: cases, their titles and explanations, followed by a new recording. Not safe: an exercise's name, which
gradebooks know it by. Nothing here imports `course.learner`, `solutions` or the grader.
"""
