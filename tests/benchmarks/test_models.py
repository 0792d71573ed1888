"""`benchmarks.models` at tiny sizes: the same work, ratios of one round, what is written. No speed is asserted."""

import dataclasses
import subprocess
import sys

import pytest
import torch
from torch import nn

from benchmarks import decoding, models, record
from benchmarks.models import FLAG, LADDER, MODELS, compare, ladder, largest_batch, peak_memory_apart
from benchmarks.peers.contestants import CAUSAL, FUSED, PLAIN, Contestant, Model
from benchmarks.peers.language_model import LENGTHS, course_language_model
from benchmarks.peers.same_work import disagreement
from benchmarks.peers.towers import tower_from_x_transformers
from benchmarks.peers.vit import VIT, course_vit, vit_from_timm
from course import committed

CPU = torch.device("cpu")
PEERS = [(model, name) for model in MODELS for name in MODELS[model].contestants if name != "course"]
PLAIN_RUNG, FUSED_RUNG = (rung for rung in LADDER if rung.attention != CAUSAL and rung.dtype == torch.float32)
LM = MODELS["language-model-1024"]
ONE_OF_EACH = ("vit", "transformer", "language-model-128")  # at tiny size the language models are one


def here(model: str, name: str) -> Contestant:
    """A contestant that this environment has; timm is nowhere asked for."""
    contestant = MODELS[model].contestants[name]
    if reason := contestant.missing():
        assert name == "timm", f"{name}: {reason}"
        pytest.skip(f"{name}: {reason}")
    return contestant


def with_contestants(model: Model, **contestants: Contestant) -> Model:
    return dataclasses.replace(model, contestants={"course": model.contestants["course"], **contestants})


# ---- the same work ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("attention", [PLAIN, FUSED, CAUSAL])
@pytest.mark.parametrize(("model", "name"), [(model, name) for model, name in PEERS if model in ONE_OF_EACH])
def test_a_peer_does_the_courses_work(model, name, attention):
    here(model, name)
    logits, gradients = disagreement(MODELS[model], name, MODELS[model].sizes["tiny"], attention, CPU)
    assert logits < models.SAME_LOGITS
    assert gradients < models.SAME_GRADIENTS


@pytest.mark.parametrize(
    "changed",
    [
        {"build": lambda size, of: course_vit(dataclasses.replace(size, num_heads=4), of)},
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


@pytest.mark.parametrize("model", ONE_OF_EACH)
def test_plain_attention_is_plain_for_everybody(model):
    """No contestant reaches a fused kernel on the lowest rung, and each does on the next, in training."""
    for name in MODELS[model].contestants:
        if MODELS[model].contestants[name].missing():
            continue
        for rung in (PLAIN_RUNG, FUSED_RUNG):
            with models.precision(rung, CPU):
                step = models.make_step(MODELS[model], name, MODELS[model].sizes["tiny"], "training", rung, CPU)
                with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as seen:
                    step()
            fused = any("flash_attention" in event.key for event in seen.key_averages())
            assert fused == (rung is FUSED_RUNG), f"{name}, {rung.name}"


def test_timm_is_found_in_its_folder_with_a_torchvision_of_another_build(tmp_path):
    """As PyPI's for Linux, which asks while it is imported for two operators that it has not brought; in a process that
    measures memory, too, which has the folder on its path already."""
    for package in ("timm", "torchvision"):
        (tmp_path / package).mkdir()
    asks = (
        "import torch\nfor name in ('nms', 'qnms'):\n    torch.library.register_fake(f'torchvision::{name}', print)\n"
    )
    (tmp_path / "torchvision" / "__init__.py").write_text(asks, encoding="utf-8")
    (tmp_path / "timm" / "__init__.py").write_text("import torchvision", encoding="utf-8")
    code = "import pathlib, sys; from benchmarks.peers import VIT, libraries"
    code += "; libraries.TIMM_FOLDER = pathlib.Path(sys.argv[1])"
    code += "; sys.path += sys.argv[2:]; print(VIT.contestants['timm'].missing())"
    for words in ([], [str(tmp_path)]):
        done = subprocess.run([sys.executable, "-c", code, str(tmp_path), *words], capture_output=True, text=True)
        assert done.stdout.strip() == "None", done.stderr


def test_a_state_that_is_no_towers_is_refused():
    with pytest.raises(ValueError, match=r"left over 0\.weight"):
        tower_from_x_transformers(nn.Sequential(nn.Linear(2, 2)).state_dict())


def test_timms_names_are_the_courses():
    """The names as timm 1.0 writes them; where timm is installed the outputs are compared too, above."""
    ours = course_vit(VIT.sizes["tiny"], PLAIN).state_dict()
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
    course, peer = compare(model, VIT.sizes["tiny"], "training", FUSED_RUNG, ["course", "peer"], CPU, 3, 0.01)
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
    course, peer = compare(model, VIT.sizes["tiny"], "training", FUSED_RUNG, ["course", "peer"], CPU, 1, 0.01)
    assert peer == {"peer": "peer", "note": "failed: no compiler here"}
    assert course["per_second"] > 0


def test_utilization_counts_what_the_model_needs():
    """One layer by hand: 6 operations a weight and token, 12 D for each pair of tokens that an attention lets meet: 36
    of six tokens, 21 under a causal mask. Forward alone is a third."""
    size = VIT.sizes["tiny"]
    weights = 3 * 8 * 8 * 24 + 4 * 24 * 24 + 2 * 24 * 48 + 24 * 5
    flops = 6 * weights * 5 + 12 * 24 * 5**2
    assert models.flops_utilization(VIT, size, 10.0, 100.0 * flops, "training") == pytest.approx(0.1)
    assert models.flops_utilization(VIT, size, 10.0, 100.0 * flops, "inference") == pytest.approx(0.1 / 3)
    size = MODELS["transformer"].sizes["tiny"]  # six tokens a sentence: six items are one sequence
    weights = (4 + 8) * 24 * 24 + 2 * 2 * 24 * 48 + 24 * 11
    flops = 6 * weights * 6 + 12 * 24 * (2 * 36 + 21)
    reached = models.flops_utilization(MODELS["transformer"], size, 60.0, 100.0 * flops, "training")
    assert reached == pytest.approx(0.1)
    size = LM.sizes["tiny"]  # the embedding is multiplied by at the output, if not at the input
    weights = 4 * 24 * 24 + 2 * 24 * 48 + 24 * 11
    flops = 6 * weights * 6 + 12 * 24 * 21
    assert models.flops_utilization(LM, size, 60.0, 100.0 * flops, "training") == pytest.approx(0.1)


# ---- what there is to measure ----------------------------------------------------------------------------------------


def test_the_ladder_has_what_the_model_the_device_and_the_work_have():
    gpu_only = ("tf32, fused attention", "+ CUDA graphs")
    on_cpu = [rung.name for rung in ladder(LM, "training", CPU)]
    assert on_cpu == [rung.name for rung in LADDER if rung.name not in gpu_only]
    assert [rung.name for rung in ladder(VIT, "training", CPU)] == [name for name in on_cpu if name != FLAG]
    assert [rung.name for rung in ladder(LM, "training", torch.device("cuda"))] == [rung.name for rung in LADDER]
    assert [rung.name for rung in ladder(LM, "inference", CPU)] == [n for n in on_cpu if n != "+ fused optimizer"]


def test_the_flag_reaches_what_is_causal_and_nothing_else():
    """From the rung of that name on; in a Transformer that is the decoder's self-attention."""
    for model, causal in (("vit", 0), ("transformer", 1), ("language-model-128", 1)):
        size = MODELS[model].sizes["tiny"]
        for rung in LADDER:
            built = MODELS[model].contestants["course"].build(size, rung.attention)
            flagged = [name for name, part in built.named_modules() if type(part).__name__ == "FusedCausalAttention"]
            asked = LADDER.index(rung) >= [r.name for r in LADDER].index(FLAG)
            assert len(flagged) == (causal if asked else 0), f"{model}, {rung.name}: {flagged}"
            assert all(name.startswith("decoder.") and "self_" in name for name in flagged) or model != "transformer"


def test_a_language_models_step_has_as_many_tokens_at_every_length():
    for name in ("small", "base"):
        sizes = [MODELS[f"language-model-{length}"].sizes[name] for length in LENGTHS]
        assert {size.batch * size.length for size in sizes} == {1024}
        assert [size.length for size in sizes] == [128, 512, 1024]
    model = course_language_model(sizes[0], PLAIN)
    assert sum(parameter.numel() for parameter in model.parameters()) == 124_439_808  # GPT-2's, as published


def test_bfloat16_is_left_out_where_it_is_imitated(monkeypatch):
    """And what a "+" adds is added to float32 then."""
    seen = []

    def compare(model, size, work, rung, *rest):
        seen.append((rung.name, rung.dtype))
        return []

    monkeypatch.setattr(models, "compare", compare)
    monkeypatch.setattr(models, "assert_same_work", lambda *of: [])
    monkeypatch.setattr(models, "imitates_bfloat16", lambda device: True)
    records = models.run("language-model-128", LM.sizes["tiny"], CPU, 1, 0.01)
    left_out = [record["rung"] for record in records if "bfloat16" in record["note"]]
    assert left_out == ["bfloat16, plain attention", "bfloat16, fused attention"]
    assert {dtype for _, dtype in seen} == {torch.float32}
    assert [name for name, _ in seen][-2:] == ["+ fused optimizer", "+ torch.compile"]


# ---- writing with a cache --------------------------------------------------------------------------------------------


@pytest.fixture
def pair():
    return decoding.pair(LM.sizes["small"], CPU)


def some_prompt(batch: int) -> torch.Tensor:
    return torch.randint(1000, (batch, 9), generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("name", [*decoding.OURS, *list(decoding.PEERS)[:2]])
def test_every_cache_writes_what_one_pass_finds(pair, name, batch):
    prompt = some_prompt(batch)
    with torch.inference_mode():
        writer = (decoding.OURS | decoding.PEERS)[name](pair, prompt[:, :-1])
        for _ in range(2):  # again from the prompt's end
            assert decoding.difference(pair, writer, prompt, 12) < models.SAME_LOGITS
        tokens, _ = decoding.write(writer, prompt[:, -1:], 12)
    assert len(tokens.unique()) > 2  # a model that repeats itself would hide a cache's mistakes


def test_another_text_is_not_timed(pair):
    """As of a cache that forgets to go back to the prompt's end."""
    with torch.inference_mode():
        writer = dataclasses.replace(decoding.growing(pair, some_prompt(2)[:, :-1]), rewind=lambda: None)
        decoding.write(writer, some_prompt(2)[:, -1:], 3)
        with pytest.raises(AssertionError, match="some are not those of the model in one pass"):
            decoding.difference(pair, writer, some_prompt(2), 5)


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
    ("used_by_1", "used_by_2", "free", "batch"),
    [(100, 110, 1100, 64), (100, 110, 50, 1), (100, 110, 1e9, 128), (100, 110, 130, 4)],
    ids=["between", "too little", "plenty", "exactly"],
)
def test_the_largest_batch_that_fits(used_by_1, used_by_2, free, batch):
    assert largest_batch(used_by_1, used_by_2, free) == batch


def test_a_gpus_batch_leaves_room_for_the_others(monkeypatch):
    """2.5 MB and 0.5 MB an image, of 40 MB that are free: half of them, for 32 images and no more."""
    seen = []

    def warmed_up(model, name, size, work, rung, device):
        seen.append((name, work, rung.attention, rung.dtype, torch.backends.cudnn.allow_tf32))
        return (lambda: None), {"memory_mb": 2.5 + 0.5 * size.batch}

    monkeypatch.setattr(models, "warmed_up", warmed_up)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (40 * 2**20, 80 * 2**20))
    before = torch.backends.cudnn.allow_tf32
    fitted = models.fitting(VIT, VIT.sizes["base"], torch.device("cuda"))
    assert fitted == dataclasses.replace(VIT.sizes["base"], batch=32)
    assert seen == [("course", "training", PLAIN, torch.float32, False)] * 2
    assert torch.backends.cudnn.allow_tf32 == before


def test_memory_is_that_of_the_model_and_not_of_the_libraries():
    """Weights, gradients and AdamW's two moments are the least that training holds; inference holds less than that."""
    size = VIT.sizes["small"]
    weights_mb = sum(parameter.numel() for parameter in course_vit(size, PLAIN).parameters()) * 4 / 2**20
    training = peak_memory_apart("vit", "course", size, "training", FUSED_RUNG)
    inference = peak_memory_apart("vit", "course", size, "inference", FUSED_RUNG)
    assert 4 * weights_mb < training < 40 * weights_mb
    assert weights_mb < inference < training


# ---- the whole -------------------------------------------------------------------------------------------------------


def test_a_whole_run_writes_one_file(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setattr(models, "peak_memory_apart", lambda *of: 1.5)  # looked at above
    rung = "float32, fused attention"
    names = [*ONE_OF_EACH, "decoding"]
    words = ["--size", "tiny", "--rounds", "2", "--seconds", "0.01", "--rungs", rung, "--only", *names]
    monkeypatch.setattr(decoding, "PEERS", dict(list(decoding.PEERS.items())[:2]))  # compiling takes its time
    path = models.main(words, folder=tmp_path)
    assert path == tmp_path / "models.json"
    result = committed.read("models", tmp_path)
    assert set(record.KEYS) <= result.keys()
    assert result["settings"]["vit"]["d_model"] == 24
    for model in ONE_OF_EACH:
        present = [name for name, contestant in MODELS[model].contestants.items() if not contestant.missing()]
        equal = [r for r in result["records"] if r["measure"] == f"{model} equality"]
        assert [(r["peer"], r["attention"]) for r in equal] == [
            (name, attention)
            for name in present[1:]
            for attention in ((PLAIN, FUSED, CAUSAL) if MODELS[model].causal_per_layer else (PLAIN, FUSED))
        ]
        for work in MODELS[model].works:
            by_peer = {r["peer"]: r for r in result["records"] if r["measure"] == f"{model} {work}"}
            assert list(by_peer) == [*present, *(set(MODELS[model].contestants) - set(present))]
            for name in present:
                assert by_peer[name]["rung"] == rung and by_peer[name]["memory_mb"] == 1.5
                assert (
                    by_peer[name]["per_second_low"] <= by_peer[name]["per_second"] <= by_peer[name]["per_second_high"]
                )
                assert 0 < by_peer[name]["utilization"] < 1
                assert ("ratio" in by_peer[name]) == ("cpu_ratio" in by_peer[name]) == (name != "course")
            assert all(by_peer[name]["note"] for name in by_peer.keys() - set(present))
    lines = capsys.readouterr().err.splitlines()
    assert len([line for line in lines if f", {rung}: " in line]) == 5
    written = [r for r in result["records"] if r["measure"].startswith("decoding, batch ")]
    assert len(written) == len(decoding.BATCHES) * 2 * 3  # each of the course's, and two peers' beside it
    assert all(("ratio" in r) == ("cpu_ratio" in r) == (r["peer"] != "course") for r in written)


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
