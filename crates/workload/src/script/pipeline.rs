//! `\startpipeline` and `\endpipeline`.

use super::error::Problem;
use super::options::Options;
use crate::program::Step;

/// The pipeline that is open in a script, if there is one.
#[derive(Default)]
pub(super) struct Pipeline(Option<Open>);

struct Open {
    /// Where it begins.
    at: usize,
    /// How many `\if` are open around it.
    depth: usize,
    /// What stands before it.
    before: Vec<Step>,
}

const LEAVE_OUT: &str = "leave \\startpipeline and \\endpipeline out";

impl Pipeline {
    /// `\startpipeline`, within so many `\if`, behind these steps.
    pub(super) fn start(
        &mut self,
        at: usize,
        options: &Options,
        depth: usize,
        steps: &mut Vec<Step>,
    ) -> Result<(), Problem> {
        if self.0.is_some() {
            let help = "end it with \\endpipeline before the next begins";
            return Err(Problem::new(at, "a pipeline is open already", help));
        }
        if !options.syntax.pipelines {
            let message = "this system has no pipelines: a statement is sent when the one before it \
                           has been answered";
            return Err(Problem::new(at, message, LEAVE_OUT));
        }
        if !options.prepared {
            let help = format!("prepare them (prepared = true), or {LEAVE_OUT}");
            return Err(Problem::new(at, "a pipeline takes prepared statements", help));
        }
        self.0 = Some(Open { at, depth, before: std::mem::take(steps) });
        Ok(())
    }

    /// `\endpipeline`, within so many `\if`.
    pub(super) fn end(
        &mut self,
        at: usize,
        depth: usize,
        steps: &mut Vec<Step>,
    ) -> Result<(), Problem> {
        let Some(open) = self.0.take() else {
            let message = "\\endpipeline without a \\startpipeline before it";
            return Err(Problem::new(at, message, "add \\startpipeline, or leave it out"));
        };
        if open.depth != depth {
            return Err(open.not_ended());
        }
        let inside = std::mem::replace(steps, open.before);
        steps.push(Step::Pipeline(inside));
        Ok(())
    }

    /// Where a branch within so many `\if`, or the script, is over: a pipeline that began there has ended.
    pub(super) fn has_ended(&self, depth: usize) -> Result<(), Problem> {
        match &self.0 {
            Some(open) if open.depth >= depth => Err(open.not_ended()),
            _ => Ok(()),
        }
    }

    /// `\gset` and `\aset` wait for an answer.
    pub(super) fn allows_reads(&self, at: usize, only: bool) -> Result<(), Problem> {
        if self.0.is_none() {
            return Ok(());
        }
        let what = if only { "\\gset" } else { "\\aset" };
        let message = format!("{what} is not allowed in a pipeline, whose answers come at its end");
        Err(Problem::new(at, message, "read before \\startpipeline or after \\endpipeline"))
    }
}

impl Open {
    fn not_ended(&self) -> Problem {
        let message = "this \\startpipeline has no \\endpipeline in the same branch";
        Problem::new(self.at, message, "add \\endpipeline before the branch or the script ends")
    }
}
