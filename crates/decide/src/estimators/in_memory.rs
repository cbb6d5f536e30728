//! Estimates by estimator name, from judgments in memory.

use super::{Analysis, ESTIMATORS, Judgments, ScoredJudgment, Survey, analyse};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::registry::{Params, find_entry};

impl Survey {
    /// The mean judgment over all outputs, from judgments of some that were picked at random: `judged` are
    /// outputs, by number, each with a human judgment; one output may be judged several times. The
    /// estimator is `NAME` or `NAME:key=value,…` of [`ESTIMATORS`]; the interval holds with `confidence`, a
    /// number between 0 and 1.
    ///
    /// ```
    /// use tiebreak_decide::estimators::Survey;
    /// let chrf = [61.2, 48.0, 77.5, 55.1, 90.3, 39.9, 70.2, 66.6, 81.7, 59.4];
    /// let judged = [(0, 63.0), (2, 80.0), (3, 49.0), (5, 41.0), (6, 68.0), (8, 85.0)];
    /// let survey = Survey::scored(chrf).with_range(0.0, 100.0)?;
    /// let found = survey.estimate("control-variates", &judged, 0.95)?;
    /// let (lower, value, upper) = (found.lower.unwrap(), found.estimate.unwrap(), found.upper.unwrap());
    /// assert!(lower < value && value < upper);
    /// # Ok::<(), tiebreak_base::Error>(())
    /// ```
    ///
    /// Annotators, strata, several metrics or probabilities are for [`analyse`], which this calls.
    ///
    /// # Errors
    /// [`Error::UnknownName`] with the nearest name; [`Error::Usage`] for a parameter the estimator does not
    /// have, without judgments, for one of an output that is not there or off the scale, and where the
    /// estimator needs scores that are not there.
    pub fn estimate(
        &self,
        estimator: &str,
        judged: &[(usize, f64)],
        confidence: f64,
    ) -> Result<Analysis> {
        let (name, params) = Params::parse(estimator)?;
        let entry = find_entry("estimator", ESTIMATORS, &name)?;
        let mut built = (entry.build.build)(&params, self)?;
        analyse(
            built.as_mut(),
            &self.judgments(judged)?,
            confidence,
            self.range,
        )
    }

    fn judgments(&self, judged: &[(usize, f64)]) -> Result<Judgments> {
        if judged.is_empty() {
            return Err(Error::usage("no judgments, expected at least one"));
        }
        let metrics = self.population.metrics();
        if metrics > 1 {
            let what = format!("judgments without the scores of {metrics} metrics");
            return Err(Error::usage(what).with_hint("give `Judgments` with all scores"));
        }
        let mut judgments = Judgments::new(metrics);
        for &(output, y) in judged {
            let item = u32::try_from(output).ok();
            let Some(item) = item.filter(|_| (output as u64) < self.population.n) else {
                let n = self.population.n;
                return Err(Error::usage(format!(
                    "a judgment of output {output}, expected 0 to {} of the {n} outputs",
                    n.saturating_sub(1)
                )));
            };
            let score = self.population.scores.get(output..=output);
            judgments.push(ScoredJudgment::new(item, y, score.unwrap_or_default()));
        }
        Ok(judgments)
    }
}
