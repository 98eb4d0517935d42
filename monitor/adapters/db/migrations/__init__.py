"""How the tables of `schema` came to be, one numbered script per change, in `versions/`; `migrate` runs them.

Scripts use plain column types: what they build must not change when the code does.
"""
