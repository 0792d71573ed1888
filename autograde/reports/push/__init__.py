"""Grades and pages straight to a platform: what would change there, and then that and nothing else.

`send` decides and does, in this order: read what stands on the platform, compare, look once more at each student, send,
and write down what was confirmed. `web` makes the requests and turns what goes wrong into sentences; `canvas`, `moodle`
and `lti` say it in each platform's own words; `destination` says where it goes, with LTI's `registration`, and `token`
finds the token.

Safe to change: words, and which of a platform's functions are used. Whatever comes back from a platform is text of
strangers. What must hold: the token goes to the one address and nowhere else, into no message, log or file; nothing
that a person gave on the platform is overwritten unasked; an answer that was lost is looked up before anything is sent
again.
"""
