"""Learning tasks of several agents as environments of PettingZoo.

    from omnipitch.parallel import parallel_env

    env = parallel_env("task-2v2")
"""

from __future__ import annotations

from typing import Any

import numpy as np
from pettingzoo import ParallelEnv

from ._task import Tasks
from .envs import Rendering, spaces_of


class TaskParallelEnv(Rendering, ParallelEnv):
    """A task of any number of agents, which are named like their robots. All end together.

    Args:
        world: As of omnipitch.Sim.
        render_mode: rgb_array, human or None.
        options: Further arguments of omnipitch.Tasks.
    """

    def __init__(self, world: Any, render_mode: str | None = None, **options: Any) -> None:
        self._check(render_mode)
        self.tasks, self._seeded = Tasks(world, [0], **options), False
        if options.get("observe"):
            self.tasks.reset()
        self.metadata = {**self.metadata, "name": self.tasks.sims[0].name}
        self.possible_agents, self.agents = list(self.tasks.agents), []
        self.observation_spaces, self.action_spaces = {}, {}
        for agent in self.possible_agents:  # each has spaces of its own, because each has a seed of its own
            self.observation_spaces[agent], self.action_spaces[agent] = spaces_of(self.tasks)

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict, dict]:
        if seed is None and not self._seeded:
            seed = int(np.random.default_rng().integers(1 << 31))
        self._seeded = True
        self.tasks.reset([seed])
        self.agents = list(self.possible_agents)
        return self._observed(), self._infos()

    def step(self, actions: dict[str, Any]) -> tuple[dict, dict, dict, dict, dict]:
        t = self.tasks
        t.step([[actions[agent] for agent in self.possible_agents]])
        ends = [dict.fromkeys(self.possible_agents, bool(x[0])) for x in (t.terminated, t.truncated)]
        rewards = {agent: float(r) for agent, r in zip(self.possible_agents, t.rewards[0])}
        result = self._observed(), rewards, *ends, self._infos()
        if t.terminated[0] or t.truncated[0]:
            self.agents = []
        return result

    def state(self) -> np.ndarray:
        """Returns the true state, whose numbers tasks.state_columns names."""
        return self.tasks.states[0].copy()

    def _observed(self) -> dict[str, np.ndarray]:
        if self.render_mode == "human":
            self._frame(self.tasks.sims[0])
        return {agent: o.copy() for agent, o in zip(self.possible_agents, self.tasks.observations[0])}

    def _infos(self) -> dict[str, dict[str, Any]]:
        return {agent: {"is_success": bool(self.tasks.success[0])} for agent in self.possible_agents}

    def render(self) -> Any:
        return self._frame(self.tasks.sims[0])

    def close(self) -> None:
        self._close()


parallel_env = TaskParallelEnv
