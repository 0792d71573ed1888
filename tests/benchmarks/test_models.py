"""`benchmarks.models` at tiny sizes: the same work, ratios of one round, what is written. No speed is asserted."""

import dataclasses

import pytest
import torch
from torch import nn

from benchmarks import models, peers, record
from benchmarks.models import LADDER, MODELS, compare, ladder, largest_batch, peak_memory_apart
from benchmarks.peers import VIT, Contestant, disagreement, tower_from_x_transformers, vit_from_timm
from course import committed

CPU = torch.device("cpu")
PEERS = [(model, name) for model in MODELS for name in MODELS[model].contestants if name != "course"]
PLAIN, FUSED = (rung for rung in LADDER if rung.name in ("float32, plain attention", "float32, fused attention"))


def here(model: str, name: str) -> Contestant:
    """A contestant that this environment has; timm is nowhere asked for."""
    contestant = MODELS[model].contestants[name]
    if reason := contestant.missing():
        assert name == "timm", f"{name}: {reason}"
        pytest.skip(f"{name}: {reason}")
    return contestant


def with_contestants(model: peers.Model, **contestants: Contestant) -> peers.Model:
    return dataclasses.replace(model, contestants={"course": model.contestants["course"], **contestants})


# ---- the same work ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fused", [False, True], ids=["plain", "fused"])
@pytest.mark.parametrize(("model", "name"), PEERS)
def test_a_peer_does_the_courses_work(model, name, fused):
    here(model, name)
    logits, gradients = disagreement(MODELS[model], name, MODELS[model].sizes["tiny"], fused, CPU)
    assert logits < models.SAME_LOGITS
    assert gradients < models.SAME_GRADIENTS


@pytest.mark.parametrize(
    "changed",
    [
        {"build": lambda size, fused: peers.course_vit(dataclasses.replace(size, num_heads=4), fused)},
        {"course_state": lambda model: {k: v + 1 if "norm1" in k else v for k, v in model.state_dict().items()}},
        {"logits": lambda model, inputs: model(*inputs).detach() + 0 * model(*inputs)},
    ],
    ids=["other heads", "other norms", "no gradient"],
)
def test_other_work_is_not_timed(changed, monkeypatch):
    other = dataclasses.replace(VIT.contestants["course"], **changed)
    monkeypatch.setitem(MODELS, "vit", with_contestants(VIT, other=other))
    with pytest.raises(AssertionError, match="other's vit with plain attention does other work"):
        models.run("vit", VIT.sizes["tiny"], CPU, rounds=1, seconds=0.01)


@pytest.mark.parametrize("model", MODELS)
def test_plain_attention_is_plain_for_everybody(model):
    """No contestant reaches a fused kernel on the lowest rung, and each does on the next, in training."""
    for name in MODELS[model].contestants:
        if MODELS[model].contestants[name].missing():
            continue
        for rung in (PLAIN, FUSED):
            with models.precision(rung, CPU):
                step = models.make_step(MODELS[model], name, MODELS[model].sizes["tiny"], "training", rung, CPU)
                with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as seen:
                    step()
            fused = any("flash_attention" in event.key for event in seen.key_averages())
            assert fused == rung.fused, f"{name}, {rung.name}"


def test_a_state_that_is_no_towers_is_refused():
    with pytest.raises(ValueError, match=r"left over 0\.weight"):
        tower_from_x_transformers(nn.Sequential(nn.Linear(2, 2)).state_dict())


def test_timms_names_are_the_courses():
    """The names as timm 1.0 writes them; where timm is installed the outputs are compared too, above."""
    ours = peers.course_vit(VIT.sizes["tiny"], False).state_dict()
    of_layer = {"norm1": "norm1", "norm2": "norm2", "attn.proj": "self_attention.W_O"}
    of_layer |= {"mlp.fc1": "feed_forward.linear1", "mlp.fc2": "feed_forward.linear2"}
    theirs = {
        "cls_token": ours["class_token"],
        "pos_embed": ours["positions.weight"].unsqueeze(0),
        "patch_embed.proj.weight": ours["patches.projection.weight"].unflatten(1, (3, 8, 8)),
        "patch_embed.proj.bias": ours["patches.projection.bias"],
    }
    for kind in ("weight", "bias"):
        theirs |= {f"{a}.{kind}": ours[f"{b}.{kind}"] for a, b in (("norm", "encoder.norm"), ("head", "head"))}
        theirs |= {f"blocks.0.{a}.{kind}": ours[f"encoder.layers.0.{b}.{kind}"] for a, b in of_layer.items()}
        stacked = [ours[f"encoder.layers.0.self_attention.W_{which}.{kind}"] for which in "QKV"]
        theirs[f"blocks.0.attn.qkv.{kind}"] = torch.cat(stacked)
    translated = vit_from_timm(theirs)
    assert translated.keys() == ours.keys()
    assert all(torch.equal(translated[name], ours[name]) for name in ours)


# ---- ratios ----------------------------------------------------------------------------------------------------------


def test_a_ratio_is_of_one_round_and_the_turns_move_on(monkeypatch):
    """With a made-up clock's rates: the peer half as fast, then as fast, then twice; the machine slower each time."""
    rates = {"course": [40.0, 20.0, 10.0], "peer": [20.0, 20.0, 20.0], "peak": [1e9, 2e9, 1e9]}
    order: list[str] = []

    def measure(step, items, num_steps, warm_up, synchronize, clock):
        clock(), clock()
        order.append(step() or "peak")
        return rates[order[-1]][order.count(order[-1]) - 1]

    def make_step(model, name, *rest):
        return lambda: name

    monkeypatch.setattr(models, "measure_throughput", measure)
    monkeypatch.setattr(models, "make_step", make_step)
    monkeypatch.setattr(models, "matrix_product", lambda dtype, device: (lambda: None, 1))
    model = with_contestants(VIT, peer=VIT.contestants["course"])
    course, peer = compare(model, VIT.sizes["tiny"], "training", FUSED, ["course", "peer"], CPU, 3, 0.01)
    assert order == ["peak", "course", "peer", "peak", "peer", "course", "peak", "course", "peer"]
    assert (peer["ratio"], peer["ratio_low"], peer["ratio_high"]) == (1.0, 0.5, 2.0)
    assert (course["per_second"], course["per_second_low"], course["per_second_high"]) == (20.0, 10.0, 40.0)
    assert "ratio" not in course


def test_who_fails_is_named_and_the_others_go_on(monkeypatch):
    """As where torch.compile finds no compiler, or a GPU has no memory left."""

    def make_step(model, name, *rest):
        if name == "peer":
            raise RuntimeError("no compiler here\nand more lines")
        return lambda: None

    monkeypatch.setattr(models, "make_step", make_step)
    model = with_contestants(VIT, peer=VIT.contestants["course"])
    course, peer = compare(model, VIT.sizes["tiny"], "training", FUSED, ["course", "peer"], CPU, 1, 0.01)
    assert peer == {"peer": "peer", "note": "failed: no compiler here"}
    assert course["per_second"] > 0


def test_utilisation_counts_what_the_paper_counts():
    """One layer by hand: 6 operations a weight and token, 12 T^2 D in each attention; forward alone is a third."""
    size = VIT.sizes["tiny"]
    weights = 3 * 8 * 8 * 24 + 4 * 24 * 24 + 2 * 24 * 48 + 24 * 5
    flops = 6 * weights * 5 + 12 * 24 * 5**2
    assert models.flops_utilisation(VIT, size, 10.0, 100.0 * flops, "training") == pytest.approx(0.1)
    assert models.flops_utilisation(VIT, size, 10.0, 100.0 * flops, "inference") == pytest.approx(0.1 / 3)
    size = MODELS["transformer"].sizes["tiny"]  # six tokens a sentence: six items are one sequence
    weights = (4 + 8) * 24 * 24 + 2 * 2 * 24 * 48 + 24 * 11
    flops = 6 * weights * 6 + 3 * 12 * 24 * 6**2
    reached = models.flops_utilisation(MODELS["transformer"], size, 60.0, 100.0 * flops, "training")
    assert reached == pytest.approx(0.1)


# ---- what there is to measure ----------------------------------------------------------------------------------------


def test_the_ladder_has_what_the_device_and_the_work_have():
    on_cpu = [rung.name for rung in ladder("training", CPU)]
    assert on_cpu == [rung.name for rung in LADDER if rung.name not in ("tf32, fused attention", "+ CUDA graphs")]
    assert [rung.name for rung in ladder("training", torch.device("cuda"))] == [rung.name for rung in LADDER]
    assert [rung.name for rung in ladder("inference", CPU)] == [name for name in on_cpu if name != "+ fused optimizer"]


def test_a_library_that_is_not_here_says_so(tmp_path, monkeypatch):
    course = VIT.contestants["course"]
    assert course.missing() is None
    assert dataclasses.replace(course, library="no_such_library").missing() == "not installed"
    (tmp_path / "half_a_library.py").write_text("raise RuntimeError('operator nms does not exist')", encoding="utf-8")
    (tmp_path / "needs_another.py").write_text("import no_such_library", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    for library, cause in (("half_a_library", "operator nms does not exist"), ("needs_another", "no_such_library")):
        reason = dataclasses.replace(course, library=library).missing()
        assert reason is not None and reason.startswith("does not import: ") and cause in reason


@pytest.mark.parametrize(
    ("used_by_2", "used_by_4", "free", "batch"),
    [(100, 120, 1100, 64), (100, 120, 50, 1), (100, 120, 1e9, 128), (100, 120, 140, 4)],
    ids=["between", "too little", "plenty", "exactly"],
)
def test_the_largest_batch_that_fits(used_by_2, used_by_4, free, batch):
    assert largest_batch(used_by_2, used_by_4, free) == batch


def test_a_gpus_batch_leaves_room_for_the_others(monkeypatch):
    """2.5 MB and 0.5 MB an image, of 40 MB that are free: half of them, for 32 images and no more."""
    seen = []

    def warmed_up(model, name, size, work, rung, device):
        seen.append((name, work, rung.fused, rung.dtype, torch.backends.cudnn.allow_tf32))
        return (lambda: None), {"memory_mb": 2.5 + 0.5 * size.batch}

    monkeypatch.setattr(models, "warmed_up", warmed_up)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (40 * 2**20, 80 * 2**20))
    before = torch.backends.cudnn.allow_tf32
    fitted = models.fitting(VIT, VIT.sizes["base"], torch.device("cuda"))
    assert fitted == dataclasses.replace(VIT.sizes["base"], batch=32)
    assert seen == [("course", "training", False, torch.float32, False)] * 2
    assert torch.backends.cudnn.allow_tf32 == before


def test_memory_is_that_of_the_model_and_not_of_the_libraries():
    """Weights, gradients and AdamW's two moments are the least that training holds; inference holds less than that."""
    size = VIT.sizes["small"]
    weights_mb = sum(parameter.numel() for parameter in peers.course_vit(size, False).parameters()) * 4 / 2**20
    training = peak_memory_apart("vit", "course", size, "training", FUSED)
    inference = peak_memory_apart("vit", "course", size, "inference", FUSED)
    assert 4 * weights_mb < training < 40 * weights_mb
    assert weights_mb < inference < training


# ---- the whole -------------------------------------------------------------------------------------------------------


def test_a_whole_run_writes_one_file(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setattr(models, "peak_memory_apart", lambda *of: 1.5)  # looked at above
    rung = "bfloat16, fused attention"
    path = models.main(["--size", "tiny", "--rounds", "2", "--seconds", "0.01", "--rungs", rung], folder=tmp_path)
    assert path == tmp_path / "models.json"
    result = committed.read("models", tmp_path)
    assert set(record.KEYS) <= result.keys()
    assert result["settings"]["vit"]["d_model"] == 24
    for model in MODELS:
        present = [name for name, contestant in MODELS[model].contestants.items() if not contestant.missing()]
        equal = [r for r in result["records"] if r["measure"] == f"{model} equality"]
        assert [(r["peer"], r["attention"]) for r in equal] == [
            (name, attention) for name in present[1:] for attention in ("plain", "fused")
        ]
        for work in models.WORKS:
            by_peer = {r["peer"]: r for r in result["records"] if r["measure"] == f"{model} {work}"}
            assert list(by_peer) == [*present, *(set(MODELS[model].contestants) - set(present))]
            for name in present:
                assert by_peer[name]["rung"] == rung and by_peer[name]["memory_mb"] == 1.5
                assert (
                    by_peer[name]["per_second_low"] <= by_peer[name]["per_second"] <= by_peer[name]["per_second_high"]
                )
                assert 0 < by_peer[name]["utilisation"] < 1
                assert ("ratio" in by_peer[name]) == ("cpu_ratio" in by_peer[name]) == (name != "course")
            assert all(by_peer[name]["note"] for name in by_peer.keys() - set(present))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 4 and all(f", {rung}: " in line for line in lines)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["--rounds", "0"], "at least one round"), (["--device", "cuda"], "no GPU here"), (["--rungs", "x"], "invalid")],
    ids=["rounds", "no GPU", "rung"],
)
def test_what_cannot_be_asked_is_refused(arguments, message, monkeypatch, capsys):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(SystemExit):
        models.main(arguments)
    assert message in capsys.readouterr().err
