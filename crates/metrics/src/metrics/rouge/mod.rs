//! ROUGE: what a text and a reference share, in n-grams, in pairs of words or in a longest common
//! subsequence.
//!
//! Source: C.-Y. Lin, "ROUGE: a package for automatic evaluation of summaries", ACL workshop
//! 2004. Scores run from 0 to 1. There is no corpus score: ROUGE of a system is the mean over its
//! texts. `implementation` says which program's numbers are wanted:
//!
//! * `rouge-score`, Google's 0.1.2 and the default. Tokens are lower-cased runs of a-z and 0-9; with
//!   `use-stemmer`, those longer than three characters are stemmed. Of several references the one
//!   with the highest F counts, the first on ties, whichever `measure` is asked for. A text or
//!   reference without tokens scores 0. With `tokenizer=unicode`, `icu` or `letters`, through its hook, tokens are
//!   those of any script.
//! * `1.5.5`, the original in Perl, with its options: see `rouge155/`. It alone has `rouge-su4` and
//!   `rouge-w`. Its ROUGE-L is what others call ROUGE-Lsum, whichever of the two names it is asked by.
//! * `nlg-eval`, for `rouge-l` only, whose arithmetic is also pycocoevalcap's: see `caption.rs`.

mod caption;
mod common_subsequence;
mod ngrams;
mod overlap;
mod params;
mod rouge155;
mod skip_bigrams;
mod tokens;
mod union_subsequence;
mod weighted;

pub(crate) use params::{
    ProgramParams, RougeImplementation, RougeMeasure, RougeWords, SkipParams, WeightParams,
};
pub(crate) use rouge155::Rouge155Params;

use super::by_item::compare_all;
use super::{Blueprint, Metric, Segment};
use caption::{LargestShares, Words};
use common_subsequence::CommonSubsequence;
use ngrams::Ngrams;
use overlap::{BestF, Overlaps};
use rouge155::Rouge155;
use skip_bigrams::SkipBigrams;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::registry::{Entry, Params, parameters_of_both};
use tiebreak_base::signature::{Signature, yes_no};
use tokens::RougeScoreTokenizer;
use union_subsequence::{UnionSubsequence, UnweightedSubsequence};
use weighted::WeightedSubsequence;

/// `rouge-1`: words.
pub(super) const ROUGE_1: Entry<Blueprint> = Entry {
    name: "rouge-1",
    summary: "shared words, as in rouge-score or ROUGE-1.5.5 (0-1)",
    build: Blueprint::higher(|params, _| build("rouge-1", RougeUnit::Ngrams(1), params)),
    ..TEMPLATE
};

/// `rouge-2`: pairs of words.
pub(super) const ROUGE_2: Entry<Blueprint> = Entry {
    name: "rouge-2",
    summary: "shared pairs of words, as in rouge-score or ROUGE-1.5.5 (0-1)",
    build: Blueprint::higher(|params, _| build("rouge-2", RougeUnit::Ngrams(2), params)),
    ..TEMPLATE
};

/// `rouge-3`: triples of words.
pub(super) const ROUGE_3: Entry<Blueprint> = Entry {
    name: "rouge-3",
    summary: "shared triples of words, as in rouge-score or ROUGE-1.5.5 (0-1)",
    build: Blueprint::higher(|params, _| build("rouge-3", RougeUnit::Ngrams(3), params)),
    ..TEMPLATE
};

/// `rouge-4`: quadruples of words.
pub(super) const ROUGE_4: Entry<Blueprint> = Entry {
    name: "rouge-4",
    summary: "shared quadruples of words, as in rouge-score or ROUGE-1.5.5 (0-1)",
    build: Blueprint::higher(|params, _| build("rouge-4", RougeUnit::Ngrams(4), params)),
    ..TEMPLATE
};

/// `rouge-l`: a longest common subsequence of the whole texts.
pub(super) const ROUGE_L: Entry<Blueprint> = Entry {
    name: "rouge-l",
    summary: "longest common subsequence, as in rouge-score, ROUGE-1.5.5 or nlg-eval (0-1)",
    build: Blueprint::higher(|params, _| build("rouge-l", RougeUnit::Subsequence, params)),
    ..TEMPLATE
};

/// `rouge-lsum`: for summaries with a sentence per line.
pub(super) const ROUGE_LSUM: Entry<Blueprint> = Entry {
    name: "rouge-lsum",
    summary: "longest common subsequences line by line, as in rouge-score or ROUGE-1.5.5 (0-1)",
    build: Blueprint::higher(|params, _| build("rouge-lsum", RougeUnit::Lines, params)),
    ..TEMPLATE
};

/// `rouge-su4`: pairs of words in order, with at most four words between, and words.
pub(super) const ROUGE_SU4: Entry<Blueprint> = Entry {
    name: "rouge-su4",
    summary: "shared skip-bigrams and words, as in ROUGE-1.5.5 (0-1)",
    cite: CITE,
    parameters: parameters_of_both::<SkipParams, Rouge155Params>,
    build: Blueprint::higher(|params, _| {
        let (skip, options) = params.read_both::<SkipParams, Rouge155Params>("rouge-su4")?;
        rouge155("rouge-su4", RougeUnit::SkipBigrams(skip), &options)
    }),
};

/// `rouge-w`: longest common subsequences in which neighbours count more.
pub(super) const ROUGE_W: Entry<Blueprint> = Entry {
    name: "rouge-w",
    summary: "common subsequences that prefer unbroken runs, as in ROUGE-1.5.5 (0-1)",
    cite: CITE,
    parameters: parameters_of_both::<WeightParams, Rouge155Params>,
    build: Blueprint::higher(|params, _| {
        let (weight, options) = params.read_both::<WeightParams, Rouge155Params>("rouge-w")?;
        rouge155("rouge-w", RougeUnit::Weighted(weight.checked()?), &options)
    }),
};

const CITE: &str = "Lin 2004, ROUGE: a package for automatic evaluation of summaries";

const TEMPLATE: Entry<Blueprint> = Entry {
    name: "",
    summary: "",
    cite: CITE,
    parameters: parameters_of_both::<ProgramParams, Rouge155Params>,
    build: Blueprint::higher(|params, _| build("rouge", RougeUnit::Subsequence, params)),
};

/// The unit of overlap.
#[derive(Debug, Clone)]
enum RougeUnit {
    Ngrams(usize),
    /// One longest common subsequence.
    Subsequence,
    /// The union of the longest common subsequences with every line.
    Lines,
    SkipBigrams(SkipParams),
    /// As `Lines`, with runs weighed by this power of their length.
    Weighted(f64),
}

/// The program that decides the tokens and the combination of several references.
#[derive(Debug)]
enum Program {
    RougeScore {
        tokenizer: RougeWords,
        use_stemmer: bool,
    },
    Rouge155(Box<Rouge155>),
    NlgEval {
        beta: f64,
    },
}

fn build(name: &'static str, unit: RougeUnit, params: &Params) -> Result<Box<dyn Metric>> {
    let tokenizer = params.0.get("tokenizer").and_then(toml::Value::as_str);
    if tokenizer == Some("icu") && !cfg!(feature = "icu") {
        let what = format!("{name}: tokenizer=icu is not in this build");
        let hint = "cargo's feature `icu` adds its dictionaries, 3 MB; or take tokenizer=unicode or letters";
        return Err(Error::usage(what).with_hint(hint));
    }
    let (program, options) = params.read_both::<ProgramParams, Rouge155Params>(name)?;
    if program.beta.is_some() && program.implementation != RougeImplementation::NlgEval {
        let what = format!("{name}: beta is for another implementation");
        return Err(Error::usage(what).with_hint("add implementation=nlg-eval"));
    }
    if program.tokenizer != RougeWords::Reference
        && program.implementation != RougeImplementation::RougeScore
    {
        let what = format!("{name}: tokenizer is for implementation=rouge-score");
        return Err(Error::usage(what).with_hint("leave one of the two out"));
    }
    let measure = options.measure;
    let program = match program.implementation {
        RougeImplementation::Rouge155 => return rouge155(name, unit, &options),
        RougeImplementation::RougeScore => {
            options.refuse_all_but_stemming(name)?;
            let use_stemmer = options.use_stemmer;
            let tokenizer = program.tokenizer;
            if use_stemmer && tokenizer != RougeWords::Reference {
                let what = format!("{name}: use-stemmer is for English words");
                return Err(Error::usage(what).with_hint("leave tokenizer or use-stemmer out"));
            }
            Program::RougeScore {
                tokenizer,
                use_stemmer,
            }
        }
        RougeImplementation::NlgEval => {
            options.refuse_all_but_stemming(name)?;
            if options.use_stemmer || !matches!(unit, RougeUnit::Subsequence) {
                let what = format!("{name}: nlg-eval has rouge-l only, without stemming");
                return Err(Error::usage(what));
            }
            let beta = program.checked_beta(name)?;
            Program::NlgEval { beta }
        }
    };
    Ok(Box::new(Rouge {
        name,
        unit,
        program,
        measure,
    }))
}

fn rouge155(
    name: &'static str,
    unit: RougeUnit,
    options: &Rouge155Params,
) -> Result<Box<dyn Metric>> {
    let measure = options.measure;
    Ok(Box::new(Rouge {
        name,
        unit,
        program: Program::Rouge155(Box::new(Rouge155::new(name, options)?)),
        measure,
    }))
}

#[derive(Debug)]
struct Rouge {
    name: &'static str,
    unit: RougeUnit,
    program: Program,
    measure: RougeMeasure,
}

impl Metric for Rouge {
    fn signature(&self) -> Signature {
        let signature = Signature::new(self.name);
        let signature = match &self.unit {
            RougeUnit::SkipBigrams(skip) => skip.sign(signature),
            RougeUnit::Weighted(weight) => signature.with("weight", weight),
            RougeUnit::Ngrams(_) | RougeUnit::Subsequence | RougeUnit::Lines => {
                match self.program {
                    Program::RougeScore { .. } => signature,
                    Program::Rouge155(_) => signature.with("impl", "1.5.5"),
                    Program::NlgEval { .. } => signature.with("impl", "nlg-eval"),
                }
            }
        };
        let signature = match &self.program {
            Program::RougeScore {
                tokenizer,
                use_stemmer,
            } => {
                let signature = match tokenizer.name() {
                    Some(name) => signature.with("tok", name),
                    None => signature,
                };
                signature.with("stem", yes_no(*use_stemmer))
            }
            Program::Rouge155(program) => program.sign(signature),
            Program::NlgEval { beta } => signature.with("beta", beta),
        };
        signature
            .with("measure", self.measure.name())
            .with("version", 1)
    }

    fn score(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>> {
        match &self.program {
            Program::RougeScore {
                tokenizer,
                use_stemmer,
            } => {
                let tokens = RougeScoreTokenizer::new(*tokenizer, *use_stemmer);
                match self.unit {
                    RougeUnit::Ngrams(n) => self.best_f(segments, Ngrams::new(n, tokens)),
                    RougeUnit::Subsequence => self.best_f(segments, CommonSubsequence::new(tokens)),
                    _ => self.best_f(
                        segments,
                        UnionSubsequence::new(tokens, UnweightedSubsequence),
                    ),
                }
            }
            Program::Rouge155(program) => {
                let tokens = program.tokens();
                match &self.unit {
                    RougeUnit::Ngrams(n) => self.sum(program, segments, Ngrams::new(*n, tokens)),
                    RougeUnit::SkipBigrams(skip) => {
                        let pairs = SkipBigrams::new(skip.window(), skip.unigrams, tokens);
                        self.sum(program, segments, pairs)
                    }
                    RougeUnit::Weighted(weight) => {
                        let union =
                            UnionSubsequence::new(tokens, WeightedSubsequence::new(*weight));
                        self.sum(program, segments, union)
                    }
                    RougeUnit::Subsequence | RougeUnit::Lines => self.sum(
                        program,
                        segments,
                        UnionSubsequence::new(tokens, UnweightedSubsequence),
                    ),
                }
            }
            Program::NlgEval { beta } => {
                let shares = LargestShares {
                    overlaps: CommonSubsequence::new(Words::default()),
                    beta: *beta,
                    measure: self.measure,
                };
                compare_all(self.name, shares, segments)
            }
        }
    }
}

impl Rouge {
    /// The scores of rouge-score: of the reference with the highest F.
    fn best_f(&self, segments: &[Segment<'_>], overlaps: impl Overlaps) -> Result<Vec<f64>> {
        let measure = self.measure;
        compare_all(self.name, BestF { overlaps, measure }, segments)
    }

    /// The scores of ROUGE-1.5.5.
    fn sum(
        &self,
        program: &Rouge155,
        segments: &[Segment<'_>],
        overlaps: impl Overlaps,
    ) -> Result<Vec<f64>> {
        let ranking = match self.unit {
            RougeUnit::Ngrams(_) | RougeUnit::SkipBigrams(_) => rouge155::RecallRounding::Printed,
            _ => rouge155::RecallRounding::Exact,
        };
        let power = match self.unit {
            RougeUnit::Weighted(weight) => Some(weight),
            _ => None,
        };
        let comparison = program.comparison(overlaps, ranking, power);
        compare_all(self.name, comparison, segments)
    }
}
