"""The rungs of `benchmarks.models` away from the CPU: on the stand-in device, where a tensor of another device is
refused, and on a card in name, where every branch for CUDA is taken. No kernel runs: no number is looked at here.
"""

import dataclasses
from unittest import mock

import pytest
import torch

from benchmarks import models
from benchmarks.cards import CARDS
from benchmarks.gpu_parts import Waits
from benchmarks.models import LADDER
from benchmarks.peers import MODELS
from benchmarks.peers.contestants import WORKS
from benchmarks.peers.language_model import LENGTHS
from course import committed
from course.protocol import device as stand_in
from tests import autocast, card

CONTESTANTS = [(model, name) for model in MODELS for name, of in MODELS[model].contestants.items() if not of.missing()]
# at tiny size the language models are one
CONTESTANTS = [
    (model, name) for model, name in CONTESTANTS if model not in [f"language-model-{n}" for n in LENGTHS[1:]]
]
# torch.compile writes kernels for a device that there is; what it is given is what the other rungs give.
RUNGS = [rung for rung in LADDER if not rung.mode]


def moved(model: models.Model, name: str, rung: models.Rung, work: str):
    """A contestant's step, with everything on the stand-in device."""
    size = model.sizes["tiny"]
    there = stand_in._module(model.contestants[name].build(size, rung.attention))
    inputs, targets = model.inputs(size)
    inputs, targets = stand_in._moved(inputs), stand_in._moved(targets)
    make = models.training if work == "training" else models.inference
    return make(model, name, there, inputs, targets, rung)


# What peers wait for in a step: transformers looks at the positions before it makes a mask for its plain attention, and
# x-transformers copies a number.
PEERS_WAIT = {
    ("language-model-128", "transformers"): {"aten::_local_scalar_dense"},
    ("transformer", "x-transformers"): {"aten::_to_copy"},
}


@pytest.mark.parametrize("work", WORKS)
@pytest.mark.parametrize("rung", RUNGS, ids=lambda rung: rung.name)
@pytest.mark.parametrize(("model", "name"), CONTESTANTS)
def test_a_rungs_step_copies_nothing_between_devices(model, name, rung, work):
    fused = ["cpu", "cuda", stand_in.OTHER]
    with_fused = mock.patch("torch.optim.optimizer._get_fused_kernels_supported_devices", lambda: fused)
    # a tensor made in inference mode cannot be wrapped
    without_inference = mock.patch.object(torch, "inference_mode", torch.no_grad)
    with autocast.known(), with_fused, without_inference, models.precision(rung, torch.device(stand_in.OTHER)):
        step = moved(MODELS[model], name, rung, work)
        with stand_in._Numbers(), stand_in._OneDevice():
            step()  # makes the optimizer's state
            with Waits(stand_in.OTHER) as seen:
                step()
    assert set(seen.seen) <= PEERS_WAIT.get((model, name), set())
    assert seen.seen.count("aten::_to_copy") <= 1  # of that one number


class Card:
    """A device that says it is CUDA's; `of` is where its tensors are."""

    type, of = "cuda", torch.device("meta")


@pytest.fixture
def on_meta(monkeypatch):
    """What goes to the card goes to "meta"."""
    to_device, build = models.to_device, models.make_step

    def make_step(model, name, size, work, rung, device):
        return build(model, name, size, work, rung, Card.of)

    monkeypatch.setattr(models, "to_device", lambda batch, device: to_device(batch, getattr(device, "of", device)))
    monkeypatch.setattr(models, "make_step", make_step)
    monkeypatch.setattr(models, "matrix_product", lambda dtype, device: (lambda: None, 1))


@pytest.mark.parametrize("work", WORKS)
@pytest.mark.parametrize("rung", LADDER, ids=lambda rung: rung.name)
def test_every_rung_is_measured_on_a_card(on_meta, rung, work):
    """Memory and the compiler's seconds are asked for, and a ratio of it comes out."""
    with card.cuda(CARDS["a100"]) as here, mock.patch.object(torch.compiler, "cudagraph_mark_step_begin") as marked:
        vit, names = MODELS["vit"], ["course", "torch.nn"]
        made = models.compare(vit, vit.sizes["tiny"], work, rung, names, Card(), rounds=2, seconds=1e-3)
    assert [record.get("note") for record in made] == [None, None]
    assert all("memory_mb" in record and record["per_second"] > 0 for record in made)
    assert all(("compile_seconds" in record) == bool(rung.mode) for record in made)
    assert all(("graphs_left_out" in record) == (rung.mode == models.GRAPHS) for record in made)
    assert "ratio" in made[1] and "cpu_ratio" not in made[1]
    assert bool(marked.called) == (rung.mode == models.GRAPHS)
    assert here.clock.kernels > 100


def test_a_graph_that_the_compiler_leaves_out_is_counted(on_meta, monkeypatch):
    """As torch does where a model has a tensor on the CPU, say: with a warning that is easily missed, and a counter."""
    from torch._dynamo.utils import counters
    from torch._inductor.cudagraph_utils import log_cudagraph_skip_and_bump_counter

    rung = next(rung for rung in LADDER if rung.mode == models.GRAPHS)
    vit = MODELS["vit"]
    with card.cuda(CARDS["a100"]), mock.patch.object(torch.compiler, "cudagraph_mark_step_begin"):
        whole = models.make_step

        def make_step(*arguments):
            log_cudagraph_skip_and_bump_counter("skipping cudagraphs due to cpu device")
            return whole(*arguments)

        monkeypatch.setattr(models, "make_step", make_step)
        for _ in range(2):  # what was left out before is another's
            _, facts = models.warmed_up(vit, "course", vit.sizes["tiny"], "inference", rung, Card())
            assert facts["graphs_left_out"] == 1
    assert counters["inductor"]["cudagraph_skips"] >= 2


def test_the_product_that_is_the_peak_is_large_on_a_card():
    with card.cuda(CARDS["a100"]) as here:
        torch_randn = torch.randn
        with mock.patch.object(torch, "randn", lambda *size, device: torch_randn(*size, device=device.of)):
            product, operations = models.matrix_product(torch.bfloat16, Card())
        before = here.clock.operations
        product()
    assert operations == here.clock.operations - before == 2 * 8192**3


def test_a_precision_is_set_and_taken_back():
    before = torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32
    for rung in LADDER:
        with models.precision(rung, Card()):
            assert torch.get_float32_matmul_precision() == ("high" if rung.tf32 else "highest")
            assert torch.backends.cudnn.allow_tf32 == rung.tf32
        assert (torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32) == before


def test_a_card_without_units_for_bfloat16_is_known():
    for which, imitates in (("t4", True), ("a100", False)):
        with card.cuda(CARDS[which]):
            assert models.imitates_bfloat16(Card()) == imitates


def test_on_a_card_the_batch_is_fitted_and_the_result_has_a_name_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setattr(models, "fitting", lambda model, size, device: dataclasses.replace(size, batch=77))
    monkeypatch.setattr(models, "run", lambda name, size, *_: [{"peer": "course", "batch": size.batch}])
    with card.cuda(CARDS["a100"]):
        path = models.main(["--device", "cuda", "--only", "vit"], folder=tmp_path)
    result = committed.read("models_cuda", tmp_path)
    assert path == tmp_path / "models_cuda.json" and result["records"] == [{"peer": "course", "batch": 77}]
    assert result["settings"]["vit"]["d_model"] == 768 and result["machine"]["gpu"] == [CARDS["a100"].name]
