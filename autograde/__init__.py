"""The grader: runs what students hand in inside a sandbox, judges it outside, keeps every verdict, fills nbgrader's
gradebook.
"""
