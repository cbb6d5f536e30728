"""How each peer scores all texts in the fastest way it has."""

import pathlib
import shutil
import subprocess
import zipfile

from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU, CHRF, TER


class Texts:
    """What `texts.tsv` holds: references by item, each system's outputs in the same order."""

    def __init__(self, path, items):
        self.references, self.systems = [], {}
        with path.open(encoding="utf-8") as file:
            next(file)
            for line in file:
                item, system, output, reference = line.rstrip("\n").split("\t")
                if int(item) >= items:
                    break
                outputs = self.systems.setdefault(system, [])
                if len(outputs) == len(self.references):
                    self.references.append(reference)
                outputs.append(output)

    def pairs(self):
        for outputs in self.systems.values():
            yield from zip(outputs, self.references)


def sacrebleu_corpus(make):
    """Corpus scores with references read once for all systems."""

    def score(texts):
        metric = make(references=[texts.references])
        for outputs in texts.systems.values():
            metric.corpus_score(outputs, None)

    return score


def sacrebleu_sentences(make):
    def score(texts):
        metric = make()
        for output, reference in texts.pairs():
            metric.sentence_score(output, [reference])

    return score


def rouge(name):
    def score(texts):
        scorer = RougeScorer([name])
        for output, reference in texts.pairs():
            scorer.score(reference, output)

    return score


class Meteor:
    """The jar that pycocoevalcap carries, all outputs in one process."""

    def __init__(self, folder):
        import importlib.util

        package = pathlib.Path(importlib.util.find_spec("pycocoevalcap").submodule_search_locations[0])
        self.jar = package / "meteor/meteor-1.5.jar"
        self.folder = folder
        self.resources = folder / "meteor"
        if not self.resources.exists():
            with zipfile.ZipFile(self.jar) as jar:
                tables = [name for name in jar.namelist() if name.startswith(("function/", "nonbreaking/", "synonym/"))]
                jar.extractall(self.resources, tables)

    @staticmethod
    def is_there():
        return shutil.which("java") is not None

    def __call__(self, texts):
        paths = [self.folder / name for name in ("meteor.outputs", "meteor.references")]
        for path, lines in zip(paths, zip(*texts.pairs())):
            path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        modules = ["-m", "exact stem synonym"]
        command = ["java", "-Xmx2G", "-jar", self.jar, *paths, "-l", "en", "-norm", *modules]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
