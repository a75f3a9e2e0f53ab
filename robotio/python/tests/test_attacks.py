"""Attacks on the package omnipitch: each is one clear exception, and leaves nothing behind.

The environment variable MOMENTS says how many random moments each of the tests tries.
"""

import os
import random
import signal
import unittest

import omnipitch

MOMENTS = int(os.environ.get("MOMENTS", "10"))


class Moments(unittest.TestCase):
    """What happens at random moments."""

    def setUp(self):
        self.random = random.Random(MOMENTS)

    def test_interrupted(self):
        self.addCleanup(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, signal.default_int_handler))
        with omnipitch.Sim("nubot-attack", levels={"*": "objects"}) as sim:
            for _ in range(3 * MOMENTS):
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


if __name__ == "__main__":
    unittest.main()
