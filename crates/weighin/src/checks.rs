//! The checks that every trial of a study goes through, made on a load by hand.

use crate::exit::CliError;
use analyse::{CheckedLoad, Finding, Severity, Validity, check_load};
use campaign::Measured;
use host::Host;
use model::{
    Dataset, Level, Outcome, Plan, RunInfo, ServerFacts, Study, Target, TargetFacts, Test,
    TrialEnd, TrialKey, TrialRecord, UnitName,
};
use report::numbers::counted;
use report::words;
use serde::Serialize;

/// What was run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AdHocLoad<'a> {
    pub(crate) target: &'a Target,
    pub(crate) test: &'a Test,
    pub(crate) level: Level,
    pub(crate) seed: u64,
}

/// What the checks say of a load.
#[derive(Debug)]
pub(crate) struct Checks {
    checked: CheckedLoad,
    counted: UnitName,
}

/// The same for programs.
#[derive(Debug, Serialize)]
pub(crate) struct ChecksOutput<'a> {
    validity: Validity,
    passed: &'a [analyse::Check],
    not_made: &'a [analyse::Check],
    findings: Vec<FindingOutput<'a>>,
}

#[derive(Debug, Serialize)]
struct FindingOutput<'a> {
    severity: Severity,
    words: String,
    evidence: &'a analyse::Evidence,
}

impl Checks {
    /// Makes them. `server` is what it said of itself, where it did.
    pub(crate) fn run(
        load: AdHocLoad<'_>,
        measured: &Measured,
        server: Option<ServerFacts>,
        host: &dyn Host,
    ) -> Result<Self, CliError> {
        let AdHocLoad { target, test, level, seed } = load;
        let now = host.time();
        let record = TrialRecord {
            key: TrialKey {
                target: target.name.clone(),
                test: test.name.clone(),
                level,
                repeat: 1,
            },
            position: 1,
            seed,
            started_at: now,
            finished_at: now,
            clock_jump_ms: None,
            end: TrialEnd::Completed(Box::new(Outcome {
                marks: measured.marks.clone(),
                ..Outcome::of_load(measured.load.clone())
            })),
            sampling: measured.sampling.clone(),
            cross_check: None,
            search: None,
            side_by_side: None,
        };
        let dataset = Dataset {
            study: Study {
                name: test.name.clone(),
                question: None,
                answer_by: None,
                answer_at: None,
                repeats: 1,
                until: None,
                budget: None,
                seed,
                confidence: Study::CONFIDENCE,
                margin: Study::MARGIN,
                sample_every: Study::SAMPLE_EVERY,
                targets: vec![target.clone()],
                parallel: false,
                slices: None,
                duet: false,
                aa_control: None,
                tests: vec![test.clone()],
                fleet: None,
                host_instances: Vec::new(),
                files: Vec::new(),
                source: String::new(),
            },
            run: RunInfo {
                id: 1,
                started_at: now,
                weighin_version: env!("CARGO_PKG_VERSION").to_owned(),
                host: host.facts(),
                scale: 1.0,
                extensions: Vec::new(),
            },
            plan: Plan { seed, blocks: Vec::new() },
            targets: server
                .map(|server| TargetFacts { target: target.name.clone(), server })
                .into_iter()
                .collect(),
            trials: Vec::new(),
            superseded: Vec::new(),
            instances: Vec::new(),
            notes: Vec::new(),
        };
        let counted = test.runnable_load()?.workload.operation();
        Ok(Self { checked: check_load(&dataset, &record), counted })
    }

    /// What speaks against the load, most severe first.
    pub(crate) fn doubts(&self) -> impl Iterator<Item = String> {
        let doubtful = |finding: &&Finding| finding.severity <= Severity::Warning;
        let doubts = self.checked.findings.iter().filter(doubtful);
        doubts.map(|finding| words::sentence(finding, self.counted))
    }

    /// What they came to, in a few words.
    pub(crate) fn verdict(&self) -> String {
        let CheckedLoad { validity, passed, not_made, .. } = &self.checked;
        let verdict = match validity {
            Validity::Valid => String::new(),
            Validity::Suspect => "SUSPECT: ".to_owned(),
            Validity::Void => "VOID, nothing may be concluded from this load: ".to_owned(),
        };
        let all = analyse::Check::ALL.len();
        let passed = format!("{} of {} passed", passed.len(), counted(all, "check"));
        match not_made.len() {
            0 => format!("{verdict}{passed}"),
            without => format!("{verdict}{passed}, {without} could not be made"),
        }
    }

    pub(crate) fn output(&self) -> ChecksOutput<'_> {
        let CheckedLoad { validity, findings, passed, not_made } = &self.checked;
        let findings = findings.iter().map(|finding| FindingOutput {
            severity: finding.severity,
            words: words::sentence(finding, self.counted),
            evidence: &finding.evidence,
        });
        let findings = findings.collect();
        ChecksOutput { validity: *validity, passed, not_made, findings }
    }
}
