"""A market of fake shops on loopback and seven simulated nights over it, for `monitor demo` and the tests.

Nothing here is a special mode of the monitor: its nights are real processes on real sockets with a real mail server
and a real price file. Only the clock of those processes is moved (`--ahead`), and the shops are ours.
"""
