"""Adds the program omnipitch of the checkout to the package, if it has been built (make build)."""

import shutil
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

program = Path(__file__).resolve().parents[2] / "bin" / "omnipitch"


class WithProgram(build_py):
    def run(self):
        super().run()
        if program.exists():
            folder = Path(self.build_lib) / "omnipitch" / "bin"
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy2(program, folder / "omnipitch")


class ForThisMachine(Distribution):
    def has_ext_modules(self):
        return program.exists()


class ForEveryPython(bdist_wheel):
    def get_tag(self):
        return "py3", "none", super().get_tag()[2]  # the program depends on the machine, but not on Python


setup(cmdclass={"build_py": WithProgram, "bdist_wheel": ForEveryPython}, distclass=ForThisMachine)
