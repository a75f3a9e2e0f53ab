"""Learning tasks: worlds with a table [task]."""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ._process import WorldError
from ._sim import Batch, Sim

_KEEP, _DECIDE, _NEXT, _NEW = range(4)  # what a world does in the request decide

Reward = Callable[[Sim, str, float], float]
Observe = Callable[[Sim, str, np.ndarray], np.ndarray]
Act = Callable[[Sim, str, Any], np.ndarray]


class Tasks:
    """Worlds with the same [task], which one process steps in parallel. All arrays begin with the index of the world.

    `observations`, `states`, `rewards`, `terminated`, `truncated` and `success` are views of memory that the next call
    of `step` or `reset` overwrites. With `observe` and `reward`, the arrays of the same name are copies.

    Args:
        world: As of Sim.
        seeds: The seed of each world. The episodes of a world are drawn from its seed: the first one has this seed.
        reward: Replaces the reward: called with a Sim, the name of an agent, and the reward of the world file.
        observe: Replaces the observation: called with a Sim, the name of an agent, and the observation of the world file.
        act: Replaces the actions: called with a Sim, the name of an agent, and what the agent has decided. It returns
            the numbers of the columns `action_columns`.
        options: Further arguments of Sim. `sensors` are those that reward and observe use; by default none.
    """

    def __init__(self, world: str | os.PathLike[str] | Mapping[str, Any], seeds: Sequence[int], *,
                 reward: Reward | None = None, observe: Observe | None = None, act: Act | None = None,
                 **options: Any) -> None:
        options.setdefault("sensors", [])
        self._reward, self._observe, self._act = reward, observe, act
        self.sims = Batch(world, seeds, **options)  #: the worlds, to look at their true state and to save it
        try:
            process = self.sims._process
            told = process.call("task", self.sims._request)["tasks"]
            memory = mmap.mmap(process._fd, told["size"], offset=told["offset"])
        except BaseException:
            self.close()
            raise
        block = {b["name"]: np.ndarray(b["shape"], b["dtype"], memory, b["offset"]) for b in told["blocks"]}
        self.agents: list[str] = told["agents"]  #: names of the robots that act
        self.teams: list[str] = told["teams"]  #: of each agent: cyan or magenta
        self.columns: list[str] = told["columns"] or []  #: names of the numbers of an observation; none of an image
        self.action_columns: list[str] = told["actions"]
        self.state_columns: list[str] = told["states"]
        self.actions: np.ndarray = block["actions"]  #: worlds × agents × columns, from -1 to 1
        self.observations: np.ndarray = block["observations"]  #: worlds × agents × columns, or height × width × 3
        self.states: np.ndarray = block["states"]  #: worlds × columns: the truth, for a critic
        self.rewards: np.ndarray = block["rewards"]  #: worlds × agents, of the last decision
        ended = block["ended"].view(bool)
        self.terminated: np.ndarray = ended[:, 0]  #: worlds whose episode ended as a success or a failure
        self.truncated: np.ndarray = ended[:, 1]  #: worlds whose episode was cut off
        self.success: np.ndarray = ended[:, 2]
        self._orders, self._seeds = block["orders"], block["seeds"]
        self._told_observations, self._told_rewards = self.observations, self.rewards

    def close(self) -> None:
        """Ends all worlds. It may be called more than once."""
        self.sims.close()

    def __enter__(self) -> Tasks:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self.sims)

    def reset(self, seeds: Sequence[int | None] | None = None, which: np.ndarray | None = None) -> np.ndarray:
        """Begins an episode in the worlds of the mask `which`, or in all, and returns the observations.

        It is the first episode of a seed, or the next one of the world for the seed None.
        """
        self._orders[:] = _NEXT
        for i, seed in enumerate(seeds if seeds is not None else ()):
            if seed is not None:
                self._orders[i], self._seeds[i] = _NEW, seed
        return self._go(which)

    def step(self, actions: Any = None, which: np.ndarray | None = None, restart: np.ndarray | None = None) -> np.ndarray:
        """Lets the agents act for one decision, in the worlds of the mask `which` or in all, and returns observations.

        The worlds of the mask `restart` begin their next episode instead. Without actions, those of the array `actions`
        are used.
        """
        if actions is not None and self._act is None:
            self.actions[...] = actions
        elif actions is not None:
            for i, sim in enumerate(self.sims):
                for k, agent in enumerate(self.agents):
                    self.actions[i, k] = self._act(sim, agent, actions[i][k])
        self._orders[:] = _DECIDE
        if restart is not None:
            self._orders[restart] = _NEXT
        return self._go(which)

    def _go(self, which: np.ndarray | None) -> np.ndarray:
        if which is not None:
            if not which.any():
                return self.observations
            self._orders[~which] = _KEEP
        self.sims._process.call("decide", self.sims._request)
        if self._reward is not None:
            self.rewards = self._each(self._reward, self._told_rewards, np.float64)
            self.rewards[self._orders >= _NEXT] = 0
        if self._observe is not None:
            self.observations = self._each(self._observe, self._told_observations, np.float32)
        return self.observations

    def _each(self, f: Callable[..., Any], values: np.ndarray, dtype: Any) -> np.ndarray:
        return np.array([[f(sim, agent, values[i, k]) for k, agent in enumerate(self.agents)]
                         for i, sim in enumerate(self.sims)], dtype)


def one_agent(tasks: Tasks) -> None:
    """Fails if a task has several agents."""
    if len(tasks.agents) > 1:
        raise WorldError(f"{tasks.sims[0].name}: has {len(tasks.agents)} agents: use omnipitch.parallel.parallel_env, or "
                         "omnipitch.envs.TaskVectorEnv, in which each agent is an environment")
