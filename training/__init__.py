"""The program of chapter 10: trains a vision transformer, a Transformer or a language model made of `solutions`.

`configuration` says what can be set (`presets/` are known models), `tasks` makes a model with its data and loss
(`images`, `augment`, `text` and `hub` are where the data come from), `loading` makes batches ahead of time, `step`
takes a step on what `devices` gives, `speed` says how fast that is, and `loop` goes through the steps, stops, and goes
on exactly where it stopped, in its `folder`. Safe to change: defaults, presets, and new tasks beside these. Not safe:
what a checkpoint holds and how each batch and each step seeds its random numbers, since exact resume rests on both.
"""
