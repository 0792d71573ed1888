"""Whose a file is: the platform's own part of a name decides, once, and nothing that a student can name."""

import re
import unicodedata

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from autograde.intake.whose import FOLDERS, SCHEMES, UNSAID, Names, Place, may_be_one_submission, one_submission

ONE, TWO = "01-seq2seq", "02-bahdanau"
STAMP = "2026-01-30-15-00-00"


def place(name, others=(), platform="", packed=False):
    """Where "a/b/c" belongs in a source of it and others."""
    names = [tuple(each.split("/")) for each in (name, *others)]
    return Names(names, [ONE, TWO], platform, packed).place(names[0])


def read(name, others=(), platform=""):
    """(student, what is the student's own) of a name, or the sentence on why nobody can say."""
    placed = place(name, others, platform)
    return (placed.student, "/".join(placed.rest)) if isinstance(placed, Place) else placed


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: scheme.name)
def test_each_schemes_example_is_its_own_alone(scheme):
    name, _, inner = scheme.example.partition("/")
    assert [s.name for s in SCHEMES if any(s.matches(name, bool(inner)))] == [scheme.name]
    placed = place(scheme.example, platform=scheme.name.lower())
    assert isinstance(placed, Place) and placed.scheme == scheme.name and placed.stamped
    (other, *_) = (other for other in SCHEMES if other is not scheme)
    assert "not a name that" in place(scheme.example, platform=other.name.lower())


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: scheme.name)
@pytest.mark.parametrize("packed", [False, True])
def test_no_name_proves_its_platform(scheme, packed):
    """A student may write names as a platform does: one, or an archive full of them."""
    assert place(scheme.example, packed=packed) == place(scheme.example, ["ada/x.ipynb"], packed=packed) == UNSAID
    names = Names([("ada", "x.ipynb"), tuple(scheme.example.split("/"))], [ONE, TWO], "", packed)
    assert names.like == [scheme.name] and names.asked_for() == ("", [scheme.name.lower(), FOLDERS])
    for platform in ("folders", scheme.name.lower()):
        assert not Names([tuple(scheme.example.split("/"))], [ONE, TWO], platform, packed).like


@pytest.mark.parametrize(
    ("platform", "name", "student", "own"),
    [
        # Moodle: a folder for each, or all in one; with a group before the name; blind, with a number alone
        ("moodle", "Ada Lovelace_1234_assignsubmission_file_/x.ipynb", "Ada Lovelace", "x.ipynb"),
        ("moodle", "Ada Lovelace_1234_assignsubmission_file/x.ipynb", "Ada Lovelace", "x.ipynb"),
        ("moodle", "Ada Lovelace_1234_assignsubmission_file_x_1_y.ipynb", "Ada Lovelace", "x_1_y.ipynb"),
        (
            "moodle",
            "Group 1-Ada O'Neil-Löfgren_1234_assignsubmission_file_/x.ipynb",
            "Group 1-Ada O'Neil-Löfgren",
            "x.ipynb",
        ),
        ("moodle", "名前_1234_assignsubmission_file_/a/b/x.ipynb", "名前", "a/b/x.ipynb"),
        # Canvas: sortable name in small letters with nothing but letters, digits and _ left of it
        ("canvas", "lovelaceada_7_100_02-bahdanau-1.ipynb", "lovelaceada_7", "02-bahdanau-1.ipynb"),
        ("canvas", "lovelaceada_LATE_7_100_x.ipynb", "lovelaceada_7", "x.ipynb"),
        ("canvas", "lovelaceada_late_7_100_x.ipynb", "lovelaceada_7", "x.ipynb"),
        ("canvas", "love_laceada_7_100_my_own_file.ipynb", "love_laceada_7", "my_own_file.ipynb"),
        ("canvas", "löfgrenåsa_7_100_02_bahdanau.ipynb", "löfgrenåsa_7", "02_bahdanau.ipynb"),
        (
            "canvas",
            "\u0928\u093f\u0930\u094d\u092e\u0932\u093e_7_100_x.ipynb",
            "\u0928\u093f\u0930\u094d\u092e\u0932\u093e_7",
            "x.ipynb",
        ),
        ("canvas", "lovelaceada_7_100_x-1_8_200_y.ipynb", "lovelaceada_7", "x-1_8_200_y.ipynb"),  # no name has a -
        # Blackboard: the assignment's title, the user's name, the attempt
        ("blackboard", f"Homework 2_ada_attempt_{STAMP}_x_y.ipynb", "ada", "x_y.ipynb"),
        ("blackboard", f"Homework 2_ada-l@example.org_attempt_{STAMP}_x.ipynb", "ada-l@example.org", "x.ipynb"),
        # Gradescope: a number for each, in a folder that wraps the class
        ("gradescope", "assignment_99_export/submission_123/x.ipynb", "submission_123", "x.ipynb"),
        ("gradescope", "submission_123/bob/02-bahdanau/x.ipynb", "submission_123", "bob/02-bahdanau/x.ipynb"),
        # nbgrader's folders, and plain ones
        ("", "ada/02-bahdanau/x.ipynb", "ada", "x.ipynb"),
        ("", "ada_l-m/x.ipynb", "ada_l-m", "x.ipynb"),
        ("", "Åsa/x.ipynb", "Åsa", "x.ipynb"),
    ],
)
def test_what_platforms_really_write(platform, name, student, own):
    assert read(name, platform=platform) == (student, own)


@pytest.mark.parametrize(
    ("platform", "name", "why"),
    [
        ("moodle", "Ada_1_assignsubmission_onlinetext_/onlinetext.html", "Moodle's onlinetext"),
        ("blackboard", f"Homework 2_ada_attempt_{STAMP}.txt", "Blackboard's own note"),
        ("blackboard", f"ada_attempt_{STAMP}_x.ipynb", "without a user's name"),
        ("", "lovelaceada_7_text.html", "neither a notebook nor an archive"),
        ("", "assignment_99_export/submission_metadata.yml", "who is who"),
    ],
)
def test_what_is_no_submission_is_said(platform, name, why):
    assert why in read(name, platform=platform)


@pytest.mark.parametrize(
    ("platform", "name", "readings"),
    [
        # a name that ends in _7 beside a file name that begins with 900_
        ("canvas", "lovelaceada_7_666_900_x.ipynb", ["lovelaceada_7", "lovelaceada_7_666"]),
        # a student called bob_8-_800, with the number 7
        ("canvas", "bob_8_800_7_700_x.ipynb", ["bob_8", "bob_8_800_7"]),
        ("blackboard", f"Homework_2_ada_attempt_{STAMP}_x.ipynb", ["2_ada", "ada"]),
    ],
)
def test_a_name_that_fits_in_two_ways_says_both_and_what_to_do(platform, name, readings):
    reason = read(name, platform=platform)
    assert all(f'"{student}"' in reason for student in readings) and "To do: " in reason


def test_an_assignments_title_and_a_users_name_are_told_apart_by_the_others():
    title = f"HW_1_{{}}_attempt_{STAMP}_x.ipynb"
    mine, others = title.format("eve_bob"), [title.format(user) for user in ("bob", "ada_l")]
    assert "read as" in read(mine, (), "blackboard")  # alone
    assert "read as" in read(mine, others, "blackboard")  # "HW", or "HW_1"
    others.append(f"HW_1_zoe_attempt_{STAMP}.txt")
    one = f"HW_{{}}_attempt_{STAMP}_x.ipynb"
    assert read(one.format("eve_bob"), [one.format("ada")], "blackboard") == ("eve_bob", "x.ipynb")
    assert read(one.format("ada"), [one.format("eve_bob")], "blackboard") == ("ada", "x.ipynb")


def test_what_two_platforms_can_have_written_is_what_the_instructor_says():
    name = f"eve_666_900_HW_bob_attempt_{STAMP}_x.ipynb"
    assert read(name, platform="canvas") == ("eve_666", f"HW_bob_attempt_{STAMP}_x.ipynb")
    assert read(name, platform="moodle") == "not a name that Moodle gives"
    assert read("lovelaceada_7_100_x/y.ipynb", platform="folders") == ("lovelaceada_7_100_x", "y.ipynb")


def test_a_folder_in_a_students_folder_is_the_students_own():
    placed = place("eve/bob/02-bahdanau/x.ipynb", ["ada/x.ipynb"])
    assert placed.student == "eve" and "read as this student's own" in placed.note
    reason = place("eve/bob/02-bahdanau/x.ipynb")  # alone: eve, or a folder round a class?
    assert isinstance(reason, str) and "one student's, or a folder round several" in reason
    assert place("eve/02-bahdanau/bob/02-bahdanau/x.ipynb").student == "eve"


@pytest.mark.parametrize(
    "name",
    [
        "bob.ipynb",
        f"{TWO}-bob.ipynb",
        "bob.zip",
        "bob_\uff17_\uff11_x.ipynb",
        "bob_\u0667_assignsubmission_file_x.ipynb",
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_a_files_own_name_says_whose_it_is_only_where_the_instructor_says_so(name, packed):
    assert place(name, ["ada/x.ipynb"], packed=packed) == UNSAID
    assert place(name, ["ada/x.ipynb"], "folders", packed).student.startswith("bob")


@pytest.mark.parametrize("name", ["bob/x.ipynb", f"bob/{TWO}/x.ipynb", "bob/work/x.ipynb", f"{TWO}/bob/x.ipynb"])
def test_all_names_in_an_archive_may_be_one_students(name):
    assert place(name, ["ada/x.ipynb"], packed=True) == UNSAID
    assert place(name, ["ada/x.ipynb"], "folders", packed=True).student == "bob"
    eves = "Eve_9_assignsubmission_file_/x.ipynb"
    assert place(eves, [name], "moodle", packed=True).student == "Eve"
    assert isinstance(place(name, [eves], "moodle", packed=True), str)


@pytest.mark.parametrize("name", ["submitted", "Submissions", "hand-ins", "inbound", "assignment_9_export", TWO])
@pytest.mark.parametrize("inner", ["bob/x.ipynb", f"bob/{TWO}/x.ipynb", f"{TWO}/bob/x.ipynb", "bob.ipynb"])
def test_a_folder_round_others_hands_no_identity_to_the_name_in_it(name, inner):
    for others in ([], ["ada/x.ipynb"], [f"{name}/ada/x.ipynb", f"{ONE}/ada/x.ipynb"]):
        reason = place(f"{name}/{inner}", others)
        assert f"collect what is in it (SOURCE/{name})" in reason
    if name != TWO:
        assert "collect what is in it" in place(f"{name}/{inner}", platform="folders")
    else:
        assert read(f"{ONE}/submissions/bob/x.ipynb", platform="folders") == "its name does not say whose it is"


CLASSROOM = ["Ada 02-bahdanau.ipynb", "02-bahdanau (1).ipynb", "Copy of 02-bahdanau.ipynb", "02-bahdanau.ipynb"]


@pytest.mark.parametrize("platform", ["", "folders"])
def test_one_folder_with_several_notebooks_of_an_assignment_may_be_round_a_class(platform):
    """As the Drive folder of an assignment in Google Classroom is, whatever it is called."""
    for folder in ("Unit 3", "Bahdanau"):
        inside = [f"{folder}/{name}" for name in CLASSROOM]
        for name in inside:
            assert f"collect what is in it (SOURCE/{folder})" in place(name, inside, platform)
    zips = ["Unit 3/02-bahdanau ada.zip", "Unit 3/02-bahdanau bob.zip"]
    assert "collect what is in it (SOURCE/Unit 3)" in place(*zips[:1], zips[1:], platform)


def test_folders_that_each_hold_several_notebooks_of_their_own_assignment_may_be_round_a_class():
    second = [f"Unit 3/{name}" for name in CLASSROOM]
    first = [name.replace("Unit 3", "Unit 2").replace(TWO, ONE) for name in second]
    for name in (*first, *second):
        assert "collect what is in it (SOURCE/Unit " in place(name, [*first, *second])


@pytest.mark.parametrize("name", ["Bahdanau", "02 Bahdanau", "seq2seq"])
def test_a_folder_called_as_an_assignment_but_for_its_number_is_asked_about(name):
    for others in ([], ["ada/x.ipynb"]):
        assert f"collect what is in it (SOURCE/{name})" in place(f"{name}/02-bahdanau.ipynb", others)


def test_students_who_keep_more_than_one_version_are_no_folders_round_a_class():
    ada = [f"ada/{name}" for name in ("02-bahdanau.ipynb", "02-bahdanau (1).ipynb", "02-bahdanau.zip")]
    assert read(ada[0], [*ada, "bob/02-bahdanau.ipynb"]) == ("ada", "02-bahdanau.ipynb")
    bob = [name.replace("ada/", "bob/") for name in ada]
    assert read(bob[1], [*ada, *bob]) == ("bob", "02-bahdanau (1).ipynb")
    alone = "ada/02-bahdanau.ipynb"  # beside an archive, and in a folder of its own
    assert read(alone, ["ada/02-bahdanau.zip", "ada/scratch.ipynb"]) == ("ada", "02-bahdanau.ipynb")
    assert read(f"ada/{TWO}/02-bahdanau.ipynb", [f"ada/{TWO}/02-bahdanau (1).ipynb"]) == ("ada", "02-bahdanau.ipynb")


def test_gradescopes_own_folder_is_passed_over_where_nothing_but_its_names_are_in_it():
    whole = ["assignment_99_export/submission_123/x.ipynb", "assignment_99_export/submission_metadata.yml"]
    for packed in (False, True):
        assert place(whole[0], whole[1:], "gradescope", packed).student == "submission_123"
        assert place(whole[0], whole[1:], "", packed) == UNSAID
    for platform in ("", "gradescope"):
        assert isinstance(place(whole[0], ["assignment_99_export/bob/x.ipynb"], platform), str)
        assert isinstance(place(whole[0], ["bob/x.ipynb"], platform), str)


def test_what_one_student_handed_in_is_known_by_its_name():
    assert one_submission("Ada_1_assignsubmission_file_", True) == "Moodle"
    assert one_submission(f"HW_ada_attempt_{STAMP}_work.zip", False) == "Blackboard"
    assert one_submission(f"HW_ada_attempt_{STAMP}_work", True) == "Blackboard"  # unpacked by hand
    # what others may call a class's too is asked about
    assert (
        may_be_one_submission("lovelaceada_7_100_work.zip") == may_be_one_submission("lovelaceada_7_100_w") == "Canvas"
    )
    assert may_be_one_submission("submission_7") == "Gradescope" and not one_submission("submission_7", True)
    for name in ("submissions.zip", "gradebook_CS101_HW_2026-01-30-15-00-00.zip", "CS101-Homework 1-345.zip"):
        assert not one_submission(name, False) and not may_be_one_submission(name)
    assert not may_be_one_submission("gradebook_202410_12345_HW_2026-01-30-15-00-00.zip")  # a class's, by Blackboard


def test_a_long_name_costs_no_time():
    for part in ("_1", "_attempt_", f"_attempt_{STAMP}", "_assignsubmission_file_", "_LATE_1"):
        for tail in ("", ".ipynb"):
            for platform in ("", *(scheme.name.lower() for scheme in SCHEMES)):
                read(part * (1000 // len(part)) + tail, platform=platform)


# --- nobody's file is ever another's -------------------------------------------------------------------------------

# A student's name as it is known to the platform: what people are called, and what somebody hostile would be called.
WHO = st.one_of(
    st.sampled_from(
        [
            "bob_8-_800",
            "ada",
            "eve",
            "eve_bob",
            "bob",
            "a_1",
            "1_ada",
            "x_7_8",
            "Åsa",
            "A\u030asa",
            "o'neil-löf",
            "名前",
            "b\u202eob",
        ]
    ),
    st.text(st.sampled_from("ab_17-é "), min_size=1, max_size=8),
)
HOSTILE = [
    "bob", "ada", "x.ipynb", "..", "submitted", ONE, TWO, f"{TWO}.ipynb", f"HW_bob_attempt_{STAMP}_x.ipynb",
    f"HW_ada_attempt_{STAMP}.txt", "bob_7_100_x.ipynb", "ada_8_100_x.zip", "900_x.ipynb", "7_900_x.ipynb",
    "bob_7_assignsubmission_file_x.ipynb", "bob_7_assignsubmission_file_", "_attempt_", "submission_8", "bob.ipynb",
    "submissions", "assignment_9_export", "submission_metadata.yml", "LATE_8_100_x.ipynb", "late_8_800_x.ipynb", "8",
    # what turns the text around it, and letters and digits that only look like others
    "\u202ebob", "b\u2066ob\u2069.ipynb", "\u200fbob", "\uff42ob", "b\u043eb", "bob_\uff18_\uff11\uff10\uff10_x.ipynb",
]  # fmt: skip
PART = st.one_of(
    st.sampled_from(HOSTILE), st.text(st.sampled_from("ab_17./-é \u202e\u200e\uff17\u0663"), min_size=1, max_size=10)
)
OWN = st.lists(PART, min_size=1, max_size=4).map(lambda parts: re.sub("/+", "/", "/".join(parts)).strip("/") or "x")
TITLES = st.sampled_from(["HW", "Homework 2", "HW_1", "HW_1_eve", "bob", "a_b"])


def moodle(who, number, own, title):
    """As Moodle does it: a blank for each _ in a name."""
    return f"{who.replace('_', ' ')}_{number}_assignsubmission_file_/{own}"


def moodle_flat(who, number, own, title):
    return f"{who.replace('_', ' ')}_{number}_assignsubmission_file_{own.replace('/', '_')}"


def canvas(who, number, own, title):
    """As Canvas does it: _digits_ lose their _, then nothing but word characters stays, in small letters."""
    word = "".join(c for c in re.sub(r"_(\d+)_", r"\1", who) if c == "_" or unicodedata.category(c)[0] in "LMN").lower()
    return f"{word}_{number}_{number}00_{re.sub('[/]+', '_', own)}"


def canvas_late(who, number, own, title):
    return canvas(who, f"LATE_{number}", own, title).replace(f"LATE_{number}00", f"{number}00")


def canvas_typed(who, number, own, title):
    return f"{canvas(who, number, 'x', title).removesuffix('00_x').removesuffix(f'_{number}')}_text.html"


def blackboard(who, number, own, title):
    return f"{title}_{who}_attempt_{STAMP}_{own.replace('/', '_')}"


def gradescope(who, number, own, title):
    return f"submission_{number}/{own}"


def folders(who, number, own, title):
    return f"{who}/{own}"


def nbgrader(who, number, own, title):
    return f"{who}/{TWO}/{own}"


def by_assignment(who, number, own, title):
    return f"{TWO}/{who}/{own}"


EVERY = [
    moodle,
    moodle_flat,
    canvas,
    canvas_late,
    canvas_typed,
    blackboard,
    gradescope,
    folders,
    nbgrader,
    by_assignment,
]


def identity(placed):
    return (placed.scheme, placed.student, placed.key)


def test_nothing_that_a_student_names_makes_a_file_anothers():
    """A's file under any name of A's choice is A's, or put aside; never B's. So it is alone and beside B's."""
    placed_at_all: list[bool] = []

    @settings(max_examples=600, deadline=None)
    @given(st.sampled_from(EVERY), WHO, WHO, OWN, OWN, TITLES, st.booleans())
    def none_anothers(write, a, b, own, honest, title, together):
        if write in (folders, nbgrader, by_assignment):  # the instructor's own names, of which none is a word of ours
            assume(a.strip(" .") and b.strip(" .") and not {a, b} & {ONE, TWO, "submitted"} and a != b)
        said = "" if write in (folders, nbgrader, by_assignment) else saying(write)
        his = write(b, 8, "x.ipynb", title)
        bobs = place(his, [write("zoe", 9, "x.ipynb", title)], said)
        mine = write(a, 7, own, title)
        placed = place(mine, [his, write("zoe", 9, honest, title)] if together else [], said)
        if write in (canvas, canvas_late, canvas_typed, moodle, moodle_flat, gradescope) or a != b:
            assert isinstance(placed, str) or isinstance(bobs, str) or identity(placed) != identity(bobs)
        placed_at_all.append(isinstance(placed, Place))
        if isinstance(placed, Place):  # and it is whose it is with any other name of the file
            other = place(
                write(a, 7, "x.ipynb", title), [his, write("zoe", 9, honest, title)] if together else [], said
            )
            assert isinstance(other, str) or identity(placed) == identity(other)

    none_anothers()
    assert any(placed_at_all)


def truth(write, who, number):
    """(scheme, student, key) of whoever handed in, by what the platform (or the instructor) knows."""
    if write in (moodle, moodle_flat):
        return "Moodle", who.replace("_", " "), str(number)
    if write in (canvas, canvas_late, canvas_typed):
        return "Canvas", f"{canvas(who, number, 'x', '').removesuffix(f'_{number}_{number}00_x')}_{number}", str(number)
    if write is blackboard:
        return "Blackboard", who, who
    return ("Gradescope", f"submission_{number}", str(number)) if write is gradescope else (FOLDERS, who, who)


def saying(write):
    """What has to be said of an archive with such names."""
    return truth(write, "ada", 7)[0].lower()


def test_a_name_is_bound_to_whoever_handed_in_or_put_aside():
    """Whatever a student puts behind the platform's part of a name, alone or beside what others put there."""
    placed_at_all: list[bool] = []

    @settings(max_examples=800, deadline=None, derandomize=True)
    @given(st.sampled_from(EVERY), WHO, WHO, OWN, OWN, TITLES, st.booleans(), st.booleans(), st.booleans())
    def bound_or_put_aside(write, a, b, own, others, title, together, packed, said):
        platform = saying(write) if said else ""
        if write in (folders, nbgrader, by_assignment):  # the instructor's own names, of which none is a word of ours
            assume(not {a.strip(" ."), b.strip(" .")} & {"", ONE, TWO})
        rest = [write(b, 8, others, title), write("zoe", 9, "x.ipynb", title)] if together else []
        placed = place(write(a, 7, own, title), rest, platform, packed)
        if not said and (packed or write not in (folders, nbgrader, by_assignment)):
            assert isinstance(placed, str)
        placed_at_all.append(isinstance(placed, Place))
        if isinstance(placed, Place):
            assert identity(placed) == truth(write, a, 7)

    bound_or_put_aside()
    assert any(placed_at_all)
