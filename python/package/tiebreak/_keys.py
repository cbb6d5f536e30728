"""The keys of commands, written by `python/keys.py`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, TypeAlias, TypedDict

Key: TypeAlias = str | int | float | os.PathLike[str] | Sequence[str] | Sequence[float]
"""The value of a key: a name, a number, a path, or several of them."""


class AnnotatorsKeys(TypedDict, total=False):
    """Keys of the command `annotators`."""

    criterion: Key | None
    """Only this criterion of the judgments [default: each of them, and the comparisons]"""
    labels: Key | None
    """Make one label of all answers to a question, by a model of annotators' errors; `out=` gets comparisons and
    judgments"""


class AskKeys(TypedDict, total=False):
    """Keys of the command `ask`."""

    task: Key | None
    """The task: pairwise, rating, post-edit, question-answering, a file, or criteria such as
    rating:adequacy=0..100,tone=1..5; ask: score (a race)"""
    anew: bool | None
    """Let another list of annotators begin the evidence anew"""
    overlap: Key | None
    """Share of questions, drawn at random, that several annotators answer. The first assignment counts for claims,
    the others show agreement"""
    per_question: Key | None
    """How many annotators answer such a question [default: 2]"""
    people: Key | None
    """Whose preferences count: `these` annotators (ratings by eight or more show others too), `new-annotators`
    (pairs: `panel=` or `open=`), or `both`"""
    items: Key | None
    """Which items count: `these` (the default of pairs), or `like-these` (the default of ratings)"""
    bandit: Key | None
    """The bandit, which chooses the next question: NAME, or with parameters NAME:key=value,key=value"""
    budget: Key | None
    """Stop after so many questions [default: 10,000; simulate: at least four times the comparisons; ratings: all
    outputs]"""
    hours: Key | None
    """Stop after so many hours of answering, where seconds are recorded [default: no limit]"""
    money: Key | None
    """Stop when answers cost so much, by the prices of the comparisons [default: no limit]"""
    steps: Key | None
    """Stop after so many steps, free ones included [default: ten times the budget]"""
    model: Key | None
    """Instead: a preference model, which predicts the pairs that are needed (adaptive: all of them first), each once"""
    draws: Key | None
    """Monte Carlo draws: a number, or adaptive: as many as a pair needs [default: 20; simulate and ask: 0 unless
    uncertainty is used]"""
    dropout: Key | None
    """Where draws have dropout: all, or last-layer (with the head), which takes a quarter of the time [default: all]"""
    precision: Key | None
    """Precision on the processor: f32; bf16, fast with AMX or AVX512-BF16; int8, fast with VNNI [default: f32]"""
    order: Key | None
    """Order of a pair's outputs: as given, both and averaged, or random for each pair [default: given; judges:
    random]"""
    calibration: Key | None
    """Use a calibration of `tiebreak fit calibration` instead of the model's own; none uses none"""
    samples: Key | None
    """Ask a judge so often: a number, or adaptive: as often as a pair needs [default: 1]"""
    endpoint: Key | None
    """The URL of a language model with OpenAI's chat completions; the model is its name there"""
    prompt: Key | None
    """A descriptor of a judge (docs/judges.md), for its template, verdict and labels"""
    answers: Key | None
    """Keep a judge's answers in this folder, so that none is paid for twice [default: judged]"""
    concurrency: Key | None
    """Requests to an endpoint at a time; fewer while it reports that it is busy [default: 8]"""
    max_cost: Key | None
    """Stop before this judge's answers in the folder cost more, in dollars"""
    price: Key | None
    """Dollars for a million tokens read and written"""
    sample: Key | None
    """Predict so many items of each pair, drawn by the seed, where all predictions are needed at once [default: all;
    a judge: 40]"""
    cache: Key | None
    """Keep the model's predictions in this folder, for later commands [default: predictions, in the folder of the
    run]"""
    mix: Key | None
    """Let the model answer this share of questions at random; auto: as much as its accuracy on people's answers
    deserves"""
    select: Key | None
    """Ask people only where the model is unsure: bald:T, std:T or margin:T (1 − |2p − 1| is at least T). T may be
    auto; auto alone is bald:auto"""
    audit: Key | None
    """Share of the model's answers that people check (0: no proof); neyman:P checks doubtful ones more [default: 0.1
    with mix, 0.5 with select]"""
    eliminate: Key | None
    """Drop weak systems first, by predictions: alpha=A,copeland=C,formula=paper|released; auto: once people's
    judgments agree with them"""
    confidence: Key | None
    """Confidence of intervals and of what is proved"""
    skips: Key | None
    """What to assume of skipped questions: worst-case, odds:G (preferences have odds of at most G), no-preference"""
    without_replacement: bool | None
    """Draw no comparison twice; the proof is then about these answers alone (adaptive)"""
    uncertainties: Key | None
    """How uncertain a model is of each output; uncertain outputs are drawn more often"""
    uniform: Key | None
    """Share of the budget that is spread evenly, whatever the uncertainties [default: 0.2]"""
    strata: Key | None
    """The stratum of each output; each stratum gets its share of the budget"""
    pilot: Key | None
    """A criterion of earlier judgments in DATA; its spread decides how many outputs each stratum gets"""
    target_width: Key | None
    """Report when every interval is this narrow; the intervals hold at any time"""
    range: Key | None
    """The lowest and the highest possible score"""
    systems: Key | None
    """What is compared (prompts, models, checkpoints) [default: the systems of the data set]"""
    top: Key | None
    """Number of best systems sought [default: 1]"""
    epsilon: Key | None
    """Stop at a system whose mean no other one exceeds by more than this [default: 0]"""
    repeated: bool | None
    """Score items again and again, anew each time, where scores are noisy"""
    annotators: Key | None
    """The annotators, named before the first question, or a file with a name a line; questions are assigned to them
    at random"""


class AssessKeys(TypedDict, total=False):
    """Keys of the command `assess`."""

    calibration: Key | None
    """Apply a calibration of the model first; BALD and STD stay as they are"""
    thresholds: Key | None
    """The outcome is a tie from T1 to T2 [default: those of the predictions; else fitted on half of the items,
    tested on the rest]"""
    bins: Key | None
    """Number of bins of preferences, and of BALD"""


class CorrelateKeys(TypedDict, total=False):
    """Keys of the command `correlate`."""

    criterion: Key | None
    """Only this criterion of the judgments [default: each of them, and the comparisons]"""
    level: Key | None
    """Compare segment (outputs), system, or both"""
    resample: Key | None
    """Draw again items only (these systems), or both (systems like these)"""
    by: Key | None
    """Slices of the items by a column too: language, domain; numbers in thirds; `length` of the source"""
    cluster: Key | None
    """Count items alike in a column as one: `document` [default: the source]"""
    people: Key | None
    """Whose preferences count: `these` annotators (with eight or more, others are shown too), `new-annotators` like
    them, or `both`"""
    items: Key | None
    """Which items count: `like-these`, with these as a sample, or `these` alone"""
    confidence: Key | None
    """Confidence of the intervals; differences are tested at the same level"""
    resamples: Key | None
    """Resamples of an interval, and trials of a test"""


class EstimateKeys(TypedDict, total=False):
    """Keys of the command `estimate`."""

    range: Key | None
    """The range of the judgments; others are errors. Of several criteria, that of those without a default [default:
    that of dataset.toml; 0,1 if all are 0 or 1; or unknown: approximate intervals]"""
    target_width: Key | None
    """Compute how many judgments an interval of this width takes"""
    parts: Key | None
    """Join each annotator's judgments of an item's parts: their `mean`, or the highest (`any`)"""
    repeats: Key | None
    """Which repeats (epochs, trials) of an output count: `all`, averaged, or the `first`"""
    cluster: Key | None
    """Count items alike in a column as one: `document` [default: the source]"""
    min_seconds: Key | None
    """Leave out annotators with fewer seconds for a judgment (median)"""
    min_agreement: Key | None
    """Leave out annotators whose judgments correlate less with those of others (0 where theirs are all the same)"""
    min_edit: Key | None
    """Leave out annotators who change fewer words per word (median of post-edits)"""
    strata: Key | None
    """The stratum of every output (estimator stratified)"""
    probabilities: Key | None
    """The probability with which each output was chosen to be judged (estimator active)"""
    differences: bool | None
    """Compare every pair of systems: differences, win rates, groups without a proved difference"""
    by: Key | None
    """Compare them in slices of the items by a column too: language, domain; numbers in thirds; `length` of the
    source"""
    stop: Key | None
    """Show when one could have stopped: width=W or relative=E (estimators with anytime=true)"""


class FitKeys(TypedDict, total=False):
    """Keys of the command `fit`."""

    predictions: Any | None
    """Predictions of the model for this data set, not calibrated"""
    method: Key | None
    """temperature divides the log odds by one number; isotonic is any non-decreasing map"""
    scores: Any | None
    """Scores of the data set's outputs [default: in a pipeline those of its `[[score]]` stages]"""
    link: Key | None
    """The link: linear, btl or btl-logistic"""
    exclude: Key | None
    """Leave out items that share a source or reference with this data set, to test on it later"""
    base: Key | None
    """The encoder to begin with, with or without a head: a folder, a name or a hub id"""
    head: Key | None
    """What the model reads at a time"""
    ties: Key | None
    """What judgments that are ties become"""
    template: Key | None
    """How context and outputs are joined [default: as the base does for the same head, else by models/README.md]"""
    max_length: Key | None
    """Longest input in tokens; never more than the base has positions"""
    epochs: Key | None
    """How often every pair is seen"""
    batch_size: Key | None
    """Pairs per step, at least; examples are not split"""
    learning_rate: Key | None
    """Peak learning rate"""
    warmup: Key | None
    """Share of steps over which the rate rises to its peak, from which it falls to 0; below 1"""
    weight_decay: Key | None
    """Decoupled weight decay, not on biases and normalisation"""
    clip: Key | None
    """Largest norm of a step's gradient; a larger one is scaled down"""
    layer_decay: Key | None
    """A layer's rate as a factor of the rate of the layer above it, up to 1"""
    validation: Key | None
    """Share of pairs held out, between 0 and 1"""
    evaluations: Key | None
    """Looks at the held-out pairs per epoch; the best of them is kept"""
    patience: Key | None
    """Stop after so many looks that were no better"""
    synthetic: Key | None
    """Learn also from references with errors put in, as a share of the items"""
    max_pairs: Key | None
    """Use about N pairs of each data set, as whole items at random [default: all]"""
    quantise: Key | None
    """Store the trained matrices in eight bits, a quarter of the size; also once training is over"""
    beside: Key | None
    """Add a metric to the network (pointwise or matching head) where there are references; its weight is fitted on
    the held-out pairs"""
    beside_unreferenced: Key | None
    """Add a metric where there are no references: one that needs none, such as length:log=true"""
    calibrate: Key | None
    """Calibrate preferences on the held-out pairs; also once training is over"""
    licence: Key | None
    """The licence of the weights, for the model's descriptor"""
    checkpoint_every: Key | None
    """Save the state every N steps; it changes no result"""


class GateKeys(TypedDict, total=False):
    """Keys of the command `gate`."""

    metric: Key | None
    """Metrics of the whole corpus, such as `bleu`, by a paired bootstrap; alone, or with named criteria"""
    by: Key | None
    """Show slices of the items by a column: language, domain; numbers in thirds; `length` of the source"""
    over: Key | None
    """How many gates of one project share the confidence"""
    undecided: Key | None
    """Whether an undecided gate passes: `pass` or `fail`"""
    range: Key | None
    """The scale of the scores; of several criteria, that of those without a default [default: that of dataset.toml;
    0,1 if all are 0 or 1]"""
    cluster: Key | None
    """Count items alike in a column as one: `document` [default: the source]"""
    people: Key | None
    """Whose preferences count: `these` annotators (with eight or more, others are shown too), `new-annotators` like
    them, or `both`"""
    items: Key | None
    """Which items count: `like-these`, with these as a sample, or `these` alone"""


class JudgeKeys(TypedDict, total=False):
    """Keys of the command `judge`."""

    order: Key | None
    """Order of a pair's outputs: as given, both and averaged, or random for each pair [default: random]"""
    samples: Key | None
    """Ask so often: a number, or adaptive: as often as a pair needs [default: 1]"""
    calibration: Key | None
    """Use a calibration of `tiebreak fit calibration` instead of the judge's own; none uses none"""
    endpoint: Key | None
    """The URL of a language model with OpenAI's chat completions; the model is its name there"""
    prompt: Key | None
    """A descriptor of a judge (docs/judges.md), for its template, verdict and labels"""
    answers: Key | None
    """Keep a judge's answers in this folder, so that none is paid for twice [default: judged]"""
    concurrency: Key | None
    """Requests to an endpoint at a time; fewer while it reports that it is busy [default: 8]"""
    max_cost: Key | None
    """Stop before this judge's answers in the folder cost more, in dollars"""
    price: Key | None
    """Dollars for a million tokens read and written"""
    pairs: Any | None
    """Judge only these pairs: a table with item, system_a, system_b"""
    keep_draws: bool | None
    """Store the preference of each call, too"""


class PlanKeys(TypedDict, total=False):
    """Keys of the command `plan`."""

    scores: Any | None
    """Scores of all outputs of the pilot"""
    metric: Key | None
    """The metric of the scores"""
    range: Key | None
    """The scale of the judgments [default: of a pilot that of its dataset.toml]"""
    signal: Key | None
    """Variance of outputs' true means; with `difference=` of items' true differences"""
    noise: Key | None
    """Variance of the judgments of one output"""
    tastes: Key | None
    """Variance between annotators of their means, or of their mean differences"""
    rho: Key | None
    """Correlation of a metric with outputs' true means"""
    width: Key | None
    """The wanted width of the interval of a system's mean"""
    difference: Key | None
    """The difference of two systems' means to detect"""
    power: Key | None
    """Probability of detecting the difference"""
    confidence: Key | None
    """Confidence of the interval, or of the test"""
    annotators: Key | None
    """Number of annotators [default: those of the pilot]"""
    repeats: Key | None
    """Judgments of each output; repeat to compare"""
    cluster: Key | None
    """Count items alike in a column as one: `document` [default: the source]"""
    people: Key | None
    """Whose preferences count: `these` annotators (with eight or more, others are shown too), `new-annotators` like
    them, or `both`"""
    items: Key | None
    """Which items count: `like-these`, with these as a sample, or `these` alone"""


class PredictKeys(TypedDict, total=False):
    """Keys of the command `predict`."""

    dropout: Key | None
    """Where draws have dropout: all, or last-layer (with the head), which takes a quarter of the time [default: all]"""
    precision: Key | None
    """Precision on the processor: f32; bf16, fast with AMX or AVX512-BF16; int8, fast with VNNI [default: f32]"""
    order: Key | None
    """Order of a pair's outputs: as given, both and averaged, or random for each pair [default: given; judges:
    random]"""
    calibration: Key | None
    """Use a calibration of `tiebreak fit calibration` instead of the model's own; none uses none"""
    samples: Key | None
    """Ask a judge so often: a number, or adaptive: as often as a pair needs [default: 1]"""
    endpoint: Key | None
    """The URL of a language model with OpenAI's chat completions; the model is its name there"""
    prompt: Key | None
    """A descriptor of a judge (docs/judges.md), for its template, verdict and labels"""
    answers: Key | None
    """Keep a judge's answers in this folder, so that none is paid for twice [default: judged]"""
    concurrency: Key | None
    """Requests to an endpoint at a time; fewer while it reports that it is busy [default: 8]"""
    max_cost: Key | None
    """Stop before this judge's answers in the folder cost more, in dollars"""
    price: Key | None
    """Dollars for a million tokens read and written"""
    pairs: Any | None
    """Predict only these pairs: a table with item, system_a, system_b"""
    keep_draws: bool | None
    """Store each draw, too"""


class RankKeys(TypedDict, total=False):
    """Keys of the command `rank`."""

    baseline: Key | None
    """How often each system beats this one: with style held equal (length-controlled win rate), or by verdicts"""
    by: Key | None
    """Compare every pair of systems in slices of the items by a column: language, domain; numbers in thirds;
    `length` of the source"""
    cluster: Key | None
    """Count items alike in a column as one: `document` [default: the source]"""


class SimulateKeys(TypedDict, total=False):
    """Keys of the command `simulate`."""

    bandit: Key | None
    """The bandit, which chooses the next question: NAME, or with parameters NAME:key=value,key=value"""
    budget: Key | None
    """Stop after so many questions [default: 10,000; simulate: at least four times the comparisons; ratings: all
    outputs]"""
    hours: Key | None
    """Stop after so many hours of answering, where seconds are recorded [default: no limit]"""
    money: Key | None
    """Stop when answers cost so much, by the prices of the comparisons [default: no limit]"""
    steps: Key | None
    """Stop after so many steps, free ones included [default: ten times the budget]"""
    model: Key | None
    """Instead: a preference model, which predicts the pairs that are needed (adaptive: all of them first), each once"""
    draws: Key | None
    """Monte Carlo draws: a number, or adaptive: as many as a pair needs [default: 20; simulate and ask: 0 unless
    uncertainty is used]"""
    dropout: Key | None
    """Where draws have dropout: all, or last-layer (with the head), which takes a quarter of the time [default: all]"""
    precision: Key | None
    """Precision on the processor: f32; bf16, fast with AMX or AVX512-BF16; int8, fast with VNNI [default: f32]"""
    order: Key | None
    """Order of a pair's outputs: as given, both and averaged, or random for each pair [default: given; judges:
    random]"""
    calibration: Key | None
    """Use a calibration of `tiebreak fit calibration` instead of the model's own; none uses none"""
    samples: Key | None
    """Ask a judge so often: a number, or adaptive: as often as a pair needs [default: 1]"""
    endpoint: Key | None
    """The URL of a language model with OpenAI's chat completions; the model is its name there"""
    prompt: Key | None
    """A descriptor of a judge (docs/judges.md), for its template, verdict and labels"""
    answers: Key | None
    """Keep a judge's answers in this folder, so that none is paid for twice [default: judged]"""
    concurrency: Key | None
    """Requests to an endpoint at a time; fewer while it reports that it is busy [default: 8]"""
    max_cost: Key | None
    """Stop before this judge's answers in the folder cost more, in dollars"""
    price: Key | None
    """Dollars for a million tokens read and written"""
    sample: Key | None
    """Predict so many items of each pair, drawn by the seed, where all predictions are needed at once [default: all;
    a judge: 40]"""
    cache: Key | None
    """Keep the model's predictions in this folder, for later commands [default: predictions, in the folder of the
    run]"""
    mix: Key | None
    """Let the model answer this share of questions at random; auto: as much as its accuracy on people's answers
    deserves"""
    select: Key | None
    """Ask people only where the model is unsure: bald:T, std:T or margin:T (1 − |2p − 1| is at least T). T may be
    auto; auto alone is bald:auto"""
    audit: Key | None
    """Share of the model's answers that people check (0: no proof); neyman:P checks doubtful ones more [default: 0.1
    with mix, 0.5 with select]"""
    eliminate: Key | None
    """Drop weak systems first, by predictions: alpha=A,copeland=C,formula=paper|released; auto: once people's
    judgments agree with them"""
    confidence: Key | None
    """Confidence of intervals and of what is proved"""
    skips: Key | None
    """What to assume of skipped questions: worst-case, odds:G (preferences have odds of at most G), no-preference"""
    without_replacement: bool | None
    """Draw no comparison twice; the proof is then about these answers alone (adaptive)"""
    delay: Key | None
    """Answers arrive this many questions late"""
    as_campaign: bool | None
    """Replay one annotator's campaign: the first comparison of each item and pair, and asking again is free"""
    systems: Key | None
    """Use only N systems: the best, and others drawn by the seed; a larger N adds to those of a smaller [default:
    all]"""
    scores: Any | None
    """Scores of all outputs; a race by scores is replayed, not comparisons"""
    metric: Key | None
    """The metric of the scores"""
    criterion: Key | None
    """Instead of a metric: a criterion of the judgments, whose means are the scores"""
    range: Key | None
    """The lowest and highest possible score [default: that of dataset.toml; 0,1 if all are 0 or 1]"""
    method: Key | None
    """Method: race, uniform (the same proof, no system dropped), successive-halving or successive-rejects (no proof)"""
    epsilon: Key | None
    """Stop at a system whose mean no other one exceeds by more than this"""
    repeated: bool | None
    """Draw items with replacement, not each once"""

