"""Runs the examples of the documentation."""

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

import omnipitch

TESTS = Path(__file__).parents[1]
DOCS = TESTS.parents[2] / "docs"


class Documentation(unittest.TestCase):
    def setUp(self):
        before = os.getcwd()
        folder = tempfile.TemporaryDirectory()
        os.chdir(folder.name)
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, before)

    def run_page(self, page, number):
        """Runs the examples of a page together, and returns what they print."""
        examples = re.findall("```python\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)
        self.assertEqual(len(examples), number)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec("\n".join(examples), {})
        return out.getvalue()

    def test_python(self):
        subprocess.run([os.environ["OMNIPITCH"], "run", TESTS / "recorded.toml", "--ros1", "off", "--speed", "max", "--for",
                        "2s", "--record", "match.mcap", "--record-exact"], check=True, capture_output=True)
        out = self.run_page("python.md", 4)
        self.assertRegex(out, r"^objects 0\.9\d* .*ball")
        self.assertIn("(480, 640, 3) [[", out)

    def test_learning(self):
        """The vision of docs/learning sees what level objects reports."""
        with mock.patch.object(sys, "path", [str(DOCS / "learning"), *sys.path]):
            from vision import Vision
        told = []

        def observe(sim, agent, seen, vision=Vision()):
            told.append(seen.copy())
            return vision(sim, agent, seen)

        with omnipitch.Tasks(DOCS / "learning" / "images.toml", [1], observe=observe,
                             sensors=["cyan1.eyes", "cyan1.odometry"]) as tasks:
            tasks.reset()
            for _ in range(20):
                tasks.step([[[0.2, 0.1, 0.1, 1, -1]]])
                if told[-1][0] == 1:
                    np.testing.assert_allclose(tasks.observations[0, 0], told[-1], atol=0.25)
        self.assertGreater(sum(row[0] for row in told), 10)

    def test_vision(self):
        out = self.run_page("python-vision.md", 2)
        missed, false, off = map(float, re.match(r"missed (\d+)%, ([\d.]+) false .*off by ([\d.]+) cm\n", out).groups())
        self.assertTrue(missed < 5 and false < 0.05 and off < 8, out)
        self.assertTrue(Path("page/page.html").exists())
        self.assertRegex(out, r"\nvision \[")

    def test_planning(self):
        self.assertRegex(self.run_page("planning.md", 1), r"^\[[-\d. ]+\]\n$")
