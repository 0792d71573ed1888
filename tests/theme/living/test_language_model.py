"""The next character, live: equal to PyTorch; by keyboard and touch; strange text; where something is missing."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from playwright.sync_api import Browser, Page, expect

from benchmarks.living import language_model, weights
from course.watch import watch_attention
from solutions.language_model import sampling_distribution
from tests.browser import Trouble, only_still, overflow, requested, violations

pytestmark = pytest.mark.browser

CHAPTER, OWN = "notebooks/07-language-model.html", "book/next-character.html"
PARTS = ("layers", "causal-language-model", "language-model")  # what comes with the first touch
TOLERANCE = 1e-4


def figure(page: Page) -> Any:
    return page.locator("living-language-model")


def says(page: Page) -> Any:
    return figure(page).get_by_role("status")


def text(page: Page) -> Any:
    return figure(page).get_by_role("textbox", name="Your text")


def slide(page: Page, name: str, key: str) -> None:
    figure(page).get_by_role("slider", name=name).press(key)


def shares(page: Page) -> np.ndarray:
    """The live table's numbers: rows, and before and after the settings."""
    cells = figure(page).locator(".live td").evaluate_all("cells => cells.map(cell => Number(cell.textContent))")
    return np.array(cells).reshape(-1, 2)


# ---------------------------------------------------------------- equal to PyTorch

READ = """async texts => {
  for (const name of ["layers", "causal-language-model"]) await living.script(name, "test");
  const model = living.causalLanguageModel(await living.model("language-model", "test")), cache = model.emptyCache();
  return texts.map(tokens => {
    const passed = model.follow(cache, tokens);
    return { passed, logits: cache.logits.map(row => [...row]), weights: structuredClone(cache.weights) };
  });
}"""
CHOOSE = """([logits, settings]) => logits.map(row => living.samplingDistribution(row, settings))"""


def test_logits_and_weights_equal_pytorch_however_the_cache_was_filled(page: Page) -> None:
    model = language_model.from_file()
    generator = torch.Generator().manual_seed(5)
    drawn = [torch.randint(len(model.token_embedding.weight), (n,), generator=generator) for n in (1, 32, 17, 32)]
    texts = [*drawn, drawn[-1][:20], torch.cat([drawn[-1][:20], drawn[0]]), drawn[-1][1:]]
    read = page.evaluate(READ, [tokens.tolist() for tokens in texts])
    assert [made["passed"] for made in read][-3:] == [0, 1, 31]
    for made, tokens in zip(read, texts, strict=True):
        with torch.no_grad(), watch_attention(model) as seen:
            logits = model(tokens.unsqueeze(0))[0]
        assert np.abs(np.array(made["logits"]) - logits.numpy()).max() < TOLERANCE
        for i in range(len(model.layers)):
            looks = seen[f"layers.{i}.self_attention"][0]  # (H, T, T)
            for t, rows in enumerate(made["weights"]):
                assert np.abs(np.array(rows[i]) - looks[:, t, : t + 1].numpy()).max() < TOLERANCE


def test_multiplications_are_those_of_the_modules(page: Page) -> None:
    """Each linear map once for every token, as PyTorch has them; attention as its sums say, over the keys so far."""
    model = language_model.from_file()
    maps = sum(module.weight.numel() for module in model.layers.modules() if isinstance(module, torch.nn.Linear))
    output, width = model.token_embedding.weight.numel(), model.token_embedding.weight.shape[1]
    counted = """async spans => {
      for (const name of ["layers", "causal-language-model"]) await living.script(name, "test");
      const model = living.causalLanguageModel(await living.model("language-model", "test"));
      return spans.map(([start, end]) => model.multiplications(start, end));
    }"""
    spans = [(0, 1), (17, 18), (0, 32), (5, 5)]
    for (start, end), made in zip(spans, page.evaluate(counted, spans), strict=True):
        attention = sum(2 * width * (t + 1) * len(model.layers) for t in range(start, end))
        assert made == (end - start) * (maps + output) + attention


@pytest.mark.parametrize(
    ("temperature", "top_k", "top_p"),
    [(1, None, None), (0, None, None), (0.01, None, None), (1.7, 5, None), (1, None, 0.8), (0.6, 20, 0.9), (1, 1, 0.1)],
)
def test_settings_equal_exercise_7_5(page: Page, temperature: float, top_k: int | None, top_p: float | None) -> None:
    page.evaluate(READ, [[1]])
    logits = 3 * torch.randn(20, 103, generator=torch.Generator().manual_seed(1))
    settings = {"temperature": temperature}
    settings |= {name: value for name, value in (("topK", top_k), ("topP", top_p)) if value is not None}
    made = page.evaluate(CHOOSE, [logits.tolist(), settings])
    wanted = sampling_distribution(logits, temperature, top_k, top_p)
    assert np.abs(np.array(made) - wanted.numpy()).max() < TOLERANCE


def test_the_still_picture_is_the_live_one_and_is_written_on_alike(page: Page) -> None:
    still = figure(page).locator(".still")
    wanted = still.locator("tbody tr").all_inner_texts(), still.locator("mark").text_content()
    figure(page).get_by_role("button", name="Write").click()
    expect(says(page)).to_contain_text("Seed 1 wrote 100 characters.")
    assert figure(page).locator(".live mark").text_content() == wanted[1]
    text(page).press("End")
    text(page).press_sequentially("x")
    text(page).press("Backspace")
    expect(says(page)).to_contain_text("Most likely next: ")
    assert not still.is_visible()
    assert figure(page).locator(".live tbody tr").all_inner_texts() == wanted[0]


# ---------------------------------------------------------------- operated


def test_nothing_is_fetched_before_the_first_touch(browser: Browser, address: str) -> None:
    page = browser.new_page(reduced_motion="reduce")
    names = requested(page)
    page.goto(address + CHAPTER)
    figure(page).scroll_into_view_if_needed()
    text(page).focus()
    assert "living-language-model" in names and not set(PARTS) & set(names)
    text(page).press("End")
    text(page).press_sequentially("i")
    expect(says(page)).to_contain_text("Most likely next: ")
    assert all(names.count(part) == 1 for part in PARTS)
    page.close()


def test_what_is_typed_and_set_moves_the_bars(page: Page) -> None:
    text(page).fill("The with statemen")
    expect(says(page)).to_contain_text("Most likely next: t, ")
    assert figure(page).locator(".passed").inner_text().startswith("Through the layers: 17 of 17 characters")
    text(page).press_sequentially("t")
    expect(figure(page).locator(".passed")).to_contain_text("Through the layers: 1 of 18 characters")
    assert [figure(page).locator(f".live .cells .{kind}").count() for kind in ("cached", "new")] == [17, 1]
    assert np.abs(shares(page).sum(axis=0) - 1).max() < 0.06
    slide(page, "Temperature", "Home")
    expect(says(page)).to_contain_text("; with the settings 1.00. 1 of 103 characters can come.")
    assert shares(page)[:, 1].tolist() == [1] + [0] * 10
    for name in ("Temperature", "Top-k", "Top-p"):
        slide(page, name, "End")
    expect(figure(page).get_by_role("slider", name="Top-k")).to_have_attribute("aria-valuetext", "all")
    expect(says(page)).to_contain_text("103 of 103 characters can come.")
    slide(page, "Top-k", "Home")
    expect(says(page)).to_contain_text("1 of 103 characters can come.")


def test_a_seed_writes_the_same_again_and_another_does_not(page: Page) -> None:
    written = []
    for seed in ("7", "7", "8"):
        figure(page).get_by_role("spinbutton", name="Seed").fill(seed)
        figure(page).get_by_role("button", name="Write").click()
        expect(says(page)).to_contain_text(f"Seed {seed} wrote 100 characters.")
        written.append(figure(page).locator(".live mark").text_content())
    assert written[0] == written[1] != written[2]


def test_writing_goes_character_by_character_and_can_be_stopped(browser: Browser, address: str) -> None:
    page = browser.new_page()
    page.goto(address + OWN)
    figure(page).get_by_role("button", name="Write").click()
    expect(figure(page).locator(".live mark")).to_have_text(re.compile(r"..."))
    figure(page).get_by_role("button", name="Stop").click()
    expect(says(page)).to_contain_text(re.compile(r"Seed 1 wrote \d{1,2} characters\."))
    page.close()


def test_by_touch_at_320_pixels(phone: Page, address: str) -> None:
    phone.goto(address + OWN)
    slider = figure(phone).get_by_role("slider", name="Top-p")
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    phone.touchscreen.tap(box["x"] + 4, box["y"] + box["height"] / 2)
    expect(says(phone)).to_contain_text("1 of 103 characters can come.")
    figure(phone).get_by_role("button", name="Write").tap()
    expect(says(phone)).to_contain_text("Seed 1 wrote 100 characters.")
    assert overflow(phone) == 0


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "Type at least one letter, digit or sign of English: the model goes on from what it has read."),
        ("🙂", "Left out, since the training text does not have it: “🙂”."),
        ("für 🙂🙂 Übel", "Left out, since the training text does not have it: “ü”, “🙂”, “Ü”."),
        ("日本語です", "Left out, since the training text does not have it: “日”, “本”, “語” and others."),
        ("a" * 33, "The model reads the last 32 characters only."),
        ("<script>alert(1)</script> " * 400, "The model reads the last 32 characters only."),
    ],
)
def test_strange_text_gets_a_sentence(page: Page, typed: str, said: str) -> None:
    text(page).fill("if")
    expect(says(page)).to_contain_text("Most likely next: ")
    text(page).fill(typed)
    expect(says(page)).to_contain_text(said)
    nothing = typed in ("", "🙂", "日本語です")
    assert text(page).get_attribute("aria-invalid") == str(nothing).lower()
    assert figure(page).locator(".live").is_visible() and np.abs(shares(page).sum(axis=0) - 1).max() < 0.06
    figure(page).get_by_role("button", name="Write").click()
    expect(says(page)).to_contain_text("Type at least" if nothing else "wrote 100 characters.")


# ---------------------------------------------------------------- where something is missing


def test_without_whole_weights_the_still_picture_stays(page: Page, trouble: Trouble) -> None:
    page.route("**/language-model.js*", trouble)
    figure(page).get_by_role("button", name="Write").click()
    expect(says(page)).to_contain_text("The model’s weights could not be loaded.")
    assert only_still(figure(page))
    page.unroute("**/language-model.js*")
    figure(page).get_by_role("button", name="Write").click()
    expect(says(page)).to_contain_text("Seed 1 wrote 100 characters.")
    page.emulate_media(media="print")
    assert only_still(figure(page))


def test_the_still_picture_is_whole_without_script(static: Page, address: str) -> None:
    static.goto(address + CHAPTER)
    assert figure(static).locator(".still tbody tr").count() == 11 and figure(static).locator(".still").is_visible()
    assert figure(static).locator(".controls").count() == 0


def test_it_runs_from_a_folder(browser: Browser, built: Path) -> None:
    page = browser.new_page(reduced_motion="reduce")
    page.goto((built / OWN).as_uri())
    figure(page).get_by_role("button", name="Write").click()
    expect(says(page)).to_contain_text("Seed 1 wrote 100 characters.")
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_the_live_figure(browser: Browser, address: str, scheme: str) -> None:
    page = browser.new_page(reduced_motion="reduce", color_scheme=scheme)
    page.goto(address + OWN)
    figure(page).get_by_role("button", name="Write").click()
    expect(says(page)).to_contain_text("Seed 1 wrote 100 characters.")
    assert violations(page, "living-language-model") == []
    page.close()


def test_weights_are_light() -> None:
    assert language_model.PATH.stat().st_size < 500_000
    assert set(weights.read(language_model.PATH)) == set(language_model.from_file().state_dict())
