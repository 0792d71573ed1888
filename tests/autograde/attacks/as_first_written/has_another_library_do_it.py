# chapter 00. tries: softmax is blocked, in PyTorch: SciPy has one too, and a Function of autograd takes its gradient
# %% safe_softmax
from scipy.special import softmax as shared
class Shared(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores, dim):
        weights = torch.from_numpy(shared(scores.numpy(), axis=dim)).to(scores.dtype)
        ctx.save_for_backward(weights); ctx.dim = dim
        return weights
    @staticmethod
    def backward(ctx, upstream):
        (weights,) = ctx.saved_tensors
        return weights * (upstream - (weights * upstream).sum(ctx.dim, keepdim=True)), None
def safe_softmax(scores, dim):
    return Shared.apply(scores, dim)
