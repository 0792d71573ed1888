"""A run's key: kept for appeals where its owner alone can read it, named by its digest everywhere else, and on no line
into a sandbox, neither it nor anything else from which a draw could be told."""

import base64
import hashlib
import os
import pickle
import socket
import stat
import zlib
from pathlib import Path

import nbformat
import numpy as np
import pytest
import torch

from autograde import bank, keys
from autograde.bank import sample
from autograde.grading import judge, run
from autograde.grading.executor import Here
from autograde.grading.regrade import regrade
from autograde.grading.worker import Worker
from autograde.intake.received import receive
from autograde.ledger import Ledger
from autograde.sandbox import command
from course import checks
from course.checks.engine import Table
from course.checks.engine.draw import Draw
from course.exercises import exercises
from course.key import RECORDED_KEY, Key
from course.protocol import wire
from course.protocol.student import Local
from tests.autograde import toy
from tools.notebooks import files, solving

KEY = Key(hashlib.sha256(b"the key of the tests' run").digest())  # as long as a real one
CODED = [exercise for exercise in exercises() if not exercise.question]


def forms(secret: bytes) -> set[bytes]:
    """A secret in the ways in which it could be written, and each of its parts of eight bytes."""
    written = set()
    for piece in (secret, *(secret[i : i + 8] for i in range(0, len(secret), 8))):
        for order in (piece, piece[::-1]):
            number = str(int.from_bytes(order, "big")).encode()
            written |= {order, order.hex().encode(), order.hex().upper().encode(), number}
            written.add(base64.b64encode(order).rstrip(b"="))
    return written


class Tap:
    """What passes, as bytes; every secret that is derived meanwhile, but for seeds, which are for showing."""

    def __init__(self, patch: pytest.MonkeyPatch):
        self.passed: list[bytes] = []
        self.secrets: set[bytes] = set()
        self.seeds: set[int] = set()
        derive = Key.derive

        def derived(key, *labels):
            made = derive(key, *labels)
            self.secrets |= {key.secret} | (set() if labels[0] == "seed" else {made})
            return made

        patch.setattr(Key, "derive", derived)

    def frame(self, value) -> None:
        if isinstance(value, dict) and type(value.get("seed")) is int:
            self.seeds.add(value["seed"])
        header, arrays = wire.encode(value)
        self.passed.append(b"".join([header, *arrays]))

    def secrets_that_passed(self) -> list[bytes]:
        """The secrets that can be read from what passed."""
        text = b"\n".join(self.passed)
        assert text and (KEY.secret in self.secrets or not self.seeds)
        whole = {secret for secret in self.secrets if secret in text or secret.hex().encode() in text}
        searched = {KEY.secret, *sorted(self.secrets)[:30]}  # for their parts too, which takes longer
        return sorted(whole | {secret for secret in searched if any(form in text for form in forms(secret))})


class Tapped:
    """A protocol in this process that shows what it carries."""

    def __init__(self, tap: Tap, inner: Local):
        self.tap, self.inner = tap, inner

    def request(self, message, callbacks):
        def tapped(function):
            def call(*args, **kwargs):
                self.tap.frame({"args": list(args), "kwargs": kwargs})
                given = function(*args, **kwargs)
                self.tap.frame(given)
                return given

            return call

        self.tap.frame(message)
        reply = self.inner.request(message, [tapped(function) for function in callbacks])
        self.tap.frame(reply)
        return reply


def observed(exercise, tap: Tap) -> None:
    check = checks.find(exercise.name, exercise.chapter)
    protocol = Tapped(tap, Local(bank.namespace(exercise)))
    check.observe(check.student(protocol), KEY, bank.implementations(exercise))


# ---- what is sent ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("exercise", CODED, ids=lambda e: e.name)
def test_no_frame_of_a_check_holds_the_key_or_what_is_drawn_from_it_in_secret(exercise, monkeypatch):
    tap = Tap(monkeypatch)
    observed(exercise, tap)
    assert not tap.secrets_that_passed()


def recomputed(seed: int) -> list[Key]:
    """Keys that somebody who sees a seed would try."""
    tried = [Key.public(seed), Key(str(seed).encode()), Key(hashlib.sha256(str(seed).encode()).digest())]
    return tried + [Key(seed.to_bytes(length, order)) for length in (8, 32) for order in ("little", "big")]


@pytest.mark.parametrize("exercise", CODED, ids=lambda e: e.name)
def test_from_a_seed_that_is_sent_no_draw_can_be_told(exercise, monkeypatch):
    """Neither with the course's own code nor by NumPy's generator, which draws begin from."""
    tap = Tap(monkeypatch)
    observed(exercise, tap)
    constant = {seed for seed in tap.seeds if seed < 100}  # written in the check, the same for everybody
    sent = tap.seeds - constant
    assert all(1 << 40 < seed < 1 << 63 for seed in sent)
    labels = [(exercise.name, index) for index in range(3)] + [(exercise.name, "order"), (exercise.name,)]
    real = [tuple(Draw(KEY, *label).normal(4).tolist()) for label in labels]
    real += [tuple(Draw(KEY, exercise.name).another("order").normal(4).tolist())]
    for seed in sent:
        tried = [Draw(key, *label).normal(4) for key in recomputed(seed) for label in labels]
        tried += [Draw(key, exercise.name).another("order").normal(4) for key in recomputed(seed)]
        starts = [seed % 2**32, *(zlib.crc32(repr((seed, *label)).encode()) for label in labels)]
        tried += [torch.from_numpy(np.random.RandomState(s).standard_normal(4).astype(np.float32)) for s in starts]
        assert not {tuple(numbers.tolist()) for numbers in tried} & set(real)


def test_what_is_asked_for_a_test_and_where_its_order_is_drawn_have_nothing_in_common(monkeypatch):
    of_tests = [exercise for exercise in CODED if bank.implementations(exercise)]
    assert of_tests
    for exercise in of_tests:
        tap = Tap(monkeypatch)
        observed(exercise, tap)
        (seed,) = tap.seeds
        assert seed == Draw(KEY, exercise.name).seed("of the test")
        assert seed != Draw(KEY, exercise.name).seed("of what it is given")


@pytest.fixture
def tap(monkeypatch):
    """A tap on every byte to and fro: the program's command line, what starts a child, its cells, all requests and
    replies."""
    tap, send, read = Tap(monkeypatch), wire.send, wire._read
    arguments, send_fds = command.arguments, socket.send_fds

    def sent(sock, value, *caps, **how):
        tap.frame(value)
        send(sock, value, *caps, **how)

    def received(sock, size):
        tap.passed.append(bytes(raw := read(sock, size)))
        return raw

    def started(*given):
        tap.passed.append(repr(made := arguments(*given)).encode())
        return made

    def with_descriptors(sock, buffers, *more):
        tap.passed.extend(map(bytes, buffers))
        return send_fds(sock, buffers, *more)

    monkeypatch.setattr(wire, "send", sent)
    monkeypatch.setattr(wire, "_read", received)
    monkeypatch.setattr(command, "arguments", started)
    monkeypatch.setattr(socket, "send_fds", with_descriptors)
    return tap


@pytest.mark.sandbox
@pytest.mark.parametrize("number", ["03", "05"])
def test_a_whole_run_sends_nothing_into_the_sandbox_that_gives_the_key_away(number, tap, tmp_path, monkeypatch):
    (path,) = files.paths([number])
    listed = [exercise for exercise in judge.of_assignment(path.stem) if not exercise.question]

    def tables(assignment, key):  # without the wrong answers, which nothing is sent of
        return {e.name: Table(key, bank.observe(e, None, key), (), bank.implementations(e)) for e in listed}

    monkeypatch.setattr(judge, "tables", tables)
    (tmp_path / path.name).write_text(nbformat.writes(solving.solved(path)))
    with Worker(path.stem, files.read(path), KEY) as worker:
        graded = worker.grade(receive(tmp_path, path.stem))
    assert not graded.details, graded.details
    assert {name: judged.outcome for name, judged in graded.verdicts.items()} == dict.fromkeys(graded.verdicts, "pass")
    assert len(tap.passed) > 100 and tap.seeds and not tap.secrets_that_passed()


@pytest.mark.sandbox
def test_nor_does_a_run_that_looks_twice_and_seeks_what_went_wrong(tap, tmp_path, monkeypatch):
    """A blank answer and a wrong one, with references in their places for what rests on them, and the bank's wrong
    answers to compare with."""
    (path,) = files.paths(["05"])
    sheet = sample.Sheet(path.read_bytes(), path.stem)
    wrong = bank.find(next(e for e in sheet.tasks if e.name == "multi_head_attention")).wrong[0]
    answers = sheet.right | {"multi_head_attention": wrong.source}
    del answers["split_heads"]
    (tmp_path / path.name).write_bytes(sheet.filled(answers))
    substituted, with_reference = [], judge.with_reference

    def substitute(cells, listed, exercise, failed, aside):
        substituted.append((exercise.name, failed))
        return with_reference(cells, listed, exercise, failed, aside)

    monkeypatch.setattr(judge, "with_reference", substitute)
    with Worker(path.stem, files.read(path), KEY) as worker:
        graded = worker.grade(receive(tmp_path, path.stem))
    assert not graded.details, graded.details
    assert graded.verdicts["split_heads"].outcome == "not answered"
    assert graded.verdicts["multi_head_attention"].diagnosis == wrong.name
    assert ("multi_head_attention", ("split_heads",)) in substituted
    assert len(tap.passed) > 100 and tap.seeds and not tap.secrets_that_passed()


def test_streams_and_seeds_of_one_key_are_apart():
    """What a stream's state is made of makes nothing else, and no label gives what another gives."""
    draw = Draw(KEY, "row", 0)
    made = [KEY.derive("row", 0), draw._key.derive("numbers"), draw._key.derive("seed"), draw._key.derive("state", "w")]
    made += [draw.another()._key.secret, draw.another("numbers")._key.secret, KEY.derive("row", "0")]
    assert len({KEY.secret, *made}) == 1 + len(made)
    assert draw.seed() == Draw(KEY, "row", 0).seed() != draw.seed(1)
    before = draw.another("a").normal(3)
    draw.normal(5)
    assert torch.equal(before, draw.another("a").normal(3))


def test_a_key_is_in_no_text_that_is_made_of_it():
    assert KEY.secret.hex() not in repr(KEY) + str(KEY) and "secret" not in repr(KEY)
    assert pickle.loads(pickle.dumps(KEY)) == KEY  # a worker gets it
    assert len({Key.fresh() for _ in range(5)}) == 5 and len(Key.fresh().secret) == 32
    assert Key.public(3) == Key.public(3) != Key.public(4) and RECORDED_KEY.digest != KEY.digest


# ---- what is kept ----------------------------------------------------------------------------------------------------


def test_a_kept_key_is_its_owners_alone_and_is_checked_by_its_digest(tmp_path):
    mask = os.umask(0)
    try:
        keys.keep(tmp_path / "ledger", KEY)
        keys.keep(tmp_path / "ledger", KEY)
    finally:
        os.umask(mask)
    (path,) = (tmp_path / "ledger" / keys.FOLDER).iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert path.name == KEY.digest and keys.find(tmp_path / "ledger", KEY.digest) == KEY
    for content in (KEY.secret.hex()[:-2], "no key", ""):
        path.write_text(content)
        assert keys.find(tmp_path / "ledger", KEY.digest) is None
    keys.keep(tmp_path / "ledger", KEY)  # what was cut short is written whole
    assert keys.find(tmp_path / "ledger", KEY.digest) == KEY
    assert keys.find(tmp_path, KEY.digest) is None and keys.find(tmp_path / "ledger", "") is None


def test_a_class_holds_its_key_in_one_file_and_its_digest_in_the_records(toy_class):
    folder = toy_class.folder
    record = next(Ledger(folder.ledger).read(toy.NAME))
    key = keys.find(folder.ledger, record.key)
    assert key is not None and len(key.secret) == 32
    holding = {
        path.relative_to(folder.root).as_posix()
        for path in folder.root.rglob("*")
        if path.is_file() and any(form in path.read_bytes() for form in forms(key.secret))
    }
    assert holding == {f"ledger/{keys.FOLDER}/{key.digest}"}


@pytest.fixture
def faced(monkeypatch) -> list[Key]:
    """The keys of the tasks that are graded."""
    met, graded = [], Here.grade
    monkeypatch.setattr(Here, "grade", lambda self, task, *jobs: (met.append(task.key), graded(self, task, *jobs))[1])
    return met


def test_regrading_is_on_the_old_key_and_says_where_there_is_none(toy_class, tmp_path, one_sandbox, faced):
    folder = toy_class.copy(tmp_path / "class")
    ledger, chosen = folder.ledger, {"students": ["right", "partly-right"]}
    with toy.installed(tmp_path):
        before = next(Ledger(ledger).read(toy.NAME))
        again = regrade(folder, write=True, **chosen)
        assert again.submissions == 2 and not again.changes and not again.other_numbers
        assert [key.digest for key in faced] == [before.key]
        after = list(Ledger(ledger).read(toy.NAME))[-1]
        assert after.key == before.key and after.run != before.run
        (ledger / keys.FOLDER / before.key).unlink()
        regraded = regrade(folder, **chosen)
        assert regraded.other_numbers == 2 and faced[-1].digest != before.key
        assert not list((ledger / keys.FOLDER).iterdir()), "nothing is written"
        regrade(folder, write=True, **chosen)
        last = list(Ledger(ledger).read(toy.NAME))[-1]
        assert keys.find(ledger, last.key) == faced[-1]


def test_a_run_that_goes_on_has_the_key_it_began_with(toy_released, toy_notebook, submission, one_sandbox, faced):
    from autograde.bank import sample

    sheet = sample.Sheet(toy_notebook.read_bytes(), toy.NAME)
    for student in ("ada", "bob"):
        submission(toy_released, student, sheet.filled(sheet.right))

    def stop(assignment, done, of, line):
        if line is not None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run.grade(toy_released, progress=stop)
    plan = Path(toy_released.ledger, "unfinished.json").read_text()
    assert faced[0].digest in plan and faced[0].secret.hex() not in plan
    run.grade(toy_released, resume=True)
    assert faced == [faced[0]] * 2
