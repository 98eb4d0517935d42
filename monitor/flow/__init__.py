"""The story of a night, one stage per module, in alphabetical order.

`begin` creates the run, `collect` visits a competitor, `propose` works out price responses, `report` writes and
posts the summary, `review` takes the morning's decisions, `submit` writes approved prices, `sweep` repairs and wakes.
A stage loads, asks the domain, saves, notifies; it contains no rule of its own and imports no other stage.
"""
