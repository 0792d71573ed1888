"""Where submissions go to be graded: to a worker in this process, to worker processes of this machine, or to a cluster.

Each engine takes submissions as they are read and gives back what became of them, in any order, with a few under way at
a time, so that a class of any size needs the same memory. Each process holds one worker and writes nothing: only the
process that called writes the ledger and the gradebook, so there is one writer to stop, to lock out and to trust.

Processes and machines are Dask's. What passes between those that are started here is encrypted and signed; who starts
a scheduler of their own looks after that themselves. Nothing in a sandbox has a network to reach either.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import logging
import random
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Protocol

import nbformat
import torch

from autograde.grading import isolation
from autograde.grading.scheduler import ANSWER_SECONDS, no_answer
from autograde.grading.versions import edited, versions
from autograde.grading.worker import Graded, Task, Worker, not_graded
from autograde.intake.probe import probe_jail
from autograde.intake.received import Received
from autograde.sandbox import doctor
from autograde.sandbox.launch import Launched, SandboxError

PATIENCE = 60.0  # seconds for the first worker
HANGING_SECONDS = 30.0  # for a scheduler that is connected and may be busy; one that is gone is seen at once
LONELY_SECONDS = 60.0  # without any worker, before a run is given up
READER = "reader"  # stands for a worker where submissions are read, in this process
_LOOK_SECONDS = 5.0  # how often a run that waits looks whether workers are left
_DOCTOR_SECONDS = 600.0  # before a worker that does not examine its machine is given up: it may be grading
_AHEAD = 2  # submissions under way for each worker: the one that it has and the next


class EngineError(RuntimeError):
    """The workers cannot go on: nothing more can be graded now, and no submission is to blame."""


@dataclass(frozen=True)
class Job:
    """One submission on its way, as it was when it was read: a later one by the same student is a later run's.

    `handed_in_at` is what its timestamp.txt says, "" where there is none. `alone`: it is to be graded after all
    others, with nothing else under way, because the grader failed at it before. `again` reads it once more, from
    `path`.
    """

    student: str
    seen: Received
    handed_in_at: str = ""
    alone: bool = False
    again: Callable[[], Received] | None = field(default=None, compare=False)
    path: Path = field(default=Path(), compare=False)


@dataclass(frozen=True)
class Lost:
    """Stands for the verdicts on a submission that came back without: `why`, and whether it was for want of
    isolation."""

    why: str
    isolation: bool = False


class Engine(Protocol):
    """Grades jobs of one task. `grade` may be called for one assignment after another; `more` says that it will be."""

    def grade(self, task: Task, jobs: Iterable[Job], more: bool = False) -> Iterator[tuple[Job, Graded]]: ...


@contextlib.contextmanager
def _lasting() -> Iterator[None]:
    """What is in memory now is not looked through for garbage meanwhile: libraries and tables, which stay, are nearly
    all of it, and a submission's trees and cells would have it looked through again and again."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@contextlib.contextmanager
def engine(jobs: int = 1, scheduler: str = "", ahead: Launched | None = None) -> Iterator[Engine]:
    """One worker in this process for one job, with what was launched `ahead`; worker processes for more; the cluster of
    a scheduler's address, which is given ANSWER_SECONDS to answer.

    Raises doctor.NotReady where this machine is to grade and has no sandbox, EngineError where workers cannot be had.
    """
    if jobs < 1:
        raise ValueError(f"{jobs} jobs at a time: it takes one at least")
    if not scheduler:
        doctor.require(probe_jail)
    if not scheduler and jobs == 1:
        here = Here(ahead)
        try:
            with _lasting():
                yield here
        finally:
            here.close()
        return
    from dask import config
    from distributed import Client, LocalCluster

    logging.getLogger("distributed").setLevel(
        logging.CRITICAL
    )  # a lost worker is told by what becomes of its submission
    with contextlib.ExitStack() as stack:
        # Dask keeps its last thousand messages to look at afterwards; ours carry whole submissions.
        stack.enter_context(config.set({"distributed.admin.low-level-log-length": 4}))
        address: LocalCluster | str = scheduler
        if not scheduler:
            # The first loss of a worker gives its submissions back to us: `Workers` sends each once more, alone.
            ours = {"distributed.scheduler.allowed-failures": 0, "distributed.scheduler.worker-saturation": 1.0}
            stack.enter_context(config.set(ours))
            address = stack.enter_context(
                LocalCluster(
                    n_workers=jobs, threads_per_worker=1, host="127.0.0.1", security=True, dashboard_address=None
                )
            )
        try:
            client = Client(address, timeout=ANSWER_SECONDS if scheduler else PATIENCE)
        except (OSError, TimeoutError, ValueError, MemoryError) as error:  # the last where another program answers
            raise EngineError(no_answer(scheduler or "this machine", error)) from None
        stack.callback(_disconnect, client)
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except (OSError, TimeoutError) as error:
            raise EngineError(
                f"no workers at {scheduler or 'this machine'}: {error or 'nobody answered'}. Start `dask worker` "
                "there, or grade on this machine, with --jobs"
            ) from None
        workers = Workers(client, here=not scheduler)
        try:
            with _lasting():
                yield workers
        finally:
            workers.close()


def _disconnect(client) -> None:
    """Ends the connection, and waits for nobody who does not answer any more."""
    with contextlib.suppress(Exception):
        client.close(timeout=ANSWER_SECONDS)


class _Grading:
    """What both engines do with submissions that come back without verdicts.

    One that could not be read here or isolated, or whose workers were lost, is taken once more when nothing else is
    under way, so that a neighbor's fault is not held against it. If that fails too, on a machine that is well, it
    waits for a person. Where submission after submission cannot be isolated, `isolation` stops the run.
    """

    def grade(self, task: Task, jobs: Iterable[Job], more: bool = False) -> Iterator[tuple[Job, Graded]]:
        """Raises Stopped where submissions cannot be isolated any more."""
        watch = isolation.Watch(self._look)
        held: list[Job] = []  # of this run
        later: list[Job] = []  # of runs before
        stop = ""  # why, where it has to

        def together() -> Iterator[Job]:
            nonlocal stop
            for job in jobs:
                if job.alone:
                    later.append(job)
                elif job.seen.failed:
                    held.append(job)
                    if watch.failed(READER):
                        stop = job.seen.failed
                        return
                else:
                    watch.isolated(READER)
                    yield job

        def waits(why: str) -> Graded:
            return not_graded(task.assignment, _notebook(task), why)

        for job, worker, outcome in self._each(task, together()):
            if isinstance(outcome, Graded):
                watch.isolated(worker)
                yield job, outcome
                continue
            held.append(job)
            if outcome.isolation and watch.failed(worker):
                stop = outcome.why
                break
        if stop:
            yield from ((one, waits(stop)) for one in held)
            raise isolation.Stopped(isolation.unexplained(stop, [one.student for one in held]))
        for job in [*held, *later]:
            if job.seen.failed and job.again is not None:
                job = replace(job, seen=job.again())
            for _, worker, outcome in self._each(task, iter([job])):
                if isinstance(outcome, Lost) and outcome.isolation:
                    watch.look([READER if job.seen.failed else worker])
                yield job, outcome if isinstance(outcome, Graded) else waits(outcome.why)

    def _each(self, task: Task, jobs: Iterator[Job]) -> Iterator[tuple[Job, str, Graded | Lost]]:
        """Each job, the worker that had it, and what became of it."""
        raise NotImplementedError

    def _look(self, workers: Collection[str]) -> list[doctor.Finding]:
        """What is not well with the machines of these workers, looked at anew."""
        raise NotImplementedError


class Here(_Grading):
    """One worker in this process for one assignment after the other. All use what was launched `ahead`, if there is
    such, or else what warms up while the first is graded: to import PyTorch takes longer than to grade a few."""

    def __init__(self, ahead: Launched | None = None) -> None:
        self._ahead = ahead

    def close(self) -> None:
        """Ends what was launched."""
        if self._ahead is not None:
            self._ahead.close(patience=0.0)
            self._ahead = None

    def grade(self, task: Task, jobs: Iterable[Job], more: bool = False) -> Iterator[tuple[Job, Graded]]:
        torch.set_num_threads(1)
        ahead, self._ahead = self._ahead, None
        with Worker(task.assignment, _notebook(task), task.key, ahead) as self._worker:
            try:
                for graded in super().grade(task, jobs):
                    if more and self._worker.ahead is None and self._ahead is None:
                        self._ahead = _launched()
                    yield graded
            finally:
                self._ahead = self._ahead or self._worker.ahead

    def _each(self, task: Task, jobs: Iterator[Job]) -> Iterator[tuple[Job, str, Graded | Lost]]:
        for job in jobs:
            yield job, "", _isolated(self._worker, job.seen)

    def _look(self, workers: Collection[str]) -> list[doctor.Finding]:
        return doctor.anew(probe_jail)


class Workers(_Grading):
    """One grader in each of the worker processes of a Dask cluster, `here` where they are of this machine.

    Dask gives the submissions of a lost worker to others. One that was being graded when workers were lost, more often
    than the scheduler allows, comes back.
    """

    def __init__(self, client, here: bool = False) -> None:
        self._client, self._here = client, here
        self._lost = False

    def close(self) -> None:
        """Ends the workers' sandboxes: those of a cluster live longer than a run."""
        if not self._lost:
            with contextlib.suppress(Exception):  # whoever is gone has none
                self._client.run(_leave, on_error="ignore")

    def _threads(self) -> dict[str, int]:
        """Worker -> its threads. Raises EngineError where the scheduler is gone or hangs."""
        if self._client.status != "running":
            raise self._without_scheduler()
        try:
            asked = self._client.scheduler.ncores
            return self._client.sync(asked, callback_timeout=HANGING_SECONDS)
        except (OSError, TimeoutError):
            raise self._without_scheduler() from None

    def _without_scheduler(self) -> EngineError:
        self._lost = True
        return EngineError("the scheduler was lost: start it again, then go on with --resume")

    def _each(self, task: Task, jobs: Iterator[Job]) -> Iterator[tuple[Job, str, Graded | Lost]]:
        from distributed import CancelledError, KilledWorker, wait

        under_way: dict = {}
        last_seen = time.monotonic()
        while True:
            workers = sum(self._threads().values())
            for job in islice(jobs, max(0, _AHEAD * max(workers, 1) - len(under_way))):
                under_way[self._client.submit(_grade, task, job.seen, pure=False)] = job
            if not under_way:
                return
            if workers:
                last_seen = time.monotonic()
            elif time.monotonic() - last_seen > LONELY_SECONDS:
                raise EngineError(f"no worker is left, for {LONELY_SECONDS:g} s: start some, then go on with --resume")
            try:
                done = wait(list(under_way), timeout=_LOOK_SECONDS, return_when="FIRST_COMPLETED").done
            except TimeoutError:
                continue
            except (OSError, CancelledError):
                raise self._without_scheduler() from None
            for future in done:
                job, error = under_way.pop(future), future.exception()
                if error is not None and not isinstance(error, KilledWorker):
                    raise error
                worker, outcome = future.result() if error is None else ("", Lost("It ended the worker, twice."))
                yield job, worker, outcome
                future.release()

    def _look(self, workers: Collection[str]) -> list[doctor.Finding]:
        machines = {worker.rpartition(":")[0]: worker for worker in workers}  # one look at each
        return [
            finding
            for worker in machines.values()
            for finding in (doctor.anew(probe_jail) if worker == READER else self._looked(worker))
        ]

    def _looked(self, worker: str) -> list[doctor.Finding]:
        """What the doctor says there; nothing of a worker that has gone, for another takes its place or none is left"""
        asked = self._client.submit(
            doctor.anew, probe_jail, workers=[worker], allow_other_workers=False, priority=1, pure=False
        )
        until = time.monotonic() + _DOCTOR_SECONDS
        while worker in self._threads():
            with contextlib.suppress(TimeoutError):
                findings = asked.result(timeout=_LOOK_SECONDS)
                return findings if self._here else [replace(f, name=f"{f.name} at {worker}") for f in findings]
            if time.monotonic() > until:
                return [doctor.Finding(f"worker {worker}", False, "it does not answer", "start it again")]
        return []


# --- in a worker ----------------------------------------------------------------------------------------------------

_at: tuple[Task, Worker] | None = None  # this worker's worker


def _grade(task: Task, seen: Received) -> tuple[str, Graded | Lost]:
    """Runs in a worker, in its one thread: grades a submission at the worker's worker, which changes with the task."""
    from distributed import get_worker

    global _at
    if _at is None or _at[0] != task:
        _draw_apart()
        _fit(task)
        warm = _next()
        torch.set_num_threads(1)
        gc.freeze()  # as `_lasting`, while the process lasts
        _at = task, Worker(task.assignment, _notebook(task), task.key, warm or _launched())
    return get_worker().address, _isolated(_at[1], seen)


def _draw_apart() -> None:
    """Gives Dask and Tornado a `random` of their own. They draw in threads beside the one that grades, as Dask does at
    each heartbeat, and a check that looks whether an answer draws would take it for the reference's doing."""
    spec = importlib.util.find_spec("random")
    assert spec is not None and spec.loader is not None
    apart = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(apart)
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in ("dask", "distributed", "tornado") and vars(module).get("random") is random:
            vars(module)["random"] = apart


def _isolated(worker: Worker, seen: Received) -> Graded | Lost:
    try:
        return worker.grade(seen)
    except SandboxError as error:
        return Lost(str(error), isolation=True)


def _launched() -> Launched | None:
    """A warm process for all assignments; None where none can be had: who needs it starts one, and hears why not."""
    with contextlib.suppress(SandboxError):
        return Launched()
    return None


def _next() -> Launched | None:
    """Ends this worker's worker; its warm process is left for another assignment's, where it has not failed."""
    global _at
    before, _at = _at, None
    if before is None:
        return None
    before[1].close()
    return before[1].ahead


def _leave() -> None:
    if (warm := _next()) is not None:
        warm.close(patience=0.0)


def _fit(task: Task) -> None:
    """Raises EngineError where this worker has no sandbox, or another grader than the run's."""
    try:
        doctor.require(probe_jail)
    except doctor.NotReady as error:  # a SystemExit, which would end the worker
        raise EngineError(f"a worker's machine cannot grade safely: {error}") from None
    if changed := edited(task.assignment, task.notebook):
        raise EngineError(f"a worker's grader was changed while it ran ({changed}): start the worker anew")
    if (ours := versions(task.assignment, task.notebook)) != task.versions:
        differences = ", ".join(
            f"{name} {ours.get(name, 'none')} for {task.versions.get(name, 'none')}"
            for name in {**task.versions, **ours}
            if ours.get(name) != task.versions.get(name)
        )
        raise EngineError(
            f"a worker has another grader ({differences}, in {Path(__file__).parent}): bring it up to date"
        )


def _notebook(task: Task) -> nbformat.NotebookNode:
    return nbformat.reads(task.notebook, as_version=4)
