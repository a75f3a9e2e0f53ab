"""The program omnipitch, which a Python program talks to through two pipes and shared memory."""

from __future__ import annotations

import json
import mmap
import os
import shutil
import struct
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Any


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
            self._program = subprocess.Popen([path, "serve-python", "--memory", str(fd)], stdin=subprocess.PIPE,
                                             stdout=subprocess.PIPE, pass_fds=(fd,), start_new_session=True)
        except OSError as e:
            os.close(fd)
            raise SimulationError(f"{path}: {e.strerror}") from None
        self._fd, self._pid, self._lock = fd, os.getpid(), threading.RLock()
        self._closed = False
        self._forgotten: list[int] = []  # saved states that are garbage; only appended to outside of call
        self.memory: mmap.mmap | None = None

    def close(self) -> None:
        """Ends the program. It may be called more than once."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            os.close(self._fd)
            if self._pid != os.getpid():
                return  # the program belongs to the process that started it
            for pipe in (self._program.stdin, self._program.stdout):
                try:
                    pipe.close()
                except OSError:
                    pass
            try:
                self._program.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self._program.kill()
                self._program.wait()

    def __del__(self) -> None:
        if hasattr(self, "_closed"):
            self.close()

    def forget(self, state: int) -> None:
        """Frees a saved state with the next request. The garbage collector calls it, at any time."""
        self._forgotten.append(state)

    def call(self, op: str, body: str = "") -> dict[str, Any]:
        """Sends a request and returns the reply. body holds further members of the request as JSON."""
        request = ('{"op":"' + op + '"' + ("," + body if body else "") + "}").encode()
        with self._lock:
            if self._closed:
                raise SimulationError("the simulation is closed")
            if self._pid != os.getpid():
                raise SimulationError("the simulation belongs to the process that opened it: open one in each process")
            try:
                while self._forgotten:
                    self._send(b'{"op":"forget","state":%d}' % self._forgotten.pop())
                    self._receive()
                self._send(request)
                reply = self._receive()
            except KeyboardInterrupt:
                self._send(b'{"op":"stop"}')
                self._receive()
                raise
            size = reply["size"]
            if self.memory is None or size != len(self.memory):
                self.memory = mmap.mmap(self._fd, size, prot=mmap.PROT_READ) if size else None
        if "error" in reply:
            raise (WorldError if reply["kind"] == "input" else SimulationError)(reply["error"])
        return reply

    def _send(self, request: bytes) -> None:
        try:
            self._program.stdin.write(struct.pack("<I", len(request)) + request)
            self._program.stdin.flush()
        except (BrokenPipeError, ValueError):
            raise self._ended() from None

    def _receive(self) -> dict[str, Any]:
        head = self._program.stdout.read(4)
        body = self._program.stdout.read(struct.unpack("<I", head)[0]) if len(head) == 4 else b""
        if not body:
            raise self._ended()
        return json.loads(body)

    def _ended(self) -> SimulationError:
        code = self._program.wait()
        self.close()
        return SimulationError(f"the program omnipitch has ended with exit code {code}")
