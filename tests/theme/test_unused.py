"""Rules for classes that nothing has are gone from others' style sheets; every other rule stays."""

from pathlib import Path

from theme import unused


def test_a_rule_stays_where_its_classes_may_be_met() -> None:
    css = (
        '/*! license */@charset "UTF-8";.a{x:1}.a.b,.a .c{x:2}.d{x:3}p:not(.b){x:4}:is(.a,.b) i{x:5}'
        "@media print{.b{x:6}}@media print{.a:hover,.b{x:7}}.bs-made{x:8}.b::before{content:'.a'}@font-face{src:url(b)}"
    )
    assert unused.reduced(css, {"a", "c"}) == (
        '/*! license */@charset "UTF-8";.a{x:1}.a .c{x:2}p:not(.b){x:4}:is(.a,.b) i{x:5}'
        "@media print{.a:hover{x:7}}.bs-made{x:8}@font-face{src:url(b)}"
    )


def test_pages_and_scripts_name_classes(tmp_path: Path) -> None:
    page, script = tmp_path / "a.html", tmp_path / "a.js"
    page.write_text("<p class=\"one two\">three</p><i class='four'></i><script>e.className = 'five six'</script>")
    script.write_text("e.classList.add('seven')")
    assert {"one", "two", "four", "five", "six", "seven"} <= (found := unused.named([page], [script]))
    assert "three" not in found


def test_the_finished_sheets_hold_what_pages_and_scripts_use(built: Path) -> None:
    text = "".join((built / "_static" / sheet).read_text("utf-8") for sheet in unused.SHEETS)
    for used in (".bd-sidebar-primary", ".admonition", ".dropdown-menu.show", ".bs-tooltip-auto", ".sd-card", ".pst-"):
        assert used in text, used
    assert ".carousel-caption" not in text and ".sd-avatar" not in text
