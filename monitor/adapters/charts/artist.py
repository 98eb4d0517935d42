"""The parent's side of drawing: one child at a time, started when asked, ended when idle, replaced when it fails."""

import json
import os
import select
import struct
import subprocess
import sys
import threading
import time
from functools import lru_cache

from monitor.domain.picture import Chart, Form, Tables, Theme
from monitor.ports.charts import ChartFailed

#: Seconds that one drawing may take, with the start of the child.
DEADLINE_S = 30.0
#: Seconds after which a child that nobody asks is ended: it holds up to 190 MB.
IDLE_S = 20.0
#: Nothing drawn here is larger; a child that claims so is broken.
MAX_BYTES = 20_000_000
_HEAD = struct.Struct(">?I")


class Artist:
    """Draws charts in a child process; `monitor.ports.charts.Charts`. Safe for threads, which wait for each other."""

    def __init__(self, *, deadline_s: float = DEADLINE_S, idle_s: float = IDLE_S) -> None:
        self._deadline_s, self._idle_s = deadline_s, idle_s
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._curfew: threading.Timer | None = None
        self._kept = lru_cache(maxsize=64)(self._drawn)

    def __reduce__(self) -> tuple[type["Artist"], tuple[()]]:
        """Pickle as nothing: another process starts a child of its own."""
        return Artist, ()

    def draw(
        self,
        chart: Chart,
        tables: Tables,
        form: Form,
        *,
        theme: Theme = Theme.LIGHT,
        width: int = 640,
        height: int = 300,
    ) -> bytes:
        """Return a chart; the same again costs nothing. Raises ChartFailed."""
        asked = {"chart": chart, "tables": tables, "form": form, "theme": theme, "width": width, "height": height}
        return self._kept(chart, json.dumps(asked, sort_keys=True))

    def close(self) -> None:
        """End the child."""
        with self._lock:
            self._end()

    def _drawn(self, chart: Chart, request: str) -> bytes:
        with self._lock:
            child = self._living()
            try:
                is_drawn, body = _answered(child, request, time.monotonic() + self._deadline_s)
            except (OSError, EOFError) as gone:
                self._end()
                raise ChartFailed(chart, str(gone) or type(gone).__name__) from gone
            self._watch()
        if not is_drawn:
            raise ChartFailed(chart, body.decode(errors="replace"))
        return body

    def _living(self) -> subprocess.Popen[bytes]:
        if self._curfew is not None:
            self._curfew.cancel()
        if self._child is None or self._child.poll() is not None:
            self._end()
            self._child = subprocess.Popen(
                [sys.executable, "-m", "monitor.adapters.charts.child"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # a Ctrl-C in the terminal is for the parent
            )
        return self._child

    def _watch(self) -> None:
        """End the child when nobody has asked for a while."""
        self._curfew = threading.Timer(self._idle_s, self.close)
        self._curfew.daemon = True
        self._curfew.start()

    def _end(self) -> None:
        if self._curfew is not None:
            self._curfew.cancel()
        child, self._child = self._child, None
        if child is None:
            return
        child.kill()
        child.wait()
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                pipe.close()


def _answered(child: subprocess.Popen[bytes], request: str, deadline: float) -> tuple[bool, bytes]:
    assert child.stdin is not None  # noqa: S101 - it was started with pipes
    assert child.stdout is not None  # noqa: S101
    child.stdin.write(request.encode() + b"\n")
    child.stdin.flush()
    is_drawn, size = _HEAD.unpack(_bytes(child.stdout.fileno(), _HEAD.size, deadline))
    if size > MAX_BYTES:
        raise EOFError(f"the drawing process answered with {size} bytes")
    return is_drawn, _bytes(child.stdout.fileno(), size, deadline)


def _bytes(pipe: int, size: int, deadline: float) -> bytes:
    found = b""
    while len(found) < size:
        ready, _, _ = select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            raise EOFError("the drawing process took too long and was ended")
        part = os.read(pipe, size - len(found))
        if not part:
            raise EOFError("the drawing process died")
        found += part
    return found
