"""Carry out a Dockerfile without a container engine, so that its steps are proven wherever Python runs.

Each stage gets a folder that stands for its root; absolute paths of the file are moved below it, and a stage's
folder is always at the same place while the stage is being built, because a virtual environment remembers where it
lies. The base image is stood in for by a fresh virtual environment of the Python that runs the tests.

Not proven: that the base image exists, and anything that it brings beside Python and a POSIX shell. An instruction or
flag that is not known here is an error, so that nothing is passed over in silence.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

#: An absolute path that is not the machine's own; what follows a `:` is part of a URL.
_OWN_PATH = re.compile(r"(?<![\w.:/$}-])/(?!usr/|bin/|dev/|tmp/)(?=[a-z])")
_PASSED_ON = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE", "PIP_CERT", "PIP_INDEX_URL")


@dataclass(frozen=True)
class Instruction:
    """One instruction: `COPY`, its `--flags`, and the rest of the line."""

    name: str
    flags: dict[str, str]
    rest: str


@dataclass
class Image:
    """What a stage has come to: its files and how a process in it would be started."""

    root: Path
    env: dict[str, str] = field(default_factory=dict)
    workdir: str = "/"
    user: str = "0:0"
    command: list[str] = field(default_factory=list)
    healthcheck: list[str] = field(default_factory=list)

    def run(self, *command: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the finished image, as its user where this process may change users."""
        return subprocess.run(
            [*self._as_user(), *command],
            env={**self.env, **env},
            cwd=self.inside(self.workdir),
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    def _as_user(self) -> list[str]:
        if not changes_users():
            return []
        uid, gid = self.user.split(":")
        # The Python that runs the tests may lie where only root may look: reading is allowed, writing is not.
        look = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
        return ["setpriv", "--reuid", uid, "--regid", gid, "--clear-groups", *look, "--"]

    def inside(self, path: str) -> Path:
        """Return where an absolute path of the image really is."""
        return self.root / path.lstrip("/")


def changes_users() -> bool:
    """Say whether the image's processes run as the image's user; only root can do that."""
    return os.geteuid() == 0 and shutil.which("setpriv") is not None


def parse(text: str) -> list[Instruction]:
    """Return the instructions of a Dockerfile, continued lines joined and comments left out."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    return [_instruction(line) for line in joined.splitlines() if line.strip()]


def _instruction(line: str) -> Instruction:
    name, _, rest = line.strip().partition(" ")
    flags = {}
    while found := re.match(r"--([a-z-]+)=(\S+)\s+", rest):
        flags[found[1]] = found[2]
        rest = rest[found.end() :]
    return Instruction(name, flags, rest.strip())


class Build:
    """Carries out the instructions of one Dockerfile in a fresh folder."""

    def __init__(self, context: Path, scratch: Path) -> None:
        self._context = context
        self._scratch = scratch
        self._allowed = _allowed(context / ".dockerignore")
        self._stages: dict[str, Path] = {}
        self._stage = ""
        self.image = Image(scratch / "root")

    def carry_out(self, instructions: Sequence[Instruction]) -> Image:
        """Return the image that the last stage has come to."""
        for instruction in instructions:
            step = getattr(self, f"_{instruction.name.lower()}", None)
            assert step is not None, f"{instruction.name} is not known to the tests; teach dockerfile.py"
            step(instruction)
        return self.image

    def _from(self, instruction: Instruction) -> None:
        base, _, name = instruction.rest.partition(" AS ")
        assert base.startswith("python:"), "the tests stand in for Python's image only"
        if self.image.root.exists():
            kept = self._scratch / f"stage-{self._stage}"
            self.image.root.rename(kept)
            self._stages[self._stage] = kept
        self._stage = name
        python = self._scratch / "base"
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", str(python)], check=True)
        self.image.root.mkdir()
        passed_on = {key: os.environ[key] for key in _PASSED_ON if key in os.environ}
        path = f"{python / 'bin'}:/usr/bin:/bin"
        self.image = Image(self.image.root, env={**passed_on, "PATH": path, "HOME": str(self._scratch)})

    def _env(self, instruction: Instruction) -> None:
        for pair in shlex.split(instruction.rest):
            key, _, value = pair.partition("=")
            self.image.env[key] = self._moved(value).replace("$PATH", self.image.env["PATH"])

    def _workdir(self, instruction: Instruction) -> None:
        self.image.workdir = instruction.rest
        self.image.inside(instruction.rest).mkdir(parents=True, exist_ok=True)

    def _copy(self, instruction: Instruction) -> None:
        assert not set(instruction.flags) - {"from"}, f"COPY {instruction.flags} is not known to the tests"
        *sources, target = instruction.rest.split()
        stage = instruction.flags.get("from")
        for source in sources:
            if stage is None:
                assert source in self._allowed, f"{source} is kept out by .dockerignore"
                _put(self._context / source, self._target(target), copy=shutil.copy2)
            else:
                _put(self._stages[stage] / source.lstrip("/"), self._target(target), copy=os.link)

    def _target(self, target: str) -> Path:
        if target.startswith("/"):
            return self.image.inside(target)
        return self.image.inside(self.image.workdir) / target

    def _run(self, instruction: Instruction) -> None:
        done = subprocess.run(
            ["/bin/sh", "-c", self._moved(instruction.rest)],
            env=self.image.env,
            cwd=self.image.inside(self.image.workdir),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"RUN {instruction.rest}\n{done.stdout}{done.stderr}"

    def _user(self, instruction: Instruction) -> None:
        self.image.user = instruction.rest

    def _expose(self, instruction: Instruction) -> None:
        assert instruction.rest.isdigit()

    def _healthcheck(self, instruction: Instruction) -> None:
        assert instruction.rest.startswith("CMD ")
        self.image.healthcheck = json.loads(instruction.rest.removeprefix("CMD "))

    def _cmd(self, instruction: Instruction) -> None:
        self.image.command = json.loads(instruction.rest)

    def _moved(self, text: str) -> str:
        return _OWN_PATH.sub(f"{self.image.root}/", text)


def _put(origin: Path, target: Path, *, copy: Callable[[str, str], object]) -> None:
    if origin.is_dir():
        ignored = shutil.ignore_patterns("__pycache__") if copy is shutil.copy2 else None
        shutil.copytree(origin, target, symlinks=True, ignore=ignored, copy_function=copy, dirs_exist_ok=True)
    else:
        target.mkdir(parents=True, exist_ok=True)
        copy(str(origin), str(target / origin.name))


def _allowed(dockerignore: Path) -> frozenset[str]:
    """Return the names that may be copied; ours is a list of exceptions to `*`."""
    lines = [line for line in dockerignore.read_text().splitlines() if line and not line.startswith("#")]
    assert lines[0] == "*"
    assert all(line.startswith("!") or fnmatch(line, "[*][*]/*") for line in lines[1:])
    return frozenset(line.removeprefix("!") for line in lines if line.startswith("!"))
