"""The Dramatiq worker process: `dramatiq monitor.worker`.

The one actor, `work`, is declared on the broker by the wiring and is one line: claim the job by its id and work on it.
A message for a job that ended, waits or is held by another worker does nothing. SIGTERM gives every job back at its
next checkpoint; SIGKILL leaves it to the sweep of the next process. While the broker cannot be reached, the process
finds due jobs in the database by itself.
"""

import sys

import dramatiq

from monitor.adapters.broker import Hooks
from monitor.errors import MonitorError
from monitor.wiring import Working, open_app

try:
    app = open_app(role="worker")
except MonitorError as refused:  # words, and no stack trace around them
    sys.exit(str(refused))
_working = Working(app, stands_in=True)
broker = app.broker
broker.add_middleware(Hooks(_working.start, _working.drain, _working.stop))
dramatiq.set_broker(broker)
