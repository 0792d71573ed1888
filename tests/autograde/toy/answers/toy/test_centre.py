# %% wrong: shapes only
# A shape says nothing of the numbers. Compare values.

def test_centre(centre):
    x = torch.randn(5, 3)
    return centre(x).shape == x.shape

# %% wrong: nothing is called
# What is given is never called. Call it.

def test_centre(centre):
    pass

# %% wrong: constant inputs
# Constant inputs hide which mean was taken. Draw random ones.

def test_centre(centre):
    assert torch.allclose(centre(torch.ones(5, 3)), torch.zeros(5, 3))

# %% wrong: the mean of everything
# One number for all columns was looked at. Look at each.

def test_centre(centre):
    return abs(centre(torch.randn(5, 3) + 2).mean()) < 1e-5

# %% wrong: compared exactly
# Rounding is no fault. Allow for it.

def test_centre(centre):
    x = torch.randn(7, 3)
    return (centre(x).mean(0) == 0).all()

# %% correct: properties, asserted

def test_centre(centre):
    x = torch.randn(6, 4) + 1
    y = centre(x)
    assert y.mean(0).abs().max() < 1e-5
    assert torch.allclose(y[1:] - y[:1], x[1:] - x[:1], atol=1e-5)

# %% correct: a truth value of torch's

def test_centre(centre):
    x = torch.randn(6, 4) + 1
    return ((centre(x) - (x - x.mean(0, keepdim=True))).abs() < 1e-5).all()

# %% correct: numbers by hand

def test_centre(centre):
    x = torch.tensor([[1.0, 5.0], [3.0, 9.0]])
    return centre(x).tolist() == [[-1.0, -2.0], [1.0, 2.0]]
