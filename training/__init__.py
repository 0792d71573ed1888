"""The program of chapter 09: trains a vision transformer, a Transformer or a language model made of `solutions`.

`configuration` says what can be set, `tasks` makes a model with its data and loss, `step` takes a step with it on what
`devices` gives, and `loop` goes through the steps, stops, and goes on exactly where it stopped, in its `folder`. Safe
to change: defaults, and new tasks beside these. Not safe: what a checkpoint holds and how each step seeds its random
numbers, since exact resume rests on both.
"""
