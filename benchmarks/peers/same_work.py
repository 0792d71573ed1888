"""Whether two contestants do the same work."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from benchmarks.peers.contestants import PLAIN, Contestant, Model, Size, State, attention_kernels


def disagreement(model: Model, name: str, size: Size, attention: str, device: torch.device) -> tuple[float, float]:
    """How far a peer is from the course's model with the same weights: in its logits, and in its gradients.

    Returns the largest difference of a logit as a share of the largest logit, in training or in inference (where some
    have another way), and the norm of the difference of all weights' gradients as a share of the gradients' norm (a
    ReLU that rounding sends to the other side of zero is a difference that is nobody's fault, and a small one there).
    The weights are drawn, the norms' too, so that two parts that have changed places show. Of biases there are no
    gradients here: x-transformers has not all of them.
    """
    inputs, targets = to_device(model.inputs(size), device)
    peer, course = model.contestants[name], model.contestants["course"]
    torch.manual_seed(0)
    theirs, ours = peer.build(size, attention).to(device), course.build(size, attention).to(device)
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.add_(0.02 * torch.randn_like(parameter))
    ours.load_state_dict(peer.course_state(theirs))

    def observed(contestant: Contestant, built: nn.Module) -> tuple[Tensor, State]:
        logits = contestant.logits(built.train(), inputs)
        model.loss(logits, targets).backward()
        with torch.inference_mode():
            alone = contestant.logits(built.eval(), inputs)
        states = []
        for share in (0, 1):  # the gradients in the weights' places, less what a mapping adds to nothing
            for parameter in built.parameters():
                assert parameter.grad is not None
                parameter.data = share * parameter.grad.double()
            states.append(contestant.course_state(built))
        named = {key: states[1][key] - states[0][key] for key in states[0] if key.endswith("weight")}
        return torch.stack([logits.detach(), alone]), named

    with attention_kernels(attention != PLAIN):
        (expected, expected_gradients), (outputs, gradients) = observed(peer, theirs), observed(course, ours)
    expected_norm = torch.stack([gradient.norm() for gradient in expected_gradients.values()]).norm()
    differences = [(gradients[key] - gradient).norm() for key, gradient in expected_gradients.items()]
    of_logits = (outputs - expected).abs().max() / expected.abs().max()
    return of_logits.item(), (torch.stack(differences).norm() / expected_norm).item()


def to_device(batch: tuple[tuple[Tensor, ...], Tensor], device: torch.device) -> tuple[tuple[Tensor, ...], Tensor]:
    """A batch, its inputs and its targets, on a device."""
    inputs, targets = batch
    return tuple(tensor.to(device) for tensor in inputs), targets.to(device)
