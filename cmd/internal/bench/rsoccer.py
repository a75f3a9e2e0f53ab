"""Steps five against five robots in rSoccer on all processor cores: observations of robots per second."""

import json
import os
import time
from multiprocessing import get_context

from rsoccer_gym.Entities import Robot
from rsoccer_gym.Simulators.rsim import RSimSSL

STEPS = 500


def run(_):
    sims = [RSimSSL(field_type=1, n_robots_blue=5, n_robots_yellow=5, time_step_ms=33) for _ in range(4)]
    commands = [Robot(yellow=y, id=i, v_x=0.5, v_theta=1.5) for y in (False, True) for i in range(5)]
    began = time.perf_counter()
    for _ in range(STEPS):
        for sim in sims:
            sim.send_commands(commands)
            sim.get_frame()
    return 10 * len(sims) * STEPS / (time.perf_counter() - began)


cores = len(os.sched_getaffinity(0))
with get_context("fork").Pool(cores) as pool:
    rate = sum(pool.map(run, range(cores), chunksize=1))
print(json.dumps([{"name": "rsoccer_states_of_robots", "value": rate, "unit": "1/s"}]))
