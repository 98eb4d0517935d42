"""A nightly competitor price monitor that changes your prices once, after you approve.

The map, in the order in which a night uses it:

- `flow`: the night as a story, one module per stage: begin, collect, propose, report, review, submit, sweep.
- `domain`: the words of `docs/glossary.md` as frozen dataclasses, and the rules as pure functions.
- `durable`: runs a job step by step, so that a crash costs at most one step.
- `extract`: turns the bytes of a page into a reading, or abstains. Pure.
- `ports`: what the night asks of the outside world, as Protocols; `adapters` is how the world answers.
- `settings`, `resources`: what the operator wrote, and where templates and configuration lie.
- `wiring`: the only place that knows which adapter is used.
- `worker`, `web`, `cli` and `scheduler.py` beside this package: the ways in.
- `demo`: a market of fake shops to try all of it on.

Imports point one way, from the ways in down to `domain` and `errors`; `lint-imports` checks it. The database is
the truth and a message is a doorbell carrying one id, so anything here may run twice without doing harm.
"""

__version__ = "0.1.0"
