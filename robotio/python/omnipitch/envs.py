"""Learning tasks as environments of Gymnasium.

    import gymnasium
    import omnipitch.envs

    env = gymnasium.make("omnipitch/Shoot-v0")
    many = gymnasium.make_vec("omnipitch/Shoot-v0", num_envs=64)    # one process, all cores
    own = gymnasium.make("omnipitch/Task-v0", world="my-task.toml")

gymnasium.make("omnipitch.envs:omnipitch/Shoot-v0") needs no import of this module.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ._process import WorldError
from ._sim import Sim
from ._task import Tasks

#: The worlds of the tasks that ship, by name of the environment.
SHIPPED = {"Reach": "task-reach", "Dribble": "task-dribble", "Shoot": "task-shoot", "Keeper": "task-keeper",
           "Pass": "task-pass", "TwoVersusTwo": "task-2v2", "FiveVersusFive": "task-5v5", "FindBall": "task-find-ball",
           "Corridor": "task-corridor"}


def spaces_of(tasks: Tasks) -> tuple[spaces.Box, spaces.Box]:
    """Returns the space of an agent's observation, and that of its actions."""
    shape = tasks.observations.shape[2:]
    if tasks.observations.dtype == np.uint8:
        seen = spaces.Box(0, 255, shape, np.uint8)
    else:
        limit = 3.0 if shape == (len(tasks.columns),) else np.inf  # observations of Python have no limit
        seen = spaces.Box(-limit, limit, shape, np.float32)
    return seen, spaces.Box(-1.0, 1.0, tasks.actions.shape[2:], np.float32)


class Window:
    """A window that shows images. It needs tkinter, which is part of Python."""

    def __init__(self, title: str) -> None:
        import tkinter

        self._tkinter, self._root = tkinter, tkinter.Tk()
        self._root.title(title)
        self._label = tkinter.Label(self._root)
        self._label.pack()

    def show(self, image: np.ndarray) -> None:
        height, width, _ = image.shape
        self._image = self._tkinter.PhotoImage(data=b"P6 %d %d 255\n" % (width, height) + image.tobytes(), format="PPM")
        self._label.configure(image=self._image)
        self._root.update()

    def close(self) -> None:
        self._root.destroy()


class Rendering:
    """What the environments have in common."""

    metadata: dict[str, Any] = {"render_modes": ["rgb_array", "human"], "render_fps": 30, "name": "omnipitch"}
    tasks: Tasks
    render_mode: str | None = None
    _window: Window | None = None

    def _check(self, render_mode: str | None) -> None:
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise WorldError(f"render_mode = {render_mode!r}: must be rgb_array or human")
        self.render_mode = render_mode

    def _frame(self, sim: Sim) -> np.ndarray | None:
        if self.render_mode is None:
            return None
        image = sim.overview().copy()
        if self.render_mode == "rgb_array":
            return image
        self._window = self._window or Window(sim.name)
        self._window.show(image)
        return None

    def _close(self) -> None:
        if self._window is not None:
            self._window.close()
            self._window = None
        self.tasks.close()


class TaskEnv(Rendering, gymnasium.Env):
    """A task of one agent.

    Args:
        world: As of omnipitch.Sim.
        render_mode: rgb_array, human or None.
        action_space: The space of what the argument act of Tasks takes.
        options: Further arguments of omnipitch.Tasks.
    """

    def __init__(self, world: Any, render_mode: str | None = None, action_space: gymnasium.Space | None = None,
                 **options: Any) -> None:
        self._check(render_mode)
        self.tasks, self._seeded = Tasks(world, [0], **options), False
        if len(self.tasks.agents) > 1:
            self.close()
            raise WorldError(f"{self.tasks.sims[0].name}: has {len(self.tasks.agents)} agents: use gymnasium.make_vec, in "
                             "which each agent is an environment, or omnipitch.parallel.parallel_env")
        if options.get("observe"):
            self.tasks.reset()
        self.observation_space, own = spaces_of(self.tasks)
        self.action_space = action_space or own

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        if seed is None and not self._seeded:
            seed = int(self.np_random.integers(1 << 31))
        self._seeded = True
        self.tasks.reset([seed])
        return self._observed(), self._info()

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict]:
        t = self.tasks
        t.step([[action]])
        return (self._observed(), float(t.rewards[0, 0]), bool(t.terminated[0]), bool(t.truncated[0]), self._info())

    def _observed(self) -> np.ndarray:
        if self.render_mode == "human":
            self._frame(self.tasks.sims[0])
        return self.tasks.observations[0, 0].copy()

    def _info(self) -> dict[str, Any]:
        return {"is_success": bool(self.tasks.success[0]), "state": self.tasks.states[0].copy()}

    def render(self) -> Any:
        return self._frame(self.tasks.sims[0])

    def close(self) -> None:
        self._close()


class TaskVectorEnv(Rendering, VectorEnv):
    """A task in many worlds, in one process. Each agent of each world is an environment.

    Args:
        world: As of omnipitch.Sim.
        num_envs: Number of worlds, multiplied by the number of agents.
        autoreset_mode: When ended episodes begin again.
        render_mode, action_space, options: As of TaskEnv.
    """

    def __init__(self, world: Any, num_envs: int = 1, *, autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
                 render_mode: str | None = None, action_space: gymnasium.Space | None = None, **options: Any) -> None:
        self._check(render_mode)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        with Sim(world, sensors=[]) as sim:
            agents = max(1, len(sim.agents))
        if num_envs < 1 or num_envs % agents:
            raise WorldError(f"num_envs = {num_envs}: must be a multiple of the {agents} agents of a world")
        self.tasks, self._seeded = Tasks(world, range(num_envs // agents), **options), False
        if options.get("observe"):
            self.tasks.reset()
        self.num_envs, self._agents = num_envs, agents
        self.single_observation_space, own = spaces_of(self.tasks)
        self.single_action_space = action_space or own
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._done = np.zeros(len(self.tasks), bool)

    def reset(self, *, seed: int | Sequence[int | None] | None = None,
              options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        mask = (options or {}).get("reset_mask")
        if isinstance(seed, (int, np.integer)):
            super().reset(seed=int(seed))
            seed = [int(seed) + i for i in range(self.num_envs)]
        elif seed is None:
            seed = [None] * self.num_envs
            if not self._seeded and mask is None:
                seed = [int(s) for s in self.np_random.integers(1 << 31, size=self.num_envs)]
        if len(seed) != self.num_envs:
            raise WorldError(f"seed: {len(seed)} seeds for {self.num_envs} environments")
        which = None
        if mask is not None:
            if not (isinstance(mask, np.ndarray) and mask.dtype == bool and mask.shape == (self.num_envs,) and mask.any()):
                raise WorldError(f"reset_mask: must be an array of {self.num_envs} booleans, at least one of them True")
            which = mask.reshape(-1, self._agents).any(1)
        self._seeded = True
        self.tasks.reset(seed[::self._agents], which)
        self._done = self.tasks.terminated | self.tasks.truncated
        return self._flat(self.tasks.observations), self._infos()

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict]:
        t, mode = self.tasks, self.autoreset_mode
        if mode is AutoresetMode.DISABLED and self._done.any():
            raise WorldError(f"step: environments {np.flatnonzero(self._done).tolist()} have ended: reset them")
        actions = np.asarray(actions).reshape(len(t), self._agents, *self.single_action_space.shape)
        t.step(actions, restart=self._done if mode is AutoresetMode.NEXT_STEP else None)
        rewards, terminated = self._flat(t.rewards), self._each(t.terminated)
        truncated, infos = self._each(t.truncated), self._infos()
        self._done = t.terminated | t.truncated
        if mode is AutoresetMode.SAME_STEP and self._done.any():
            final, done = self._flat(t.observations), self._each(self._done)
            infos = {"final_obs": np.array([o if d else None for o, d in zip(final, done)] + [None], object)[:-1],
                     "_final_obs": done, "final_info": infos, "_final_info": done, **infos}
            t.reset(which=self._done)
        if self.render_mode == "human":
            self._frame(t.sims[0])
        return self._flat(t.observations), rewards, terminated, truncated, infos

    def _flat(self, block: np.ndarray) -> np.ndarray:
        return block.reshape(self.num_envs, *block.shape[2:]).copy()

    def _each(self, worlds: np.ndarray) -> np.ndarray:
        return np.repeat(worlds, self._agents)

    def _infos(self) -> dict[str, Any]:
        return {"is_success": self._each(self.tasks.success), "_is_success": np.ones(self.num_envs, bool)}

    def render(self) -> Any:
        return tuple(self._frame(sim) for sim in self.tasks.sims for _ in range(self._agents))

    def close_extras(self, **kwargs: Any) -> None:
        self._close()


for _name, _world in SHIPPED.items():
    gymnasium.register(f"omnipitch/{_name}-v0", "omnipitch.envs:TaskEnv", vector_entry_point="omnipitch.envs:TaskVectorEnv",
                       kwargs={"world": _world})
gymnasium.register("omnipitch/Task-v0", "omnipitch.envs:TaskEnv", vector_entry_point="omnipitch.envs:TaskVectorEnv")
