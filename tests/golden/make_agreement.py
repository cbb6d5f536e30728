"""Makes agreement.jsonl: agreement between annotators by krippendorff, scikit-learn and statsmodels, and
the models of Dawid and Skene and MACE by crowd-kit.

    pip install krippendorff==0.9.0 scikit-learn==1.9.1 statsmodels==0.15.0 crowd-kit==1.4.2
    python tests/golden/make_agreement.py
"""

import json
import pathlib
from importlib.metadata import version

import krippendorff
import numpy as np
import pandas as pd
from crowdkit.aggregation import MACE, DawidSkene
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa

HERE = pathlib.Path(__file__).parent
TOOLS = ["krippendorff", "scikit-learn", "statsmodels", "crowd-kit"]
# annotators, questions, classes, share of answers missing
SHAPES = [(3, 40, 3, 0.0), (5, 60, 2, 0.0), (8, 80, 3, 0.4), (4, 50, 5, 0.2), (2, 25, 4, 0.0)]


def answers(rng, annotators, questions, classes, missing):
    truth = rng.integers(classes, size=questions)
    skill = np.linspace(0.9, 0.5, annotators)[:, None]
    right = rng.random((annotators, questions)) < skill
    found = np.where(right, truth, rng.integers(classes, size=right.shape)).astype(float) * 0.5
    found[rng.random(found.shape) < missing] = np.nan
    return found[:, (~np.isnan(found)).sum(axis=0) > 0]


def cohen(found):
    kappas = []
    for i in range(len(found)):
        for j in range(i + 1, len(found)):
            both = ~np.isnan(found[i]) & ~np.isnan(found[j])
            kappas.append(cohen_kappa_score(*(found[[i, j]][:, both] * 2).astype(int)))
    return [float(kappa) for kappa in kappas]


def fleiss(found):
    if np.isnan(found).any():
        return None
    values = np.unique(found)
    return float(fleiss_kappa(np.array([(found == value).sum(axis=0) for value in values]).T))


def dawid_skene(found):
    rows = [(j, i, found[i, j]) for i, j in zip(*np.nonzero(~np.isnan(found)))]
    model = DawidSkene(n_iter=1000, tol=-1)  # all rounds: the bound it watches may also fall by rounding
    model.fit(pd.DataFrame(rows, columns=["task", "worker", "label"]))
    values = np.unique(found[~np.isnan(found)])
    tasks = model.probas_.reindex(index=range(found.shape[1]), columns=values)
    return tasks.to_numpy().tolist()


def mace(found):
    """The best of two starts: crowd-kit begins all of one model's restarts at the same place, so each is a
    model of its own. It also takes columns in two orders unless names come in ascending order."""
    places = list(zip(*np.nonzero(~np.isnan(found))))
    rows = [(j, i, found[i, j]) for i, j in sorted(places, key=lambda place: (place[1], place[0]))]
    coded = pd.DataFrame(rows, columns=["task", "worker", "label"]).apply(lambda x: pd.factorize(x)[0])
    order = pd.factorize(pd.Series([row[2] for row in rows]))[1]
    best, chosen = -np.inf, None
    for start in range(2):
        model = MACE(n_restarts=1, n_iter=300, random_state=start)
        model.fit(coded.copy())
        likelihood = log_likelihood(coded, model.spamming_, model.thetas_)
        if likelihood > best:
            best, chosen = likelihood, model
    tasks = chosen.probas_.reindex(index=range(found.shape[1]), columns=range(len(order)))
    tasks.columns = order
    return tasks.reindex(columns=np.unique(order)).to_numpy().tolist()


def log_likelihood(coded, spam, habits):
    classes = habits.shape[1]
    total = 0.0
    for _, rows in coded.groupby("task"):
        by_habit = spam[rows.worker, 0] * habits[rows.worker, rows.label]
        right = spam[rows.worker, 1][:, None] * (rows.label.to_numpy()[:, None] == np.arange(classes))
        total += np.log(np.prod(by_habit[:, None] + right, axis=0).sum() / classes)
    return total


if __name__ == "__main__":
    rng = np.random.default_rng(11)
    made = {"tool": ", ".join(TOOLS), "version": ", ".join(map(version, TOOLS))}
    lines = [made | {"options": "nominal, ordinal, interval, ratio; DawidSkene(n_iter=1000, tol=-1); best of 2 MACE(n_restarts=1, n_iter=300)"}]
    for shape in SHAPES:
        found = answers(rng, *shape)
        alpha = {
            level: float(krippendorff.alpha(found, level_of_measurement=level))
            for level in ["nominal", "ordinal", "interval", "ratio"]
        }
        matrix = [[None if np.isnan(value) else float(value) for value in row] for row in found]
        line = {"answers": matrix, "alpha": alpha, "cohen": cohen(found), "fleiss": fleiss(found)}
        lines.append(line | {"dawid_skene": dawid_skene(found), "mace": mace(found)})
    with (HERE / "agreement.jsonl").open("w", encoding="utf-8") as file:
        for line in lines:
            file.write(json.dumps(line) + "\n")
