//! The certificate that a run is to reach, and its error probability.

use super::certificate::{Certificate, CertificatePlan};
use tiebreak_base::claims::SkipPremise;

/// A certificate to be reached.
pub(super) struct CertificateGoal {
    /// The error probability of the whole run.
    of_run: f64,
    /// The error probability of the certificate.
    pub delta: f64,
    /// The premise about skipped questions.
    pub skips: SkipPremise,
    pub certificate: Certificate,
}

impl CertificateGoal {
    pub(super) fn new(plan: CertificatePlan, delta: f64, skips: SkipPremise) -> Self {
        Self {
            of_run: delta,
            delta,
            skips,
            certificate: Certificate::new(plan, delta),
        }
    }

    /// Begins anew with a share of the run's error probability.
    pub(super) fn renew(&mut self, share: f64) {
        self.delta = self.of_run * share;
        self.certificate = self.certificate.renewed(self.delta);
    }
}
