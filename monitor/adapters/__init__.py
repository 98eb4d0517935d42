"""The outside world: one library per module, each behind a Protocol of `monitor.ports`.

No exception of a library leaves its adapter. Adapters do not import each other, except that
`fetch`, `shops` and `notify` use `http`. `monitor.wiring` alone decides which one is used.
"""
