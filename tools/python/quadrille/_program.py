"""The program, called."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
from typing import Any, Mapping

import numpy as np

from ._run import Run
from ._scene import settings, yaml
from ._tables import Error, Path, ProgramError


def find_program() -> str:
    """The program: $QUADRILLE, else where this module was installed or lies in the source tree, else the
    first on $PATH.
    """
    here = pathlib.Path(__file__).resolve()
    beside = [here.parents[4] / "bin" / "quadrille"] if len(here.parents) > 4 else []
    if here.parts[-4:-2] == ("tools", "python"):
        beside.insert(0, here.parents[3] / "build" / "release" / "quadrille")
    known = [str(path) for path in beside if path.is_file()]
    found = os.environ.get("QUADRILLE") or (known[0] if known else shutil.which("quadrille"))
    if not found:
        raise Error("the program quadrille is not on the path; QUADRILLE=/path/to/it says where it is")
    return found


def run(
    scene: Path | Mapping[str, Any],
    out: Path | None = None,
    *,
    threads: int | None = None,
    force: bool = False,
    resume: bool = False,
    program: str | None = None,
    pandas: bool | None = None,
    **overrides: Any,
) -> Run:
    """Simulates a scene with the program and returns its Run, once it is complete.

    `scene`: a built-in name, the path of a YAML file, or a dictionary. `out`: the run directory; the
    program's default is NAME-<8 digits of the scene's hash> in the current one. `force` replaces an earlier
    run there, `resume` goes on with it. `overrides` change keys of the scene as `--set` does:
    `contact={"friction": 0.2}`, or `**{"contact.friction": 0.2}`; a whole number as `bodies` scales the scene
    to so many. Raises ProgramError with the program's line and exit code.
    """
    command = [program or find_program(), "run", "--json", "-q"]
    text = None
    if isinstance(scene, Mapping):
        command.append("-")
        text = yaml(scene)
    else:
        command.append(os.fspath(scene))
    command += [] if out is None else ["-o", os.fspath(out)]
    command += [] if threads is None else ["--threads", str(int(threads))]
    command += ["--force"] * bool(force) + ["--resume"] * bool(resume)
    if isinstance(overrides.get("bodies"), (int, np.integer)):
        command += ["--bodies", str(int(overrides.pop("bodies")))]
    for setting in settings(overrides):
        command += ["--set", setting]
    try:
        done = subprocess.run(
            command, input=text, capture_output=True, encoding="utf-8", errors="replace", check=False
        )
    except OSError as error:
        raise Error(f"cannot run {command[0]}: {error.strerror}") from None
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        code = done.returncode if done.returncode > 0 else 128 - done.returncode
        raise ProgramError(lines[-1] if lines else f"{command[0]} ended with exit code {code}", code)
    result = json.loads(done.stdout)
    return Run(out if out is not None else f"{result['scene']}-{result['scene_hash'][:8]}", pandas)
