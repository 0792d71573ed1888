"""`autograde summary`: how an assignment went, on one page for the instructor, and what there is left to look at.

Made from the gradebook (so a person's grades count), the ledger and what lies in submissions/. The page stands alone:
it runs nothing, fetches nothing, prints, and shows no color that a word or a pattern does not say too. It holds names
and grades: it is for those who teach.
"""

from __future__ import annotations

import io
import re
import statistics
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import jinja2
import matplotlib
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from autograde import bank
from autograde.files import write_atomically
from autograde.folders import ClassFolder
from autograde.gradebook import configuration, store
from autograde.grading import judge
from autograde.intake.people import People
from autograde.intake.roster import Person, kept
from autograde.ledger import Ledger, Record
from autograde.reports.roster_rows import person_of
from autograde.reports.trace import Trace, how_long, traces
from autograde.text import without_controls
from course.exercises import Exercise
from course.verdict import YOUR_NUMBER, Outcome
from course.wording import points

TEMPLATES = Path(__file__).resolve().parent / "templates"
FORMGRADER = "http://localhost:8888/formgrader"  # where JupyterLab answers unless its port is taken
# How an exercise came out, in the order in which the figure and the table show it.
OUTCOMES = {
    "all": "all points",
    "some": "some points",
    "none": "no points",
    "no answer": "no answer",
    "waiting": "waits for a person",
}


@dataclass(frozen=True)
class Row:
    """One exercise over all submissions: outcome -> how many."""

    number: str
    name: str
    max: float
    mean: float
    counts: dict[str, int]

    @property
    def share(self) -> float:
        """The mean as a share of the points, 0 to 1."""
        return self.mean / self.max if self.max else 0.0


@dataclass(frozen=True)
class Diagnosis:
    """A named mistake, or an option of a question taken wrongly: what students were told, and who they are."""

    number: str
    name: str
    message: str
    students: tuple[str, ...]
    question: bool = False

    @property
    def what(self) -> str:
        """What was wrong, in words, and where: a case of a question is named by its option alone."""
        if not self.question:
            return f"exercise {self.number}: {self.name}"
        option, _, how = self.name.partition(": ")
        if option == YOUR_NUMBER:
            return f"question {self.number}: a wrong number"
        return f"question {self.number}: option {option} {how or 'not in its place'}"


@dataclass(frozen=True)
class Look:
    """A submission that is unusual: `why` in a few words each, `details` the sentences for the instructor."""

    student: str
    points: float
    why: tuple[str, ...]
    details: tuple[str, ...]
    waits: bool
    page: str = ""  # formgrader's address of it


@dataclass
class Summary:
    """How an assignment went. `missing` handed nothing in, also those whom the roster alone knows; `ungraded` did but
    are not in the gradebook."""

    assignment: str
    totals: list[float]
    max: float
    rows: list[Row]
    diagnoses: list[Diagnosis]
    look: list[Look]
    late: list[str]
    missing: list[str]
    ungraded: list[str]
    seconds: list[float] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    last: str = ""

    @property
    def median(self) -> float:
        return statistics.median(self.totals) if self.totals else 0.0

    @property
    def middle_second(self) -> float:
        """Of the submissions' grading times."""
        return statistics.median(self.seconds)

    @property
    def waiting(self) -> list[str]:
        return [look.student for look in self.look if look.waits]


def summary(folder: ClassFolder, assignment: str) -> Summary:
    """Gathers it. Raises GradebookError where the gradebook cannot be reached."""
    out_of, by_student = Ledger(folder.ledger).points(), traces(folder, assignment)
    exercises = [replace(one, points=out_of.get(one.name, one.points)) for one in judge.of_assignment(assignment)]
    handed_in = {student for student, _ in folder.submissions(assignment)}
    with store.open_gradebook(folder) as book:
        enrolled = {student.id for student in book.students}
    silent = _silent(folder, assignment, enrolled | set(folder.students()) | handed_in | set(by_student))
    graded, at = [by_student[student] for student in sorted(by_student)], formgrader(folder)
    records = [trace.record for trace in graded if trace.record is not None]
    return Summary(
        assignment,
        totals=[trace.points for trace in graded],
        max=float(sum(exercise.points for exercise in exercises)),
        rows=[_row(exercise, graded) for exercise in exercises],
        diagnoses=_diagnoses(exercises, graded),
        look=sorted(
            filter(None, (_look(trace, at) for trace in graded)),
            key=lambda look: (not look.waits, look.student),
        ),
        late=[
            f"{trace.student} ({how_long(trace.late) if trace.late else 'nobody knows how late'})"
            for trace in graded
            if trace.late or trace.marked
        ],
        missing=sorted(((enrolled | set(folder.students())) - handed_in - set(by_student)) | silent),
        ungraded=sorted(handed_in - set(by_student)),
        seconds=[record.seconds for record in records],
        runs=sorted({record.run for record in records}),
        last=_to_the_minute(max((record.when for record in records), default="")),
    )


def known(folder: ClassFolder, assignment: str) -> set[str]:
    """All students whom submissions/, the gradebook or the roster knows."""
    with store.open_gradebook(folder) as book:
        there = {student.id for student in book.students} | set(folder.students())
    return there | _silent(folder, assignment, there)


def _silent(folder: ClassFolder, assignment: str, known: set[str]) -> set[str]:
    """Those of the class's roster of whom there is nothing yet."""
    if (roster := kept(folder, assignment)) is None:
        return set()
    people = People(folder)
    rows = [person_of(folder, people, roster, student, assignment) for student in known]
    there = {row.number for row in rows if isinstance(row, Person)}
    return {person.student for person in roster.people if person.number not in there}


def _to_the_minute(when: str) -> str:
    """A ledger's time as people write it: 2026-11-22 08:45 UTC."""
    return f"{datetime.fromisoformat(when):%Y-%m-%d %H:%M %Z}" if when else ""


def _not_answered(record: Record) -> bool:
    return record.verdict.outcome is Outcome.NOT_ANSWERED


def _row(exercise: Exercise, graded: list[Trace]) -> Row:
    counts = dict.fromkeys(OUTCOMES, 0)
    points = []
    for trace in graded:
        given, record = trace.given.get(exercise.name), trace.records.get(exercise.name)
        points.append(given.points if given else 0.0)
        if given is not None and given.waits:
            outcome = "waiting"
        elif points[-1] >= exercise.points:
            outcome = "all"
        elif points[-1] > 0:
            outcome = "some"
        elif given is None or (record is not None and (_not_answered(record) or _unread(trace))):
            outcome = "no answer"
        else:
            outcome = "none"
        counts[outcome] += 1
    mean = statistics.fmean(points) if points else 0.0
    return Row(exercise.number, exercise.name, float(exercise.points), round(mean, 2), counts)


def _unread(trace: Trace) -> bool:
    """Whether nothing of the submission could be read, so that no answer of it was seen."""
    return trace.record is not None and bool({"unreadable", "nothing was handed in"} & set(trace.record.flags))


def _diagnoses(exercises: list[Exercise], graded: list[Trace]) -> list[Diagnosis]:
    """The commonest first; those of one exercise that are as common, in its answer bank's order."""
    made = []
    for exercise in exercises:
        records = [(trace.student, trace.records[exercise.name]) for trace in graded if exercise.name in trace.records]
        messages: dict[str, str] = {}
        if exercise.question:  # an option that was taken wrongly, with its explanation
            wrong_options = [
                (student, case)
                for student, record in records
                for case in record.verdict.cases
                if record.verdict.outcome is Outcome.FAIL and not case.passed
            ]
            who = [(student, case.title) for student, case in wrong_options]
            messages = {case.title: case.message for _, case in wrong_options}
        else:
            who = [(student, record.verdict.diagnosis) for student, record in records if record.verdict.diagnosis]
            messages = {wrong.name: wrong.message for wrong in bank.find(exercise).wrong}
        order = {name: place for place, name in enumerate(messages)}
        for name in sorted({name for _, name in who}, key=lambda name: order.get(name, len(order))):
            students = tuple(sorted({student for student, other in who if other == name}))
            made.append(Diagnosis(exercise.number, name, messages.get(name, ""), students, exercise.question))
    return sorted(made, key=lambda diagnosis: -len(diagnosis.students))


def formgrader(folder: ClassFolder) -> str:
    """Where formgrader answers: as `make formgrader` opens it, unless the class's configuration says otherwise."""
    return str(configuration.read(folder).Summary.get("formgrader", FORMGRADER)).rstrip("/")


def _look(trace: Trace, formgrader: str) -> Look | None:
    record = trace.record
    why = [f"{', '.join(_numbers(trace, trace.waits))}: needs a person"] if trace.waits else []
    why += record.flags if record else ["graded by stock nbgrader, without the sandbox"]
    why += [f"{', '.join(_numbers(trace, trace.changed))}: points by a person"] if trace.changed else []
    if not why:
        return None
    details = dict.fromkeys(detail for record in trace.records.values() for detail in record.details)
    page = f"{formgrader}/submissions/{trace.notebook}/" if trace.notebook else ""
    return Look(trace.student, trace.points, tuple(why), tuple(details), bool(trace.waits), page)


def _numbers(trace: Trace, names: list[str]) -> list[str]:
    """Exercises as people call them."""
    return [trace.records[name].number if name in trace.records else name for name in names]


# ---------------------------------------------------------------- the page

# Colors that matplotlib is given, and the page's own that take their places: light or dark, as the reader has it.
_COLORS = {"#010101": "ink", "#020202": "line", "#030303": "paper", "#040404": "good", "#050505": "partial"}
_INK, _LINE, _PAPER, _GOOD, _PART = _COLORS
# outcome -> (fill, pattern): each can be told from the others without its color
_LOOKS = {
    "all": (_GOOD, ""),
    "some": (_PAPER, "////"),
    "none": (_LINE, ""),
    "no answer": (_PAPER, ""),
    "waiting": (_PAPER, "xxxx"),
}
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "path",  # the same drawing whatever fonts there are
    "svg.hashsalt": "attention-from-scratch",
    "font.size": 9,
    "hatch.linewidth": 0.8,
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), _INK),
}


def write(folder: ClassFolder, assignment: str) -> tuple[Summary, Path]:
    """Makes class/summary/<assignment>.html; returns what is on it, and where it is."""
    made, target = summary(folder, assignment), folder.summary(assignment)
    write_atomically(target, page(made), lasting=False)
    return made, target


def page(report: Summary) -> str:
    """The page, whole."""
    loader = jinja2.FileSystemLoader([TEMPLATES / "summary", TEMPLATES / "student_feedback"])
    environment = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"points": points, "prose": prose, "capitalized": lambda text: text[:1].upper() + text[1:]}
    template = environment.get_template("index.html.j2")
    there = {kind: words for kind, words in OUTCOMES.items() if any(row.counts[kind] for row in report.rows)}
    return without_controls(
        template.render(page=report, outcomes=there, by_exercise=by_exercise(report), totals=by_total(report))
    )


def prose(text: str) -> Markup:
    """A sentence whose `code` is set as code."""
    pieces = [Markup("<code>{}</code>").format(piece) if i % 2 else piece for i, piece in enumerate(text.split("`"))]
    return Markup("").join(pieces)


def by_exercise(report: Summary) -> Markup:
    """A bar for each exercise: how many submissions came out in which way."""
    count = max(1, len(report.totals))
    bands = [kind for kind in OUTCOMES if any(row.counts[kind] for row in report.rows)]
    with matplotlib.rc_context(_STYLE):
        figure, axes = _axes(0.62 + 0.21 * len(report.rows) + 0.2 * len(bands))
        for place, row in enumerate(report.rows):
            left = 0
            for kind in bands:
                wide, (fill, pattern) = row.counts[kind], _LOOKS[kind]
                axes.barh(
                    place, wide, 0.74, left, color=fill, hatch=pattern, edgecolor=_INK, linewidth=0.6,
                    label=OUTCOMES[kind] if place == 0 else None,
                )  # fmt: skip
                left += wide
        axes.set_yticks(range(len(report.rows)), [row.number for row in report.rows])
        axes.set_ylim(len(report.rows) - 0.4, -0.6)
        axes.set_xlim(0, count)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("submissions")
        axes.set_ylabel("exercise")
        figure.legend(*axes.get_legend_handles_labels(), loc="outside upper left", frameon=False, ncols=2)
        counted = "; ".join(
            f"{row.number}: " + ", ".join(f"{row.counts[kind]} {OUTCOMES[kind]}" for kind in bands if row.counts[kind])
            for row in report.rows
        )
        return _drawn(figure, "exercises", "How each exercise came out", f"Submissions by exercise. {counted}.")


def by_total(report: Summary) -> Markup:
    """How many submissions have how many points in all."""
    bins = max(1, min(10, round(report.max)))
    width = report.max / bins
    places = [min(int(total / width), bins - 1) for total in report.totals]
    counts = [places.count(place) for place in range(bins)]
    with matplotlib.rc_context(_STYLE):
        figure, axes = _axes(1.7)
        axes.bar([width * (i + 0.5) for i in range(bins)], counts, width * 0.92, color=_GOOD, edgecolor=_INK, lw=0.6)
        axes.set_xlim(0, report.max)
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("points in all, before penalties")
        axes.set_ylabel("submissions")
        counted = "; ".join(
            f"{points(width * i)} to {points(width * (i + 1))} points: {n}" for i, n in enumerate(counts) if n
        )
        return _drawn(figure, "totals", "Points in all", f"Submissions by their points. {counted}.")


def _axes(height: float) -> tuple[Figure, Axes]:
    """Narrow enough for a telephone to show it at its own size."""
    figure = Figure(figsize=(4.4, height), layout="constrained")
    FigureCanvasSVG(figure)
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _drawn(figure: Figure, name: str, title: str, description: str) -> Markup:
    """The figure as a part of the page: in its colors, with words for those who do not see it."""
    text = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(text, format="svg", metadata=nothing, transparent=True)
    drawing = text.getvalue()
    drawing = drawing[drawing.index("<svg") :]
    drawing = re.sub(r' xmlns(:xlink)?="[^"]*"', "", drawing)  # an HTML page knows them
    drawing = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", drawing)  # two drawings on a page share no name
    for color, variable in _COLORS.items():
        drawing = drawing.replace(color, f"var(--{variable})")
    words = Markup('<title id="{0}-title">{1}</title><desc id="{0}-text">{2}</desc>').format(name, title, description)
    head, _, rest = drawing.partition(">")
    return Markup(f'{head} role="img" aria-labelledby="{name}-title" aria-describedby="{name}-text">{words}{rest}')
