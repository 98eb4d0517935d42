"""The glossary as types: frozen dataclasses and pure functions of values and `now`.

Nothing here reads a clock, a file, a database or the network. The words are those of
`docs/glossary.md`; each module is named after one of them.
"""
