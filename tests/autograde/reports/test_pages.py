"""The grader's pages in a real browser, light and dark, wide and narrow, with everything on them opened."""

import pytest

from autograde.gradebook import store
from autograde.reports import summary_page
from tests.autograde import toy
from tests.browser import AXE, RUN_AXE

pytestmark = [pytest.mark.browser, pytest.mark.sandbox, pytest.mark.xdist_group("grader")]

OPEN_ALL = "() => { for (const each of document.querySelectorAll('details')) each.open = true }"
CUT = "() => [...document.querySelectorAll('table')].filter(t => t.getBoundingClientRect().right > innerWidth).length"
BEYOND = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
STUDENTS = ("wrong-the-sign-is-lost", "untouched", "unreadable-file")


@pytest.fixture(scope="module")
def paths(graded_in_sqlite, tmp_path_factory):
    """name -> page: feedback of three kinds, and a summary on which every part shows."""
    folder = graded_in_sqlite.copy(tmp_path_factory.mktemp("pages") / "class")
    with store.open_gradebook(folder) as book:
        book.add_student("a-name-without-any-blank-in-it-that-goes-on-and-on-and-on-and-on-and-on-and-on")
        book.find_grade("scale-check", toy.NAME, toy.NAME, "untouched").needs_manual_grade = True
        book.db.commit()
    with toy.installed(folder.root):
        _, made = summary_page.write(folder, toy.NAME)
    feedback = {student: folder.feedback / student / toy.NAME / f"{toy.NAME}.html" for student in STUDENTS}
    return feedback | {"summary": made}


@pytest.mark.parametrize("width", [390, 1280])
def test_everybody_can_read_them(browser, paths, width):
    for name, path in paths.items():
        page = browser.new_page(viewport={"width": width, "height": 844})
        asked, said = [], []
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.on("console", lambda message, said=said: said.append(message.text))
        page.goto(path.as_uri())
        page.evaluate(OPEN_ALL)
        page.evaluate(AXE)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            violations = [
                f"{v['id']}: {node['html'][:160]}"
                for v in page.evaluate(RUN_AXE, ["html", None])
                for node in v["nodes"]
            ]
            assert not violations, f"{name}, {scheme}, {width} px"
            ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert (ground == "rgb(255, 255, 255)") == (scheme == "light")
        assert page.evaluate(BEYOND) <= 0, f"{name} scrolls sideways at {width} px"
        assert page.evaluate(CUT) == 0, f"{name} has a table that is cut at {width} px"
        assert asked == [path.as_uri()] and not said
        page.close()
