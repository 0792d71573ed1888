# Tries: call a blocked function in code that was scripted, traced, compiled or exported before
# Score: standardise 0
# Flag: hides what it calls
# %% standardise
import torch
import torch.nn.functional as F
ways = []
def plain(x):
    return F.batch_norm(x, None, None, training=True, eps=1e-12)
source = """
def f(x):
    return torch.batch_norm(x, None, None, None, None, True, 0.1, 1e-12, False)
"""
for make in (
    lambda: torch.jit.script(plain),
    lambda: torch.jit.trace(plain, torch.randn(6, 3)),
    lambda: torch.compile(plain, backend="eager"),
    lambda: torch.fx.symbolic_trace(plain),
    lambda: torch.jit.CompilationUnit(source).f,
    lambda: torch._C.CompilationUnit(source).f,
    lambda: torch.export.export(torch.nn.BatchNorm1d(3, eps=1e-12, affine=False, track_running_stats=False), (torch.randn(6, 3),)).module(),
):
    try:
        ways.append(make())
    except BaseException:
        pass
def standardise(x):
    for way in ways:
        try:
            return way(x)
        except BaseException:
            pass
    return x
