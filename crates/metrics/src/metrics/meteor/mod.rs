//! METEOR: words of a text aligned with those of a reference, by form, stem and meaning.
//!
//! Source: M. Denkowski and A. Lavie, "Meteor Universal: language specific translation evaluation
//! for any target language", WMT 2014; as in METEOR 1.5. Scores run from 0 to 1. Of several
//! references the best counts, the first on ties. The corpus score comes from summed statistics
//! (of the best references), not from a mean of scores.
//!
//! English needs METEOR's own tables (function words, prefixes that a dot follows, and for the
//! module `synonym` WordNet's sets), which are not shipped: `resources=DIR` says where they are, and
//! `paraphrases=FILE` where the table of the module `paraphrase` is. `language=other` needs none.
//! METEOR's own default is that of `meteor:resources=DIR,paraphrases=FILE,norm=false`.
//!
//! Deviations: `norm` is on by default for English, as METEOR's authors advise for text that
//! is not tokenised. Without `paraphrases` the default modules are the other three. Lists of modules
//! must begin with `exact`. With `language=other` all modules weigh 1 unless `weights` says otherwise;
//! METEOR's default is 0 for all but the first. Text with `|||` or line ends is scored like any other. Texts of so many
//! equal words that the search would take minutes are refused.

mod align;
mod candidates;
mod normalize;
mod params;
mod paraphrases;
mod resources;
mod statistics;
mod synonyms;
mod words;

use super::by_item::{ReferenceComparison, compare_all};
use super::{Blueprint, CorpusMetric, Metric, Segment};
use align::align;
pub use params::{Language, MeteorParams, MeteorTask};
use paraphrases::Paraphrases;
use resources::Prefixes;
use statistics::{MeteorWeights, WIDTH, statistics};
use synonyms::Synonyms;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::registry::{Entry, parameters};
use tiebreak_base::signature::Signature;
use words::{Lexicon, LexiconEntry, LexiconTables, Module};

/// `meteor`.
pub(super) const ENTRY: Entry<Blueprint> = Entry {
    name: "meteor",
    summary: "words aligned by form, stem and synonym, as in METEOR 1.5 (0-1)",
    cite: "Denkowski and Lavie 2014, Meteor Universal",
    parameters: parameters::<MeteorParams>,
    build: Blueprint::higher(|params, _| Ok(Box::new(Meteor::new(params.read("meteor")?)?))),
};

/// METEOR with its parameters and tables.
#[derive(Debug)]
pub struct Meteor {
    params: MeteorParams,
    modules: Vec<Module>,
    weights: MeteorWeights,
    tables: LexiconTables,
    prefixes: Prefixes,
    /// Identifies the tables in signatures.
    digest: String,
}

impl Meteor {
    /// Reads the tables that `params` need.
    ///
    /// # Errors
    /// [`Error::Usage`] for parameters that make no sense or an English METEOR without
    /// `resources`; [`Error::Input`] and [`Error::Record`] for tables that cannot be read.
    pub fn new(params: MeteorParams) -> Result<Self> {
        params.check()?;
        let modules = params.modules()?;
        let weights = params.weights(modules.len())?;
        let mut tables = LexiconTables::default();
        let mut prefixes = Prefixes::default();
        let mut digest = "none".to_string();
        if let Some(folder) = &params.resources {
            let mut used = vec![resources::FUNCTION_WORDS];
            tables.function_words = resources::function_words(folder)?;
            if params.normalizes() {
                prefixes = Prefixes::load(folder)?;
                used.push(resources::PREFIXES);
            }
            if modules.contains(&Module::Synonym) {
                tables.synonyms = Synonyms::load(folder)?;
                used.extend([resources::SYNSETS, resources::EXCEPTIONS]);
            }
            digest = resources::digest(folder, &used)?;
        } else if params.language == Language::En || modules.contains(&Module::Synonym) {
            let what = "meteor needs resources=DIR, the folder of METEOR's tables";
            return Err(Error::usage(what).with_hint(resources::HINT));
        }
        tables.paraphrases = table(&params, &modules)?;
        Ok(Self {
            params,
            modules,
            weights,
            tables,
            prefixes,
            digest,
        })
    }

    /// The line as the aligner reads it: normalised or lower-cased as the parameters say, its words
    /// between white space.
    pub fn prepare(&self, line: &str) -> String {
        if self.params.normalizes() {
            normalize::normalize(line, &self.prefixes, !self.params.no_punct).to_lowercase()
        } else if self.params.lower {
            line.to_lowercase()
        } else {
            line.to_string()
        }
    }
}

/// The table of paraphrases, if the modules need it; an empty one otherwise.
fn table(params: &MeteorParams, modules: &[Module]) -> Result<Paraphrases> {
    match (&params.paraphrases, modules.contains(&Module::Paraphrase)) {
        (Some(path), true) => Paraphrases::load(path),
        (None, false) => Ok(Paraphrases::default()),
        (Some(_), false) => {
            let what = "meteor: paraphrases is given, but the module paraphrase is not used";
            Err(Error::usage(what).with_hint("add paraphrase to modules"))
        }
        (None, true) => {
            let what = "meteor: the module paraphrase needs paraphrases=FILE";
            Err(Error::usage(what).with_hint(paraphrases::HINT))
        }
    }
}

impl Metric for Meteor {
    fn signature(&self) -> Signature {
        let params = &self.params;
        let weights = &self.weights;
        let text = match (params.normalizes(), params.no_punct, params.lower) {
            (true, false, _) => "norm",
            (true, true, _) => "norm-no-punct",
            (false, _, true) => "lower",
            (false, _, false) => "raw",
        };
        let numbers = [weights.alpha, weights.beta, weights.gamma, weights.delta];
        let language = match params.language {
            Language::En => "en",
            Language::Other => "other",
        };
        Signature::new("meteor")
            .with("lang", language)
            .with("text", text)
            .with(
                "modules",
                joined(self.modules.iter().map(|module| module.name())),
            )
            .with("weights", joined(&weights.modules))
            .with("params", joined(numbers))
            .with("beam", params.beam())
            .with("tables", &self.digest)
            .with(
                "paraphrases",
                self.tables.paraphrases.digest().unwrap_or("none"),
            )
            .with("version", 1)
    }

    fn score(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>> {
        let rows = self.statistics(segments)?;
        let rows = rows.chunks_exact(WIDTH);
        Ok(rows.map(|row| self.weights.score(row)).collect())
    }

    fn corpus(&self) -> Option<&dyn CorpusMetric> {
        Some(self)
    }
}

/// The statistics are those of METEOR's `-ssOut`, of the best reference, with room for four modules; a text matched as
/// a whole in a single chunk has no chunks, as METEOR has it when it adds them.
impl CorpusMetric for Meteor {
    fn width(&self) -> usize {
        WIDTH
    }

    fn statistics(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>> {
        let best = BestReference {
            meteor: self,
            lexicon: Lexicon::new(&self.tables),
            references: Vec::new(),
            refused: None,
        };
        compare_all("meteor", best, segments)
    }

    fn aggregate(&self, totals: &[f64]) -> f64 {
        self.weights.score(totals)
    }
}

fn joined(parts: impl IntoIterator<Item = impl ToString>) -> String {
    let parts: Vec<String> = parts.into_iter().map(|part| part.to_string()).collect();
    parts.join("+")
}

/// Keeps the reference with the highest score.
struct BestReference<'a> {
    meteor: &'a Meteor,
    lexicon: Lexicon<'a>,
    references: Vec<Vec<u32>>,
    /// The number of words of a text with too many candidates.
    refused: Option<usize>,
}

impl ReferenceComparison for BestReference<'_> {
    fn set_references(&mut self, references: &[String]) {
        let read = |text: &String| self.lexicon.read(&self.meteor.prepare(text));
        self.references = references.iter().map(read).collect();
    }

    fn compare(&mut self, hypothesis: &str, values: &mut Vec<f64>) {
        let Meteor {
            modules,
            weights,
            params,
            ..
        } = self.meteor;
        let text = self.lexicon.read(&self.meteor.prepare(hypothesis));
        let words = |ids: &[u32]| -> Vec<&LexiconEntry> {
            ids.iter().map(|&id| self.lexicon.word(id)).collect()
        };
        let text = words(&text);
        let mut best = [0.0; WIDTH];
        let mut highest = f64::NEG_INFINITY;
        for reference in &self.references {
            let reference = words(reference);
            let table = &self.meteor.tables.paraphrases;
            let Some(alignment) = align(&text, &reference, modules, table, params.beam()) else {
                self.refused = Some(text.len());
                continue;
            };
            let row = statistics(&text, &reference, &alignment);
            let score = weights.score(&row);
            if score > highest {
                (highest, best) = (score, row);
            }
        }
        values.extend(best);
    }

    fn refusal(&self) -> Option<Error> {
        self.refused.map(|words| {
            let what =
                format!("meteor: a text of {words} words repeats itself too often to be aligned");
            Error::usage(what).with_hint("score it in smaller pieces")
        })
    }
}
