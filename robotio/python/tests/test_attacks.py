"""Attacks on the package omnipitch: each is one clear exception, and leaves nothing behind.

The environment variable MOMENTS says how many random moments a test tries.
"""

import gc
import os
import random
import resource
import signal
import threading
import time
import unittest
from pathlib import Path

import numpy as np

import omnipitch

MOMENTS = int(os.environ.get("MOMENTS", "5"))


def in_child(f):
    """Runs f in a forked process. Returns the process's number, and a pipe to read what f writes."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(read)
            with os.fdopen(write, "w", buffering=1) as out:
                f(out)
        finally:
            os._exit(0)
    os.close(write)
    return pid, os.fdopen(read)


class Attacks(unittest.TestCase):
    def setUp(self):
        self.random = random.Random(MOMENTS)
        gc.collect()
        self.files = os.listdir("/proc/self/fd")
        self.addCleanup(self.check_nothing_is_left)

    def check_nothing_is_left(self):
        gc.collect()
        with self.assertRaises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)
        self.assertEqual(os.listdir("/proc/self/fd"), self.files)
        self.assertNotIn("memfd:omnipitch", Path("/proc/self/maps").read_text())

    def assert_ends(self, pid):
        deadline = time.monotonic() + 60
        while os.path.exists(f"/proc/{pid}"):
            self.assertLess(time.monotonic(), deadline, "the simulator still runs")
            time.sleep(0.002)

    def test_interrupted(self):
        self.addCleanup(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, signal.default_int_handler))
        with omnipitch.Sim("nubot-attack", levels={"*": "objects"}) as sim:
            for _ in range(5 * MOMENTS):
                sim.reset()  # the first steps have news
                at = sim.time_s
                with self.assertRaises(KeyboardInterrupt):
                    signal.setitimer(signal.ITIMER_REAL, self.random.uniform(1e-5, 5e-3))
                    while True:
                        sim.do("drive", robot="cyan1", vx_m_s=self.random.random())
                        sim.step(1)
                sim.step(5)
                self.assertGreater(sim.time_s, at)
                self.assertTrue(all(o is None or o.keys() for o in sim.observations.values()))

    def test_simulator_killed(self):
        for _ in range(MOMENTS):
            sim = omnipitch.Sim("planar", levels={"*": "objects"})
            timer = threading.Timer(self.random.uniform(0, 0.02), sim._process._program.kill)
            timer.start()
            with self.assertRaisesRegex(omnipitch.SimulationError, "has ended with exit code -9"):
                while True:
                    sim.do("drive", robot="cyan1", vx_m_s=1)
                    sim.step(33)
            timer.join()
            with self.assertRaisesRegex(omnipitch.SimulationError, "is closed"):
                sim.step(33)

    def test_trainer_killed(self):
        def train(out):
            with omnipitch.Sim("planar", levels={"*": "objects"}) as sim:
                worker = os.fork()
                if worker == 0:
                    signal.pause()  # it outlives the trainer
                print(sim._process._program.pid, worker, file=out)
                while True:
                    sim.step(33)

        for _ in range(MOMENTS):
            pid, lines = in_child(train)
            with lines:
                simulator, worker = map(int, lines.readline().split())
                threading.Event().wait(self.random.uniform(0, 0.02))
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                self.assert_ends(simulator)
                os.kill(worker, signal.SIGKILL)

    def test_forked_trainers(self):
        def train(out):
            try:
                sim.step(33)
            except omnipitch.SimulationError as e:
                print(e, file=out)
            sim.close()
            with omnipitch.Sim("planar", seed=3, sensors=[]) as own:
                own.step(33)
                print(own.truth.robots["pose_wb_pos"].tobytes().hex(), file=out)

        with omnipitch.Sim("planar", seed=3, sensors=[]) as sim:
            children = [in_child(train) for _ in range(3)]
            sim.step(33)
            expected = sim.truth.robots["pose_wb_pos"].tobytes().hex()
            for pid, lines in children:
                with lines:
                    self.assertIn("open one in each process", lines.readline())
                    self.assertEqual(lines.readline().strip(), expected)
                os.waitpid(pid, 0)
            sim.step(33)

    def test_no_memory(self):
        def train(out):
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))  # of the shared memory, too
            try:
                with omnipitch.Sim("nubot-attack", levels={"*": "raw"}, sensors="cyan1.front", renderer="tile") as sim:
                    sim.step(500)
            except omnipitch.SimulationError as e:
                print(e, file=out)

        pid, lines = in_child(train)
        with lines:
            self.assertRegex(lines.read(), r"^shared memory of \d+ bytes: file too large\n$")
        os.waitpid(pid, 0)

    def test_wrong_values(self):
        with omnipitch.Batch("planar", [1, 2], sensors=[]) as batch:
            for fields, rule in (({"vx_m_s": np.zeros(3)}, r"drive.*vx_m_s"), ({"vx_m_s": np.nan}, "infinite or NaN"),
                                 ({"vx_m_s": "fast"}, r"drive.*vx_m_s"), ({"vx_m_s": b"1"}, "no place in a world"),
                                 ({"robot": 1}, r"drive.*robot"), ({"speed": 1}, "speed")):
                with self.assertRaisesRegex(omnipitch.WorldError, rule):
                    batch[0].do("drive", **{"robot": "cyan1", **fields})
            for seeds in ([1], [1, 2, 3], [1, -1], [1, "x"], [1, 1 << 70]):
                with self.assertRaisesRegex(omnipitch.WorldError, "seed"):
                    batch.reset(seeds)
            with self.assertRaisesRegex(omnipitch.WorldError, "must have at most"):
                batch[0].do("drive", robot="x" * (5 << 20))
            batch.step(33)


if __name__ == "__main__":
    unittest.main()
