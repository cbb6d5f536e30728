"""BLEU, chrF and TER as sacrebleu has them: the same classes and functions, arguments and numbers.

`from tiebreak import sacrebleu` takes the place of `import sacrebleu`. Signatures are tiebreak's own, those that the
command line prints.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, TypeVar

from tiebreak import _native
from tiebreak._errors import InputError

__all__ = [
    "BLEU",
    "CHRF",
    "TER",
    "BLEUScore",
    "CHRFScore",
    "Score",
    "TERScore",
    "corpus_bleu",
    "corpus_chrf",
    "corpus_ter",
    "raw_corpus_bleu",
    "sentence_bleu",
    "sentence_chrf",
    "sentence_ter",
]

Stream = Sequence[str | None]
"""A reference for each output, None where there is none."""


References = Sequence[str] | Sequence[Sequence[str]]
"""For each output a text, or a list of texts."""


class Score:
    """A score, and how it is written."""

    def __init__(self, name: str, score: float) -> None:
        self.name = name
        self.score = score

    @property
    def _verbose(self) -> str:
        """What the score is made of."""
        return ""

    def format(self, width: int = 2, score_only: bool = False, signature: str = "", is_json: bool = False) -> str:
        """As sacrebleu writes it."""
        number = f"{self.score:.{width}f}"
        if score_only:
            return number
        if is_json:
            found: dict[str, Any] = {"name": self.name, "score": float(number), "signature": signature}
            if self._verbose:
                found["verbose_score"] = self._verbose
            parts = (part.partition(":") for part in signature.split("|") if ":" in part)
            found.update({key: value for key, _, value in parts})
            return json.dumps(found, indent=1, ensure_ascii=False)
        name = f"{self.name}|{signature}" if signature else self.name
        return f"{name} = {number} {self._verbose}".rstrip()

    def __float__(self) -> float:
        return self.score

    def __repr__(self) -> str:
        return self.format()


class BLEUScore(Score):
    """BLEU with the counts that it is made of, by order."""

    def __init__(
        self,
        score: float,
        counts: Sequence[float],
        totals: Sequence[float],
        precisions: Sequence[float],
        bp: float,
        sys_len: float,
        ref_len: float,
    ) -> None:
        super().__init__("BLEU", score)
        self.counts = [_whole(count) for count in counts]
        self.totals = [_whole(total) for total in totals]
        self.precisions = list(precisions)
        self.bp = bp
        self.sys_len = int(sys_len)
        self.ref_len = int(ref_len)
        self.ratio = self.sys_len / self.ref_len if self.ref_len else 0

    @property
    def prec_str(self) -> str:
        """The precisions in words."""
        return "/".join(f"{precision:.1f}" for precision in self.precisions)

    @property
    def _verbose(self) -> str:
        return (
            f"{self.prec_str} (BP = {self.bp:.3f} ratio = {self.ratio:.3f} "
            f"hyp_len = {self.sys_len:d} ref_len = {self.ref_len:d})"
        )


class CHRFScore(Score):
    """chrF, or with word n-grams chrF++."""

    def __init__(self, score: float, char_order: int, word_order: int, beta: int) -> None:
        super().__init__(f"chrF{beta}" + "+" * word_order, score)
        self.char_order = char_order
        self.word_order = word_order
        self.beta = beta


class TERScore(Score):
    """TER with the edits and the mean length of the references, in words."""

    def __init__(self, score: float, num_edits: float, ref_length: float) -> None:
        super().__init__("TER", score)
        self.num_edits = num_edits
        self.ref_length = ref_length


class Signature:
    """What made a score."""

    def __init__(self, text: str) -> None:
        self._text = text

    def format(self, short: bool = False) -> str:
        """The whole signature; there is no shorter one."""
        return self._text

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__


S = TypeVar("S", bound=Score)


class _Metric(Generic[S]):
    """What the three metrics share."""

    _name: ClassVar[str]

    def __init__(self, references: Sequence[Stream] | None, parameters: dict[str, Any]) -> None:
        self._parameters = {key: value for key, value in parameters.items() if value is not None}
        self._native = self._made()
        self._references = references
        self._nrefs = len(references) if references else 1

    @property
    def named(self) -> str:
        """Its name with its parameters, as `Data.score` and the command line take it: `chrf:word-order=2`."""
        usual = type(self)()._parameters  # type: ignore[call-arg]
        own = [f"{key}={_written(one)}" for key, one in self._parameters.items() if usual.get(key) != one]
        return f"{self._name}:{','.join(own)}" if own else self._name

    def _made(self) -> _native.Metric:
        return _native.Metric(json.dumps({"name": self._name, **self._parameters}))

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key not in ("_native", "_formula")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._native = self._made()

    def _score(self, score: float, statistics: list[float]) -> S:
        raise NotImplementedError

    def corpus_score(
        self, hypotheses: Sequence[str], references: Sequence[Stream] | None, n_bootstrap: int = 1
    ) -> S:
        """The score of all outputs together. `references` are streams: each has a text for every output, or None
        where an output has fewer."""
        if n_bootstrap != 1:
            raise InputError("n_bootstrap: no intervals here", "`tiebreak score --paired-bs` tells them")
        if isinstance(hypotheses, str):
            raise TypeError("hypotheses: expected a list of texts, not a text")
        streams = self._references if references is None else references
        if streams is None:
            raise InputError("no references", "give them here, or to the metric")
        if any(isinstance(stream, str) for stream in streams):
            raise TypeError("references: expected a list of lists of texts, one list for each set of references")
        score, statistics, signature = self._native.corpus(hypotheses, streams)
        self._nrefs = len(streams)
        self._signature = signature
        return self._score(score, statistics)

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> S:
        """The score of one output by its references."""
        if not isinstance(hypothesis, str) or isinstance(references, str):
            raise TypeError("expected a text and a list of references")
        return self.corpus_score([hypothesis], [[reference] for reference in references])

    def __call__(self, hypotheses: str | Sequence[str], references: str | References) -> S:
        """The score of all outputs together, as `tb.score` takes them: with a reference, or a list of them, for each."""
        outputs, lists = paired(hypotheses, references)
        return self.corpus_score(outputs, streams(lists))

    def get_signature(self) -> Signature:
        """What makes the scores; with the references of the last ones."""
        made = getattr(self, "_signature", None)
        return Signature(made or self._native.signature(True, self._nrefs))


class BLEU(_Metric[BLEUScore]):
    """BLEU (Papineni et al. 2002)."""

    _name = "bleu"

    SMOOTH_DEFAULTS: ClassVar[dict[str, float | None]] = {"none": None, "floor": 0.1, "add-k": 1, "exp": None}
    TOKENIZER_DEFAULT = "13a"
    _BY_LANGUAGE: ClassVar[dict[str, str]] = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}

    def __init__(
        self,
        lowercase: bool = False,
        force: bool = False,
        tokenize: str | None = None,
        smooth_method: str = "exp",
        smooth_value: float | None = None,
        max_ngram_order: int = 4,
        effective_order: bool = False,
        trg_lang: str = "",
        references: Sequence[Stream] | None = None,
    ) -> None:
        # `force` silences a warning that is not given here.
        super().__init__(
            references,
            {
                "lowercase": lowercase,
                "tokenize": tokenize or self._BY_LANGUAGE.get(trg_lang, self.TOKENIZER_DEFAULT),
                "smooth-method": smooth_method,
                "smooth-value": smooth_value,
                "max-ngram-order": max_ngram_order,
                "effective-order": effective_order,
            },
        )

    def _made(self) -> _native.Metric:
        made = super()._made()
        self._formula = _native.BleuFormula(json.dumps(self._parameters))
        return made

    def _score(self, score: float, statistics: list[float]) -> BLEUScore:
        return BLEUScore(*self._formula.score(statistics))

    @staticmethod
    def compute_bleu(
        correct: Sequence[float],
        total: Sequence[float],
        sys_len: int,
        ref_len: int,
        smooth_method: str = "none",
        smooth_value: float | None = None,
        effective_order: bool = False,
        max_ngram_order: int = 4,
    ) -> BLEUScore:
        """BLEU from counts by order."""
        parameters = {
            "smooth-method": smooth_method,
            "smooth-value": smooth_value,
            "effective-order": effective_order,
            "max-ngram-order": max_ngram_order,
        }
        statistics = [sys_len, ref_len, *correct[:max_ngram_order], *total[:max_ngram_order]]
        return BLEUScore(*_native.BleuFormula(json.dumps(parameters)).score(statistics))


class CHRF(_Metric[CHRFScore]):
    """chrF (Popović 2015); with `word_order=2` chrF++."""

    _name = "chrf"

    CHAR_ORDER = 6
    WORD_ORDER = 0
    BETA = 2

    def __init__(
        self,
        char_order: int = CHAR_ORDER,
        word_order: int = WORD_ORDER,
        beta: int = BETA,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
        references: Sequence[Stream] | None = None,
    ) -> None:
        self.char_order, self.word_order, self.beta = char_order, word_order, beta
        super().__init__(
            references,
            {
                "char-order": char_order,
                "word-order": word_order,
                "beta": float(beta),
                "lowercase": lowercase,
                "whitespace": whitespace,
                "eps-smoothing": eps_smoothing,
            },
        )

    def _score(self, score: float, statistics: list[float]) -> CHRFScore:
        return CHRFScore(score, self.char_order, self.word_order, self.beta)


class TER(_Metric[TERScore]):
    """TER (Snover et al. 2006)."""

    _name = "ter"

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
        references: Sequence[Stream] | None = None,
    ) -> None:
        super().__init__(
            references,
            {
                "normalized": normalized,
                "no-punct": no_punct,
                "asian-support": asian_support,
                "case-sensitive": case_sensitive,
            },
        )

    def _score(self, score: float, statistics: list[float]) -> TERScore:
        return TERScore(score, *_native.ter_of_statistics(statistics))


def corpus_bleu(
    hypotheses: Sequence[str],
    references: Sequence[Stream],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: str = BLEU.TOKENIZER_DEFAULT,
    use_effective_order: bool = False,
) -> BLEUScore:
    """BLEU of all outputs together."""
    metric = BLEU(
        lowercase, force, tokenize, smooth_method, smooth_value, effective_order=use_effective_order
    )
    return metric.corpus_score(hypotheses, references)


def raw_corpus_bleu(
    hypotheses: Sequence[str], references: Sequence[Stream], smooth_value: float | None = 0.1
) -> BLEUScore:
    """BLEU of texts that are tokenised, with `floor` smoothing."""
    return corpus_bleu(
        hypotheses,
        references,
        smooth_method="floor",
        smooth_value=smooth_value,
        force=True,
        tokenize="none",
        use_effective_order=True,
    )


def sentence_bleu(
    hypothesis: str,
    references: Sequence[str],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    lowercase: bool = False,
    tokenize: str = BLEU.TOKENIZER_DEFAULT,
    use_effective_order: bool = True,
) -> BLEUScore:
    """BLEU of one output."""
    metric = BLEU(
        lowercase, False, tokenize, smooth_method, smooth_value, effective_order=use_effective_order
    )
    return metric.sentence_score(hypothesis, references)


def corpus_chrf(
    hypotheses: Sequence[str],
    references: Sequence[Stream],
    char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER,
    beta: int = CHRF.BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """chrF of all outputs together."""
    metric = CHRF(char_order, word_order, beta, whitespace=not remove_whitespace, eps_smoothing=eps_smoothing)
    return metric.corpus_score(hypotheses, references)


def sentence_chrf(
    hypothesis: str,
    references: Sequence[str],
    char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER,
    beta: int = CHRF.BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """chrF of one output."""
    metric = CHRF(char_order, word_order, beta, whitespace=not remove_whitespace, eps_smoothing=eps_smoothing)
    return metric.sentence_score(hypothesis, references)


def corpus_ter(
    hypotheses: Sequence[str],
    references: Sequence[Stream],
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> TERScore:
    """TER of all outputs together."""
    return TER(normalized, no_punct, asian_support, case_sensitive).corpus_score(hypotheses, references)


def sentence_ter(
    hypothesis: str,
    references: Sequence[str],
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> TERScore:
    """TER of one output."""
    return TER(normalized, no_punct, asian_support, case_sensitive).sentence_score(hypothesis, references)


def paired(outputs: str | Sequence[str], references: str | References) -> tuple[list[str], list[list[str]]]:
    """Returns outputs, each with a list of its references. A text is a single output, or its reference."""
    if isinstance(outputs, str):
        outputs, references = [outputs], [references]  # type: ignore[list-item]
    if isinstance(references, str):
        raise TypeError("references: expected a text, or a list of texts, for each output")
    texts, found = list(outputs), lists(references)
    if len(texts) != len(found):
        streamed = found and all(len(one) == len(texts) for one in found)
        hint = "streams, as sacrebleu has them, are for `corpus_score`" if streamed else None
        raise InputError(f"{len(texts)} outputs with {len(found)} references, expected as many", hint)
    return texts, found


def lists(references: References) -> list[list[str]]:
    """Returns a list of references for each output."""
    found: list[list[str]] = []
    for place, one in enumerate(references, 1):
        if one is None or isinstance(one, float):
            raise InputError(f"reference {place} is {one!r}, expected a text, or a list of texts")
        found.append([one] if isinstance(one, str) else list(one))
    return found


def streams(references: Sequence[Sequence[str]]) -> list[list[str | None]]:
    """Returns lists of references by output as streams with one, or None, for each output."""
    most = max((len(one) for one in references), default=0)
    if not most:
        raise InputError("no references", "each output needs one, or a list of them")
    return [[one[place] if place < len(one) else None for one in references] for place in range(most)]


def _written(value: object) -> str:
    """A parameter as the command line has it."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def _whole(count: float) -> float:
    """A count as an integer, unless smoothing added to it."""
    return int(count) if float(count).is_integer() else count
