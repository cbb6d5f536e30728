"""sacrebleu's own tests of the functions that have a drop-in, run against it, where its source can be had."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

VERSION = "2.6.0"
FILES = ("test_bleu.py", "test_chrf.py", "test_ter.py", "test_sentence_bleu.py")


def source(folder: Path) -> Path:
    """The source package: in the folder that `TIEBREAK_SACREBLEU` names, or from the package index."""
    named = os.environ.get("TIEBREAK_SACREBLEU")
    if named:
        return Path(named)
    command = ["download", "--quiet", "--no-deps", "--no-binary", "sacrebleu", f"sacrebleu=={VERSION}", "--dest", folder]
    done = subprocess.run([sys.executable, "-m", "pip", *command], capture_output=True, check=False)
    archives = list(folder.glob("*.tar.gz"))
    if done.returncode != 0 or not archives:
        print("\nSKIPPED: the source of sacrebleu cannot be had")
        pytest.skip("the source of sacrebleu cannot be had")
    with tarfile.open(archives[0]) as archive:
        archive.extractall(folder, filter="data")
    return folder / f"sacrebleu-{VERSION}"


def test_sacrebleus_own_tests_pass(tmp_path: Path) -> None:
    tests = [str(source(tmp_path) / "test" / name) for name in FILES]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "as_sacrebleu", "-p", "no:cacheprovider", "-c", os.devnull, *tests],
        capture_output=True, encoding="utf-8", check=False, env=environment, cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    passed = int(done.stdout.split(" passed")[0].split()[-1])
    assert passed == 89, done.stdout
