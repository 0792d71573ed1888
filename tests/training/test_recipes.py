"""The presets, what is done to images, and how fast a training says that it is."""

import math

import pytest
import torch
from PIL import Image
from torch.nn.functional import cross_entropy

from training import augment, speed
from training.configuration import PRESETS, Configuration, TrainingError, check, parse, read_preset
from training.devices import Process
from training.loop import speeds
from training.step import optimizer_of
from training.tasks import make_task, text_model, vision_model, with_stochastic_depth

# ---- presets --------------------------------------------------------------------------------------------------------


def parameters(name: str, outputs: int) -> int:
    config, _ = parse(["--preset", name])
    with torch.device("meta"):  # shapes without numbers
        model = vision_model(config, outputs, 3) if config.model == "vit" else text_model(config, outputs)
    return sum(parameter.numel() for parameter in model.parameters())


def test_presets_have_as_many_parameters_as_published():
    # Touvron et al. (2021), table 1, has 22 and 86 million; timm's deit_small_patch16_224 and deit_base_patch16_224 are
    # these models to the parameter.
    assert parameters("vit-s-16", 1000) == 22_050_664
    assert parameters("vit-b-16", 1000) == 86_567_656
    # Radford et al. (2019): GPT-2's smallest, "124M" in their repository; so many in transformers' GPT2LMHeadModel.
    assert parameters("gpt-124m", 50_257) == 124_439_808
    # nanoGPT prints 10.65M for Shakespeare's 65 characters: without positions, and it has no biases, where ours have
    # 4 d in attention, 5 d in the feed-forward part and 2 d in the norms of each layer, and d at the end.
    positions, biases = 256 * 384, 6 * 11 * 384 + 384
    assert parameters("gpt-10m", 65) - positions - biases == 10_646_784


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_whole_and_flags_win_over_them(name):
    config, _ = parse(["--preset", name, "--steps", "7", "--dtype", "float16"])
    check(config)
    assert (config.steps, config.dtype, config.out) == (7, "float16", f"work/runs/{name}")
    assert config.d_model == read_preset(name)["d_model"]
    assert config.d_ff == 4 * config.d_model and config.d_model // config.num_heads == 64


def test_another_preset_is_refused():
    with pytest.raises(TrainingError, match=r"preset is one of gpt-10m, .*; did you mean 'vit-b-16'\?"):
        parse(["--preset", "vit-b16"])
    with pytest.raises(TrainingError, match="rand_augment change pictures, not the generated digits"):
        make_task(parse(["--preset", "vit-s-16"])[0])


def test_matrices_decay_and_nothing_else():
    config = Configuration(model="vit", weight_decay=0.3, beta2=0.9)
    model = vision_model(config, 10, 1)
    decaying, others = optimizer_of(model, config, torch.device("cpu")).param_groups
    assert decaying["weight_decay"] == 0.3 and others["weight_decay"] == 0 and others["betas"] == (0.9, 0.9)
    assert all(p.ndim >= 2 for p in decaying["params"]) and all(p.ndim < 2 for p in others["params"])
    assert len(decaying["params"]) + len(others["params"]) == len(list(model.parameters()))


# ---- one picture ----------------------------------------------------------------------------------------------------


def ramp(width: int, height: int) -> Image.Image:
    """Red rises from left to right, green from top to bottom: a pixel says where it comes from."""
    red = torch.linspace(0, 255, width).expand(height, width)
    green = torch.linspace(0, 255, height).unsqueeze(1).expand(height, width)
    pixels = torch.stack([red, green, torch.full_like(red, 7)], dim=2).round().byte()
    return Image.fromarray(pixels.numpy())


def test_a_crop_is_a_part_of_the_picture_of_the_size_and_shape_that_it_should_have():
    image, areas, shapes = ramp(200, 100), [], []
    for _ in range(300):
        crop = augment.random_resized_crop(image, 32, 0.1)
        assert crop.size == (32, 32)
        (left, right), (top, bottom), _ = crop.getextrema()
        w, h = (right - left) / 255, (bottom - top) / 255
        areas.append(w * h)
        shapes.append(w * 200 / (h * 100))
    assert 0.05 < min(areas) < 0.2 and max(areas) > 0.6
    assert 0.6 < min(shapes) < 0.85 and 1.2 < max(shapes) < 1.6
    assert augment.random_resized_crop(ramp(300, 3), 8, 1.0).size == (8, 8)  # no part fits: the middle


def test_a_picture_is_turned_as_often_as_it_should_be():
    image = ramp(20, 10)
    turned = [augment.flip(image, 0.3).getpixel((0, 0))[0] == 255 for _ in range(500)]
    assert 0.2 < sum(turned) / 500 < 0.4
    assert all(augment.flip(image, 1.0).getpixel((0, 0))[0] == 255 for _ in range(20))


@pytest.mark.parametrize("name", augment.OPERATIONS)
def test_an_operation_changes_more_the_stronger_it_is(name):
    image = ramp(40, 30)
    image.paste((200, 30, 90), (15, 10, 25, 20))  # edges, to sharpen
    operation = augment.OPERATIONS[name]

    def change(strength: float) -> float:
        results = [operation(image, strength) for _ in range(6)]
        assert all(result.size == image.size and result.mode == "RGB" for result in results)
        a, b = (torch.stack([torch.frombuffer(bytearray(x.tobytes()), dtype=torch.uint8) for x in xs]).float()
                for xs in (results, [image] * 6))  # fmt: skip
        return (a - b).abs().mean().item()

    changes = [change(strength) for strength in (0.0, 0.45, 0.9)]
    if name in ("auto contrast", "equalize", "invert"):  # have no strength
        assert changes[0] == changes[1] == changes[2]
    else:
        assert changes[0] <= changes[1] < changes[2]
        assert changes[0] == 0 or name == "posterize"  # which keeps four bits at least


def test_rand_augment_leaves_a_quarter_alone_and_follows_the_random_numbers():
    image = ramp(40, 30)
    results = [augment.rand_augment(image, 9).tobytes() for _ in range(200)]
    assert 0.15 < sum(result == image.tobytes() for result in results) / 200 < 0.4
    assert len(set(results)) > 50
    torch.manual_seed(0)
    assert results == [augment.rand_augment(image, 9).tobytes() for _ in range(200)]


# ---- a batch --------------------------------------------------------------------------------------------------------


def test_erasing_makes_noise_of_one_box_in_so_many_images():
    images = torch.full((400, 3, 24, 32), 5.0)
    erased = augment.erase(images, 0.25)
    changed = (erased != images).any(dim=1)  # (B, H, W)
    assert 0.18 < changed.flatten(1).any(dim=1).float().mean() < 0.32
    areas = []
    for mask in changed[changed.flatten(1).any(dim=1)]:
        rows, columns = mask.any(dim=1).nonzero(), mask.any(dim=0).nonzero()
        assert mask.sum() == len(rows) * len(columns)  # a box, whole
        assert len(rows) == rows.max() - rows.min() + 1 and len(columns) == columns.max() - columns.min() + 1
        areas.append(mask.float().mean().item())
    assert min(areas) < 0.1 and 0.2 < max(areas) < 0.4
    noise = erased[erased != images]
    assert abs(noise.mean()) < 0.1 and abs(noise.std() - 1) < 0.1
    assert augment.erase(images, 0.0).equal(images)


def test_mixup_blends_with_the_partner_by_its_share():
    images = torch.rand(6, 3, 8, 8)
    mixed, share = augment.mix(images, 0.8, 0.0)
    assert 0 < share < 1
    torch.testing.assert_close(mixed, share * images + (1 - share) * images.flip(0))
    assert augment.mix(images, 0.0, 0.0) == (images, 1.0)


def test_cutmix_takes_its_share_of_whole_pixels_from_the_partner():
    images, shares = torch.rand(6, 3, 16, 16), []
    for _ in range(100):
        mixed, share = augment.mix(images, 0.0, 1.0)
        own, partners = (mixed == images).all(dim=1), (mixed == images.flip(0)).all(dim=1)
        assert (own | partners).all() and not (own & partners).any()
        assert own[0].equal(own[1]) and own.float().mean().item() == pytest.approx(share)
        shares.append(share)
    assert min(shares) < 0.3 and max(shares) > 0.9


def test_both_kinds_of_mixing_come_and_each_has_the_loss_of_soft_labels():
    images = torch.rand(4, 1, 16, 16)
    kinds = set()
    for _ in range(40):
        mixed, share = augment.mix(images, 0.8, 1.0)
        kinds.add(bool(((mixed == images) | (mixed == images.flip(0))).all()))
    assert kinds == {True, False}
    config = Configuration(max_shift=0, mixup=0.8, label_smoothing=0.1)
    task = make_task(config)
    pixels, labels = task.batch_of(list(range(8)))
    torch.manual_seed(3)
    loss, count = task.loss_sum(task.model, (pixels, labels))
    torch.manual_seed(3)
    mixed, share = augment.mix(pixels, 0.8, 0.0)
    soft = share * torch.eye(10)[labels] + (1 - share) * torch.eye(10)[labels.flip(0)]
    expected = cross_entropy(task.model(mixed), soft, reduction="sum", label_smoothing=0.1)
    torch.testing.assert_close(loss, expected)
    assert count == 8


def test_stochastic_depth_leaves_out_whole_samples_and_keeps_the_mean():
    x = torch.ones(4000, 3, 2)
    depth = augment.StochasticDepth(0.25)
    y = depth(x)
    torch.testing.assert_close(y.flatten(1).unique(dim=0), torch.tensor([[0.0] * 6, [4 / 3] * 6]))
    assert y.mean() == pytest.approx(1, abs=0.05)
    assert depth.eval()(x).equal(x)
    config = Configuration(num_layers=3, stochastic_depth=0.2)
    layers = vision_model(config, 10, 1).encoder.layers
    assert [layer.dropout.probability for layer in layers] == pytest.approx([0, 0.1, 0.2])
    plain = vision_model(Configuration(num_layers=3), 10, 1).eval()
    image, other = (
        torch.rand(2, 1, 16, 16),
        with_stochastic_depth(vision_model(Configuration(num_layers=3), 10, 1), 0.9),
    )
    assert other.eval()(image).equal(plain(image))  # none when it is asked


# ---- speed ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "dtype", "tf32", "teraflops"),
    [
        ("NVIDIA A100-SXM4-80GB", "bfloat16", False, 312),
        ("NVIDIA A100 80GB PCIe", "float32", True, 156),
        ("NVIDIA A100-SXM4-40GB MIG 3g.20gb", "bfloat16", False, None),
        ("NVIDIA H100 80GB HBM3", "bfloat16", False, 989.4),
        ("NVIDIA H100 PCIe", "float16", False, 756),
        ("NVIDIA H100 80GB HBM3 MIG 1g.10gb", "bfloat16", False, None),
        ("NVIDIA L4", "bfloat16", False, 121),
        ("NVIDIA L40S", "bfloat16", False, None),
        ("Tesla T4", "float32", True, 8.1),  # has no TF32
        ("Tesla T4", "bfloat16", False, 8.1),  # nor units for bfloat16
        ("NVIDIA GeForce RTX 4090", "float16", False, 165.2),
        ("NVIDIA GeForce RTX 4090 Laptop GPU", "float16", False, None),
    ],
)
def test_the_data_sheet_of_a_card(name, dtype, tf32, teraflops):
    peak = speed.data_sheet_peak(name, Configuration(dtype=dtype, tf32=tf32))
    assert peak == (None if teraflops is None else pytest.approx(teraflops * 1e12))


def test_utilization_is_what_is_needed_of_what_is_there():
    config = Configuration(model="language-model", num_layers=2, d_model=64, length=32)
    task = make_task(config)
    matrices = 2 * (4 * 64**2 + 2 * 64 * 256) + 64 * len(task.tokenizer.num_bytes)
    assert task.flops_per_sample == 6 * matrices * 32 + 12 * 2 * 64 * 32**2
    values = speeds(10.0, task, {"measured_peak": 1e9, "data_sheet": 4e9})
    assert values["train/tokens_per_second"] == 320
    assert values["train/share_of_measured_peak"] == pytest.approx(task.flops_per_sample / 1e8)
    assert values["train/share_of_measured_peak"] == pytest.approx(4 * values["train/share_of_data_sheet"])
    found = speed.peaks(config, Process(0, 2, torch.device("cpu")))
    assert found.keys() == {"measured_peak"} and math.isfinite(found["measured_peak"]) and found["measured_peak"] > 0
