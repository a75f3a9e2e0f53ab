"""Running worlds, and what their sensors observe."""

from __future__ import annotations

import base64
import operator
import os
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from ._camera import Camera, Picture
from ._form import Form, Verdict
from ._process import Process, SimulationError, WorldError, encode
from ._sensor import OwnObservation, OwnSensor

_Function = TypeVar("_Function", bound=Callable[..., Any])
_ALIGNMENT = 64
_HEADER = struct.Struct("<QQdQq14I")  # count, frame, stamp, offset, form, counts


class Observation:
    """The newest output of a sensor, or the true state.

    Its arrays are attributes, such as `image`, `depth`, `detections` or `ranges`; `keys()` returns their names. They are
    read-only views of memory that the next step overwrites: use `copy()` on what you keep.
    """

    __slots__ = ("name", "level", "fault", "frame", "stamp", "_form", "_offset", "_counts", "_memory")

    def __init__(self, name: str, form: Form, header: tuple[Any, ...], memory: Any) -> None:
        self.name: str = name  # ROBOT.SENSOR
        self.level: str = form.level
        self.fault: str = form.fault  # "" for a sensor that works
        _, self.frame, self.stamp, self._offset, _, *self._counts = header  # the stamp is the sim time of capture, s
        self._form, self._memory = form, memory

    def keys(self) -> list[str]:
        """Returns the names of the values."""
        return list(self._form.places)

    def __getattr__(self, name: str) -> Any:
        place = self._form.places.get(name)
        if place is None:
            raise AttributeError(f"{self.name} at level {self.level or 'truth'} has no {name}, but "
                                 f"{', '.join(self._form.places)}")
        index, field = place
        at = self._offset
        for array, count in zip(self._form.arrays[:index], self._counts):
            at += -(-count * array.size // _ALIGNMENT) * _ALIGNMENT
        array = self._form.arrays[index]
        shape = array.shape if array.image else (self._counts[index], *array.shape)
        values = np.ndarray(shape, array.dtype, self._memory, at)
        values.flags.writeable = False
        return values if field is None else values[field][0]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._form.places]

    def __repr__(self) -> str:
        return f"<{self.name} at level {self.level or 'truth'}, {self.stamp:.3f} s: {', '.join(self._form.places)}>"


class Observations(Mapping[str, "Observation | OwnObservation | None"]):
    """The newest observation of each sensor, by its name ROBOT.SENSOR. It is None until there is one."""

    def __init__(self, sim: Sim) -> None:
        self._sim = sim

    def __getitem__(self, name: str) -> Observation | OwnObservation | None:
        return self._sim[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._sim.sensors)

    def __len__(self) -> int:
        return len(self._sim.sensors)


class Sim:
    """A running world.

    Args:
        world: The name of a world that ships, the path of a world file, the text of a world file (a string of several
            lines), or a world file as a dict.
        seed: Seed of all random numbers. None: the world's own.
        levels: Levels of sensors by pattern, such as {"*": "objects", "cyan1.front": "raw"}.
        sensors: Pattern or patterns of the sensors to observe. Sensors without an observer cost nothing, so name what
            you need: images of all robots take long.
        renderer: Name of the renderer, as of `omnipitch run --renderer`.
        program: Path of the program omnipitch. None: see `omnipitch._process.find_program`.

    Raises:
        WorldError: The world or an argument is invalid.
        SimulationError: The program is missing, or this machine cannot draw the images.
    """

    def __init__(self, world: str | os.PathLike[str] | Mapping[str, Any], *, seed: int | None = None,
                 levels: Mapping[str, str] | None = None, sensors: str | Sequence[str] = "*", renderer: str = "auto",
                 program: str | os.PathLike[str] | None = None, _process: Process | None = None) -> None:
        self._start({"seed": _seed(seed), **world_request(world)}, levels, sensors, renderer, program, _process)

    def _start(self, request: dict[str, Any], levels: Mapping[str, str] | None, sensors: str | Sequence[str],
               renderer: str, program: str | os.PathLike[str] | None, process: Process | None = None) -> None:
        self._process = process or Process(program)
        self._shared = process is not None
        request |= {"batch": self._shared, "renderer": renderer,
                    "levels": [f"{k}={v}" for k, v in (levels or {}).items()],
                    "sensors": [sensors] if isinstance(sensors, str) else list(sensors)}
        try:
            opened = self._process.call("open", '"open":' + encode("world", request))["opened"]
        except BaseException:
            if not self._shared:
                self._process.close()
            raise
        self._number: int = opened["simulation"]
        self._table: int = opened["table"]
        self.name: str = opened["world"]
        self.seed: int = opened["seed"]
        self.step_s: float = opened["step_ns"] / 1e9
        self.robots: list[str] = opened["robots"]  # in the order of truth.robots
        self.obstacles: list[str] = opened["obstacles"]  # in the order of truth.obstacles
        self.sensors: list[str] = opened["sensors"]  # those that are observed
        self.bodies: list[str] = opened["bodies"]  # by their numbers in truth.touches and truth.events
        self.event_kinds: list[str] = opened["event_kinds"]  # by their numbers in truth.events
        self.agents: list[str] = opened["agents"] or []  # the robots that act in the world's task
        self.warnings: list[str] = opened["warnings"]
        self._forms, self.verdicts = self._process.news[self._number]  # verdicts since the last reset
        self._own: dict[str, OwnSensor] = {}
        self._cameras: dict[str, Camera] = {}
        self._rows = {name: 1 + i for i, name in enumerate(self.sensors)}
        self._request = f'"simulations":[{self._number}]'
        self._span = opened["begin_ns"] / 1e9, opened["end_ns"] / 1e9

    def close(self) -> None:
        """Ends the simulation. It may be called more than once."""
        if self._shared:
            return  # the batch closes it
        self._process.close()

    def __enter__(self) -> Sim:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def step(self, ms: float) -> Observations:
        """Advances the world by ms of sim time, rounded to whole steps, at least one. Ctrl-C ends it early."""
        length = _nanoseconds(ms)
        if not self._own:
            self._process.call("step", f'"for_ns":{length},' + self._request)
            return self.observations
        step = round(self.step_s * 1e9)
        for _ in range(max(1, (length + step // 2) // step)):  # so that own sensors miss nothing
            self._process.call("step", f'"for_ns":{min(length, step)},' + self._request)
            self._look()
        return self.observations

    def reset(self, seed: int | None = None) -> Observations:
        """Starts the world again, with another seed if one is given, and takes the first step."""
        self.verdicts.clear()
        self._process.call("reset", f'"seeds":[{encode("seed", _seed(seed))}],' + self._request)
        if seed is not None:
            self.seed = seed
        for own in self._own.values():
            own.clear()
        self._look()
        return self.observations

    def save(self) -> State:
        """Returns the exact state, with the newest observations. An action that no step has taken yet is an error."""
        return State(self._process, self._process.call("save", self._request)["state"],
                     {name: own.state for name, own in self._own.items()})

    def restore(self, state: State) -> Observations:
        """Goes back to a state that this Sim, or another one of the same batch with the same seed, has saved.

        The same calls then give the same bytes. Levels and everything else are as they were; verdicts are not kept.
        """
        self.verdicts.clear()
        self._process.call("restore", f'"state":{state._number_in(self._process)},' + self._request)
        for name, own in self._own.items():
            own.state = state._own.get(name, (None, None, ()))
        return self.observations

    def do(self, action: str, **fields: Any) -> None:
        """Carries out an action, by the names that world files give it and its fields.

            sim.do("kick", robot="cyan1", speed_m_s=6)

        It takes effect in the next step.
        """
        self._process.call("do", '"do":' + encode(f"action {action}", {action: fields}) + "," + self._request)

    def sensor(self, name: str, of: str, *, level: str = "own", latency_ms: float = 0) -> Callable[[_Function], _Function]:
        """Adds a sensor in Python to this Sim, which `sim[name]` and `observations` then have beside the others.

            @sim.sensor("cyan1.ball", of="cyan1.front", latency_ms=20)
            def ball(seen, camera):
                return {"pixels": np.argwhere(seen.image[..., 0] > 200)}

        The function is called with each observation of another sensor, in the step that delivers it, and with the Camera
        that took its image, or None. It returns a dict of arrays, or None if there is nothing to report. For noise, a
        generator such as np.random.default_rng((sim.seed, seen.frame)) makes runs repeat.

        Args:
            name: Its name, such as ROBOT.SENSOR.
            of: The sensor that it processes, which may be another one in Python, or "truth": the true state of each step.
            level: The name of its level.
            latency_ms: Sim time after which its output is there, beyond that of the other sensor.
        """
        if self._shared or not 0 <= latency_ms < 1e9 or name in self.sensors:
            raise WorldError(f"sensor {name}: must have a new name, a latency of 0 or more, and a Sim outside of batches")
        if of != "truth":
            self[of]  # fails if there is none

        def add(function: _Function) -> _Function:
            self._own[name] = OwnSensor(name, of, level, latency_ms / 1000, function)
            self.sensors.append(name)
            return function

        return add

    def _look(self) -> None:
        for own in self._own.values():
            own.look(self)

    def show(self, camera: str = "") -> Picture:
        """Draws what a camera ROBOT.SENSOR sees at this moment or, without a name, the place from above.

        A notebook shows the picture; elsewhere, use show().save("now.png"). What a camera reports at a level without
        images is drawn over its ideal image. The simulation does not change.
        """
        reply = self._process.call("picture", f'"name":{encode("camera", camera)},' + self._request)
        return Picture(base64.b64decode(reply["result"]))

    def camera(self, name: str) -> Camera:
        """Returns the geometry of a camera ROBOT.SENSOR. Its first call takes some memory and milliseconds."""
        if name not in self._cameras:
            pixels = self._process.call("rays", f'"name":{encode("camera", name)},' + self._request)["pixels"]
            rays = [np.ndarray(p["shape"], p["dtype"], self._process.memory, p["offset"]) for p in pixels]
            self._cameras[name] = Camera(rays[0], rays[1] if len(rays) > 1 else None)
        return self._cameras[name]

    def overview(self) -> np.ndarray:
        """Returns an image of the place as people see it: height × width × 3. The next call overwrites it."""
        image = self._process.call("overview", self._request)["pixels"][0]
        return np.ndarray(image["shape"], image["dtype"], self._process.memory, image["offset"])

    def _observe(self, name: str, row: int) -> Observation | None:
        memory = self._process.memory
        header = _HEADER.unpack_from(memory, self._table + row * _HEADER.size)
        if header[0] == 0:
            return None
        return Observation(name, self._forms[header[4]], header, memory)

    def __getitem__(self, name: str) -> Observation | OwnObservation | None:
        """Returns the newest observation of a sensor ROBOT.SENSOR, or None if there is none yet."""
        try:
            if name in self._own:
                return self._own[name].state[0]
            return self._observe(name, self._rows[name])
        except KeyError:
            raise WorldError(f"{name}: is no observed sensor, those are: {', '.join(self.sensors)}") from None

    @property
    def observations(self) -> Observations:
        """The newest observation of each sensor."""
        return Observations(self)

    @property
    def truth(self) -> Observation:
        """The true state. `robots` and `obstacles` are structured arrays, in the order of the lists of this Sim."""
        state = self._observe("truth", 0)
        if state is None:
            raise SimulationError("the simulation has not started")
        return state

    @property
    def time_s(self) -> float:
        """The sim time, s."""
        return self.truth.stamp

    def __repr__(self) -> str:
        return f"<Sim {self.name}, seed {self.seed}>"


class State:
    """A saved state of a simulation: see Sim.save. It takes memory of the simulator until it is garbage."""

    def __init__(self, process: Process, number: int, own: dict[str, Any]) -> None:
        self._process, self._number, self._own = process, number, own

    def _number_in(self, process: Process) -> int:
        if process is not self._process:
            raise WorldError("restore: the state is of another Sim or batch")
        return self._number

    def __del__(self) -> None:
        self._process.forget(self._number)


class Batch(Sequence[Sim]):
    """Several simulations of one world in one process, which step in parallel. `batch[i]` is one of them.

    Args:
        world: As of Sim.
        seeds: The seed of each simulation.
        options: Further arguments of Sim.
    """

    def __init__(self, world: str | os.PathLike[str] | Mapping[str, Any], seeds: Sequence[int], *,
                 program: str | os.PathLike[str] | None = None, **options: Any) -> None:
        self._process = Process(program)
        self._sims: list[Sim] = []
        try:
            for seed in seeds:
                self._sims.append(Sim(world, seed=seed, _process=self._process, **options))
        except BaseException:
            self.close()
            raise
        self._request = '"simulations":' + encode("simulations", [s._number for s in self._sims])

    def close(self) -> None:
        """Ends all simulations. It may be called more than once."""
        self._process.close()

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def step(self, ms: float) -> None:
        """Advances all worlds by ms of sim time: see Sim.step."""
        self._process.call("step", f'"for_ns":{_nanoseconds(ms)},' + self._request)

    def reset(self, seeds: Sequence[int | None] | None = None) -> None:
        """Starts all worlds again: see Sim.reset."""
        seeds = [None] * len(self._sims) if seeds is None else [_seed(s) for s in seeds]
        if len(seeds) != len(self._sims):
            raise WorldError(f"reset: {len(seeds)} seeds for {len(self._sims)} simulations")
        for sim in self._sims:
            sim.verdicts.clear()
        self._process.call("reset", '"seeds":' + encode("seeds", seeds) + "," + self._request)
        for sim, seed in zip(self._sims, seeds):
            if seed is not None:
                sim.seed = seed

    def __getitem__(self, i: Any) -> Any:
        return self._sims[i]

    def __len__(self) -> int:
        return len(self._sims)


def world_request(world: str | os.PathLike[str] | Mapping[str, Any]) -> dict[str, Any]:
    """Returns the part of a request that names a world."""
    if isinstance(world, Mapping):
        return {"table": world}
    if isinstance(world, str) and "\n" in world:
        return {"text": world}
    return {"world": os.fspath(world)}


def _nanoseconds(ms: float) -> int:
    try:
        return round(float(ms) * 1e6)
    except (TypeError, ValueError, OverflowError):
        raise WorldError(f"step: {ms!r} ms: must be a number of milliseconds") from None


def _seed(value: Any) -> int | None:
    if value is None:
        return None
    try:
        seed = operator.index(value)
    except TypeError:
        seed = -1
    if not 0 <= seed < 1 << 64:
        raise WorldError(f"seed: {value!r}: must be an integer in [0, 2**64)")
    return seed
