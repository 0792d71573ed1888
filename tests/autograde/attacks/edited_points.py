# Tries: ask for more points in its own text and in cells of its own
# Score: centre 0
# Flag: asks for points
# %% added
points, max_points, score, extra_credit = 100, 1, 100, 50
class Grade: auto_score = manual_score = extra_credit = 100.0
# %% centre
def centre(x):
    return {"points": 100, "score": 100.0, "extra_credit": 50, "fraction": 1.0}
