"""A plugin for pytest under which `import sacrebleu` is tiebreak's: sacrebleu's own tests are run against it.

    python -m pytest -p as_sacrebleu FOLDER/test/test_bleu.py …
"""

from __future__ import annotations

import sys

from tiebreak import sacrebleu

for name in ("sacrebleu", "sacrebleu.metrics", "sacrebleu.compat"):
    sys.modules[name] = sacrebleu
sacrebleu.metrics = sacrebleu.compat = sacrebleu  # type: ignore[attr-defined]
