"""Copies the guide into the package when a wheel is built. Everything else is said in pyproject.toml."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithGuide(build_py):
    def run(self):
        super().run()
        guide = Path("docs/guide")
        if not self.editable_mode and guide.is_dir():
            shutil.copytree(guide, Path(self.build_lib, "kiosk/guide"), dirs_exist_ok=True)


setup(cmdclass={"build_py": BuildWithGuide})
