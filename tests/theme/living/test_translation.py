"""The living translation: equal to PyTorch; by mouse, touch and keyboard; bad input; where something is missing."""

import base64
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from playwright.sync_api import Browser, Page, expect

from benchmarks.experiments.bahdanau import AttentionTranslator
from benchmarks.living import STATIC, translation, weights
from course import data
from solutions.bahdanau import masked_softmax
from solutions.seq2seq import greedy_decode
from tests.browser import Trouble, only_still, overflow, requested, violations

pytestmark = pytest.mark.browser

HOME, ONE, TWO = "book/index.html", "notebooks/01-seq2seq.html", "notebooks/02-bahdanau.html"
PARTS = ("layers", "translation", "translation-vector", "translation-attention")  # what comes with the first touch
TOLERANCE = 1e-4
expect.set_options(timeout=30_000)  # a busy machine loads a chapter slowly


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """Chapter 02, with both models, where nothing moves by itself."""
    opened = browser.new_page(reduced_motion="reduce")
    opened.goto(address + TWO)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def models(browser: Browser, address: str) -> Iterator[Page]:
    """A page with the scripts and weights loaded and its models made, as `vector` and `attention`."""
    opened = browser.new_page()
    opened.goto(address + HOME)
    opened.evaluate("""async () => {
      for (const name of ["layers", "translation"]) await living.script(name, "test");
      window.made = {};
      for (const name of ["vector", "attention"]) {
        const file = await living.model(`translation-${name}`, "test");
        made[name] = { file, model: living.translation[name](file) };
      }
    }""")
    yield opened
    opened.close()


# ---------------------------------------------------------------- equal to PyTorch

FORCED = """([name, source, targets]) => {
  const { file, model } = made[name];
  let state = model.start(source), logits = [], weights = [];
  [file.bos, ...targets.slice(0, -1)].forEach(token => {
    const step = model.step(token, state);
    state = step.state;
    logits.push([...step.logits]);
    weights.push(step.weights ?? []);
  });
  return { logits, weights };
}"""
GREEDY = """([name, source]) => {
  const { file, model } = made[name];
  const limits = { bos: file.bos, eos: file.eos, most: file.most_words };
  const trace = living.greedyDecode(model.step, model.start(source), limits);
  return { tokens: trace.map(({ token }) => token), logits: trace.map(({ logits }) => [...logits]),
           weights: trace.map(({ weights }) => weights ?? []) };
}"""


def drawn(count: int, seed: int) -> list[list[int]]:
    draw = random.Random(seed)
    return [[draw.randint(1, 999) for _ in range(k % 8 + 1)] for k in range(count)]


@torch.no_grad()
def stepped(model: Any, batch: data.Batch, targets: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Logits (T, V) and attention weights (T, S), the latter empty for a model that has none."""
    logits = model(batch.source, batch.source_lengths, targets)[0]
    if isinstance(model, AttentionTranslator):
        return logits, model.look(batch.source, batch.source_lengths, targets)[1][0]
    return logits, torch.zeros(len(logits), 0)


def apart(theirs: list[list[float]], ours: torch.Tensor) -> float:
    assert np.shape(theirs)[: ours.ndim] == tuple(ours.shape)
    return float(np.abs(np.array(theirs) - ours.numpy()).max(initial=0))


@pytest.mark.parametrize("name", translation.SETTINGS)
def test_every_step_equals_pytorch(models: Page, name: str) -> None:
    model = translation.from_file(name)
    source, target = data.numbers_vocabularies()
    for numbers in drawn(24, seed=5):
        batch = data.collate([data.numbers_sentence(numbers)], source, target)
        ids = batch.source[0].tolist()
        forced = models.evaluate(FORCED, [name, ids, batch.targets[0].tolist()])
        logits, looks = stepped(model, batch, batch.targets)
        assert max(apart(forced["logits"], logits), apart(forced["weights"], looks)) < TOLERANCE, numbers
        with torch.no_grad():
            state = model.start(batch.source, batch.source_lengths)
            written = greedy_decode(model.step, state, data.BOS_ID, data.EOS_ID, translation.MOST_WORDS)
        alone = models.evaluate(GREEDY, [name, ids])
        assert alone["tokens"] == written[0].tolist(), numbers
        logits, looks = stepped(model, batch, written)
        assert max(apart(alone["logits"], logits), apart(alone["weights"], looks)) < TOLERANCE, numbers


def test_masked_softmax_equals_chapter_02(models: Page) -> None:
    generator = torch.Generator().manual_seed(1)
    scores = torch.randn(6, 9, generator=generator) * 20
    mask = torch.rand(6, 9, generator=generator) < 0.5
    mask[0], mask[1] = False, True
    made = models.evaluate(
        "([scores, mask]) => scores.map((row, i) => living.maskedSoftmax(row, mask[i]))",
        [scores.tolist(), mask.tolist()],
    )
    assert apart(made, masked_softmax(scores, mask)) < 1e-6


def test_halves_are_read_as_numpy_reads_them(models: Page) -> None:
    bits = np.arange(2**16, dtype="<u2")
    bits = bits[np.isfinite(bits.view("<f2"))]
    made = models.evaluate(
        """async ([block, length]) => {
          living.weights("layers", { tensors: [["all", [length]]] }, block);
          return [...(await living.model("layers", "test")).tensors.all.data];
        }""",
        [base64.b64encode(bits.tobytes()).decode(), len(bits)],
    )
    assert (np.array(made) == bits.view("<f2").astype(float)).all()


def test_numbers_are_put_into_words_as_the_course_does(models: Page) -> None:
    made = models.evaluate("""() => Array.from({ length: 999 }, (_, i) =>
      [living.translation.english(i + 1), living.translation.german(i + 1)])""")
    pairs = [data.number_in_words(n) for n in range(1, 1000)]
    assert made == [[list(pair.source), list(pair.target)] for pair in pairs]


# ---------------------------------------------------------------- operated


def figure(page: Page) -> Any:
    return page.locator("living-translation")


def says(page: Page) -> Any:
    return figure(page).get_by_role("status")


@pytest.mark.parametrize("name", [HOME, ONE, TWO])
def test_nothing_is_fetched_before_the_first_touch(browser: Browser, address: str, name: str) -> None:
    page = browser.new_page()
    names = requested(page)
    page.goto(address + name)
    figure(page).scroll_into_view_if_needed()
    figure(page).get_by_role("textbox").focus()
    page.keyboard.press("Tab")
    assert "living-translation" in names and not set(PARTS) & set(names)
    figure(page).get_by_role("button", name="Write").click()
    expect(says(page)).to_contain_text("321. ")
    wanted = set(PARTS) - ({"translation-attention"} if name == ONE else set())
    assert set(PARTS) & set(names) == wanted and all(names.count(part) == 1 for part in wanted)
    page.close()


def test_a_number_typed_is_written_in_german(page: Page) -> None:
    figure(page).get_by_role("textbox").fill("764")
    expect(says(page)).to_have_text("764. One vector: all right. Attention: all right.")
    words = figure(page).locator(".live .attention .target .word")
    assert words.all_text_contents() == "sieben hundert vier und sechzig".split()
    assert not figure(page).locator(".still").is_visible()
    weights = (
        figure(page)
        .locator(".live .attention .source .word")
        .evaluate_all("words => words.map(word => Number(word.style.getPropertyValue('--weight')))")
    )
    assert len(weights) == 5 and abs(sum(weights) - 1) < 0.005
    assert figure(page).locator(".live .attention .lines path").count() > 5
    assert figure(page).locator(".live .strip path").count() == 1


def test_the_slider_by_keyboard_shows_where_the_first_model_fails(page: Page) -> None:
    slider = figure(page).get_by_role("slider", name="How many")
    slider.focus()
    wrong = {}
    for k in range(2, 9):
        page.keyboard.press("ArrowRight")
        expect(slider).to_have_attribute("aria-valuetext", re.compile(rf"^{k} numbers"))
        expect(says(page)).to_contain_text(figure(page).get_by_role("textbox").input_value() + ". ")
        wrong[k] = (
            figure(page).locator(".live .vector .wrong").count(),
            figure(page).locator(".live .attention .wrong").count(),
        )
        assert figure(page).locator(".measured .now").first.inner_text() == str(k)
    assert wrong[4][0] > 0 and wrong[4][1] == 0
    expect(says(page)).to_contain_text("The models were trained on one to 6 numbers.")


def test_each_word_can_be_gone_back_to(page: Page) -> None:
    figure(page).get_by_role("button", name="Write").click()
    step = figure(page).get_by_role("slider", name="Word", exact=True)
    step.focus()
    page.keyboard.press("Home")
    expect(step).to_have_attribute(
        "aria-valuetext", re.compile("^Word 1. One vector writes drei. Attention writes drei, and looks")
    )
    live = figure(page).locator(".live .attention .target .word")
    assert [word.is_visible() for word in live.all()] == [True, False, False, False, False]


def test_words_come_one_by_one_where_motion_is_welcome(browser: Browser, address: str) -> None:
    page = browser.new_page()
    page.goto(address + HOME)
    figure(page).get_by_role("button", name="Write").click()
    last = figure(page).locator(".live .attention .target .word").last
    last.wait_for(state="attached")
    assert not last.is_visible()
    expect(last).to_be_visible()
    page.close()


def test_by_touch(phone: Page, address: str) -> None:
    phone.goto(address + HOME)
    slider = figure(phone).get_by_role("slider", name="How many")
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    phone.touchscreen.tap(box["x"] + box["width"] - 4, box["y"] + box["height"] / 2)
    expect(slider).to_have_attribute("aria-valuetext", "8 numbers, more than in training")
    expect(says(phone)).to_contain_text("321, 47, 508, 96, 712, 83, 240, 659. ")
    assert overflow(phone) == 0


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "Type a number from 1 to 999, or several with commas between them."),
        ("zwölf", "“zwölf” is no whole number in digits. Type one such as 321."),
        ("🙂", "“🙂” is no whole number in digits. Type one such as 321."),
        ("<script>alert(1)</script>", "“<script>aler…” is no whole number in digits. Type one such as 321."),
        ("3.5", "“3.5” is no whole number in digits. Type one such as 321."),
        ("0", "“0” is out of range: the models know the numbers from 1 to 999."),
        ("9" * 500, "“999999999999…” is out of range: the models know the numbers from 1 to 999."),
        ("1 2 3 4 5 6 7 8 9", "These are 9 numbers; the figure takes 8 at most."),
    ],
)
def test_what_is_no_number_gets_a_sentence(page: Page, typed: str, said: str) -> None:
    box = figure(page).get_by_role("textbox")
    box.fill("12")
    expect(says(page)).to_contain_text("12. ")
    box.fill(typed)
    expect(says(page)).to_have_text(said)
    assert box.get_attribute("aria-invalid") == "true"
    assert figure(page).locator(".live .attention .target .word").all_text_contents() == ["zwölf"]
    box.fill("7; 8")
    expect(says(page)).to_contain_text("7, 8. ")
    assert box.get_attribute("aria-invalid") == "false"


# ---------------------------------------------------------------- where something is missing


def test_without_whole_weights_the_still_picture_stays(page: Page, trouble: Trouble) -> None:
    page.route("**/translation-attention.js*", trouble)
    figure(page).get_by_role("button", name="Write").click()
    expect(says(page)).to_contain_text("The models’ weights could not be loaded.")
    assert only_still(figure(page))
    page.unroute("**/translation-attention.js*")
    figure(page).get_by_role("button", name="Write").click()
    expect(says(page)).to_have_text("321. One vector: all right. Attention: all right.")


@pytest.mark.parametrize("name", [HOME, TWO])
def test_the_still_picture_is_whole_without_script_and_on_paper(static: Page, address: str, name: str) -> None:
    static.goto(address + name)
    for media in ("screen", "print"):
        static.emulate_media(media=media)
        still = figure(static).locator(".still")
        assert still.is_visible() and still.get_by_role("img").count() == 2
        assert "wrong)" in still.inner_text() and "(all right)" in still.inner_text()
        assert figure(static).locator(".controls").count() == 0


def test_paper_shows_the_still_picture_though_the_live_one_stood(page: Page) -> None:
    figure(page).get_by_role("button", name="Write").click()
    expect(figure(page).locator(".live")).to_be_visible()
    page.emulate_media(media="print")
    assert only_still(figure(page))
    assert not figure(page).locator(".controls").is_visible()


def test_it_runs_from_a_folder(browser: Browser, built: Path) -> None:
    page = browser.new_page(reduced_motion="reduce")
    page.goto((built / HOME).as_uri())
    figure(page).get_by_role("button", name="Write").click()
    expect(says(page)).to_have_text("321. One vector: all right. Attention: all right.")
    page.close()


@pytest.mark.parametrize("name", [HOME, TWO])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_the_live_figure(browser: Browser, address: str, name: str, scheme: str) -> None:
    page = browser.new_page(reduced_motion="reduce", color_scheme=scheme)
    page.goto(address + name)
    figure(page).get_by_role("textbox").fill("321, 47, 508, 96")
    expect(says(page)).to_contain_text("321, 47, 508, 96. ")
    assert violations(page, ".live-figure:has(living-translation)") == []
    page.close()


# ---------------------------------------------------------------- its weight


@pytest.mark.parametrize("name", translation.SETTINGS)
def test_weights_are_light(name: str) -> None:
    path = STATIC / f"translation-{name}.js"
    assert path.stat().st_size < 500_000
    assert set(weights.read(path)) == set(translation.model_of(name).state_dict())
