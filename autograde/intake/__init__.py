"""What came back from students is read here, and nowhere else: collected, parsed, and merged into the assignment.

`collect` brings what came back into class/submissions/: `sources` says what a source holds, which `unpack` takes out of
archives, `whose` what a name says by the `platforms`' ways of naming, `binding` whose it is by the `roster`, which
`roster_file` reads, `placing` of which submission, `people` whose it was, and `submissions` puts one down, with its
`provenance`, unless `chapters` says that it is another's assignment. `received` finds the file to grade in a
submission, `parse` makes a small clean notebook of its bytes, `merge` lays its answers into the assignment's own
notebook: `matching` says which cell is which answer's, by nbgrader's `marks` and by `comparison` with what was given
out, `magics` and `environment` leave out of a text what cannot run, and `flags` notes what its code tries.
Hostile bytes are opened by children without rights alone: `intake` asks them, `jail` starts them and says how one
ended, `inside` is the warm process that forks them, `protocol` is what passes between, `answers` checks the form of
what they say, and `unpacking` hands them an archive's bytes; `probe` tells the doctor whether all this works here.

Safe to change: what is recognized, and what an instructor is told of it. What runs inside imports the standard library,
this package and the modules that `jail.INSIDE` lists, and nothing else: add to that list with care, and never parse a
submission on the grader's side.
"""
