"""The program omnipitch, which a Python program talks to through two pipes and shared memory."""

from __future__ import annotations

import json
import mmap
import os
import select
import shutil
import subprocess
import tempfile
import threading
import time
import weakref
from pathlib import Path
from typing import Any

from ._form import Form, Verdict


# How long to look for a reply before sleeping, s, and for how many replies not to look after looking in vain. To wake
# a sleeping process takes longer than most steps.
_SPIN, _REST = 100e-6, 64
_LONGEST = 4 << 20  # request, in bytes: the program reads no longer one


class Error(Exception):
    """An error of this package."""


class WorldError(Error, ValueError):
    """A world, an action or an argument is invalid. The text says where, what the value is, and which rule it breaks."""


class SimulationError(Error, RuntimeError):
    """A simulation failed, or the program omnipitch is missing or has ended."""


def find_program(path: str | os.PathLike[str] | None = None) -> str:
    """Returns the path of the program omnipitch.

    It is the argument, or the value of the environment variable OMNIPITCH, or the program that came with this package,
    or the program that was built in the checkout around this package, or the program omnipitch in PATH.
    """
    given = path or os.environ.get("OMNIPITCH")
    if given:
        if not os.access(given, os.X_OK):
            raise SimulationError(f"{os.fspath(given)}: is no program")
        return os.fspath(given)
    here = Path(__file__).resolve().parent
    for candidate in (here / "bin" / "omnipitch", here.parents[2] / "bin" / "omnipitch"):
        if os.access(candidate, os.X_OK):
            return str(candidate)
    found = shutil.which("omnipitch")
    if found is None:
        raise SimulationError("the program omnipitch is missing: build it with make build, and set the environment "
                              "variable OMNIPITCH to its path, or add its folder to PATH")
    return found


def encode(what: str, value: object) -> str:
    """Returns a value as JSON. Numpy's numbers and arrays are values, too."""

    def convert(v: Any) -> Any:
        if hasattr(v, "tolist"):
            return v.tolist()
        if isinstance(v, os.PathLike):
            return os.fspath(v)
        raise WorldError(f"{what}: a value of type {type(v).__name__} has no place in a world")

    try:
        return json.dumps(value, default=convert, allow_nan=False)
    except ValueError as e:
        if isinstance(e, WorldError):
            raise
        raise WorldError(f"{what}: a number is infinite or NaN") from None


class Process:
    """The running program. Threads take turns."""

    def __init__(self, program: str | os.PathLike[str] | None = None) -> None:
        path = find_program(program)
        if hasattr(os, "memfd_create"):
            fd = os.memfd_create("omnipitch")
        else:
            fd, name = tempfile.mkstemp(prefix="omnipitch")
            os.unlink(name)
        try:
            # A session of its own keeps Ctrl-C away from the program, which ends with its stdin.
            self._program = subprocess.Popen([path, "serve-python", "--memory", str(fd)], bufsize=0,
                                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=(fd,),
                                             start_new_session=True)
        except OSError as e:
            os.close(fd)
            raise SimulationError(f"{path}: {e.strerror}") from None
        self._fd, self._lock = fd, threading.RLock()
        self._closed = self._forked = False
        self._in, self._out = self._program.stdin.fileno(), self._program.stdout.fileno()
        self._poll, self._rest = select.poll(), 0
        self._poll.register(self._out, select.POLLIN)
        self.news: dict[int, tuple[list[Form], list[Verdict]]] = {}  # of simulations
        self._forgotten: list[int] = []  # saved states that are garbage; only appended to outside of call
        self.memory: mmap.mmap | None = None
        _running.add(self)

    def close(self) -> None:
        """Ends the program. It may be called more than once."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._leave()
            try:
                self._program.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self._program.kill()
                self._program.wait()

    def _leave(self) -> None:
        os.close(self._fd)
        self._program.stdin.close()
        self._program.stdout.close()

    def _after_fork(self) -> None:
        """Leaves the program to the process that started it, and with which it ends."""
        self._lock, self._forked = threading.RLock(), True
        if not self._closed:
            self._closed = True
            self._leave()
            self._program.returncode = 0  # so that it is not waited for

    def __del__(self) -> None:
        if hasattr(self, "_closed"):
            self.close()

    def forget(self, state: int) -> None:
        """Frees a saved state with the next request. The garbage collector calls it, at any time."""
        self._forgotten.append(state)

    def call(self, op: str, body: str = "") -> dict[str, Any]:
        """Sends a request and returns the reply. body holds further members of the request as JSON."""
        request = ('{"op":"' + op + '"' + ("," + body if body else "") + "}\n").encode()
        if len(request) > _LONGEST:
            raise WorldError(f"{op}: a request of {len(request)} bytes: must have at most {_LONGEST}")
        with self._lock:
            if self._forked:
                raise SimulationError("the simulation belongs to the process that opened it: open one in each process")
            if self._closed:
                raise SimulationError("the simulation is closed")
            try:
                while self._forgotten:
                    self._exchange(b'{"op":"forget","state":%d}\n' % self._forgotten.pop())
                reply = self._exchange(request)
            except BaseException:  # such as KeyboardInterrupt: parts of the request or of the reply may be lost
                if not self._closed:
                    self._stop()
                raise
        if "error" in reply:
            raise (WorldError if reply["kind"] == "input" else SimulationError)(reply["error"])
        return reply

    def _exchange(self, request: bytes) -> dict[str, Any]:
        self._send(request)
        reply = self._receive()
        return self._take(json.loads(reply)) if len(reply) > 3 else {}

    def _take(self, reply: dict[str, Any]) -> dict[str, Any]:
        """Takes over what has changed."""
        if "size" in reply:
            self.memory = mmap.mmap(self._fd, reply["size"], prot=mmap.PROT_READ)
        for news in reply.get("news", ()):
            forms, verdicts = self.news.setdefault(news["simulation"], ([], []))
            forms[news["forms_from"]:] = map(Form, news["forms"])
            verdicts[news["verdicts_from"]:] = (Verdict(**v) for v in news["verdicts"])
        return reply

    def _stop(self) -> None:
        """Ends the request that runs, and waits for the reply to stop, which has all news."""
        try:
            self._send(b'\n{"op":"stop"}\n')
            while True:
                reply = self._receive().splitlines()[-1]
                if reply.endswith(b'"stopped":true}'):
                    self._take(json.loads(reply))
                    return
        except BaseException:
            self.close()
            raise

    def _send(self, request: bytes) -> None:
        try:
            sent = os.write(self._in, request)
            while sent < len(request):
                sent += os.write(self._in, request[sent:])
        except BrokenPipeError:
            raise self._ended() from None

    def _receive(self) -> bytes:
        """Returns at least one line."""
        if self._rest:
            self._rest -= 1
        else:
            end = time.perf_counter() + _SPIN
            while not self._poll.poll(0):
                if time.perf_counter() > end:
                    self._rest = _REST
                    break
        lines = os.read(self._out, 1 << 16)
        while not lines.endswith(b"\n"):
            more = os.read(self._out, 1 << 20)
            if not more:
                raise self._ended()
            lines += more
        return lines

    def _ended(self) -> SimulationError:
        code = self._program.wait()
        self.close()
        if code == 127:  # of the dynamic linker, which has named the library
            return SimulationError("the program omnipitch lacks a library; on Debian and Ubuntu: "
                                   "apt-get install libode8 libegl1 libgl1 libx11-6")
        return SimulationError(f"the program omnipitch has ended with exit code {code}")


_running: weakref.WeakSet[Process] = weakref.WeakSet()
os.register_at_fork(after_in_child=lambda: [p._after_fork() for p in list(_running)])
