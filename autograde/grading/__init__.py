"""From a merged notebook to a verdict in the ledger, and from there to a whole class.

`judge` decides on one submission, with its code in the sandbox and every comparison out here; `worker` takes one after
the other, `executor` spreads them over processes or machines; `run` and `regrade` are the commands; `plan`, `keys`,
`ledger` and `versions` keep what makes a verdict repeatable after a crash. Safe to change: where and in which order
submissions are graded. Not safe: what a line of the ledger holds, since old ledgers are read for ever, and anything
that lets an answer be judged before all of its observations have come.
"""
