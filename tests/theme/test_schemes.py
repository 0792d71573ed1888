"""Style sheets that hold in the light, in the dark, without a script and on paper."""

import pytest

from theme import schemes

UNSET = 'html:not([data-theme="light"],[data-theme="dark"])'


def test_a_light_rule_holds_without_a_script_and_on_paper() -> None:
    assert schemes.completed('html[data-theme="light"] p { color: red }') == (
        schemes.DONE + 'html[data-theme="light"] p{ color: red }'
        f"@media print,(prefers-color-scheme:light){{{UNSET} p{{ color: red }}}}"
        '@media print{html[data-theme="dark"] p{ color: red }}'
    )


def test_a_dark_rule_holds_without_a_script_and_never_on_paper() -> None:
    assert schemes.completed("html[data-theme=dark] p,a{x:1}") == (
        schemes.DONE + "a{x:1}@media screen{html[data-theme=dark] p{x:1}}"
        f"@media screen and (prefers-color-scheme:dark){{{UNSET} p{{x:1}}}}"
    )


def test_rules_within_media_are_completed_and_others_kept() -> None:
    css = (
        '/*! license */@charset "UTF-8";@font-face{src:url(a.woff2)}@media(min-width:9px){html[data-theme=dark] p{x:1}}'
    )
    done = schemes.completed(css)
    assert "/*! license */" in done and "@font-face{src:url(a.woff2)}" in done
    assert "@media(min-width:9px){@media screen{html[data-theme=dark] p{x:1}}" in done
    assert schemes.completed(done) == done, "an earlier build's sheet is not completed twice"
    assert schemes.completed("p{x:1}") == "p{x:1}"


def test_what_cannot_be_read_says_where() -> None:
    with pytest.raises(ValueError, match="line 2"):
        schemes.completed("html[data-theme=dark]{x:1}\n}")
