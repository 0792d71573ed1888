"""From a merged notebook to a verdict in the ledger, and from there to a whole class.

`judge` decides on one submission, with its code in the sandbox and every comparison out here: `dependencies` tells it
which cells to run and which exercises rest on which, `shares` and `timed` keep its time, and `endings` words what came
to no good end. `worker` takes one after the other, `executor` spreads them over processes or machines; `run` and
`regrade` are the commands, `isolation` stops them where submissions can no longer be isolated, and `versions` says what
a verdict rests on. What outlives a run (its plan, keys and the ledger) stands in `autograde` itself. Safe to change:
where and in which order submissions are graded. Not safe: what a record of the ledger means, and anything that lets an
answer be judged before all of its observations have come.
"""
