CREATE VIEW trial_summary AS
SELECT
    planned_trial.position,
    planned_trial.block,
    planned_trial.test,
    planned_trial.target,
    planned_trial.clients,
    planned_trial.repeat,
    coalesce(trial.outcome, 'not run') AS outcome,
    phase.transactions * 1e9 / phase.elapsed_ns AS transactions_per_second,
    phase.queries * 1e9 / phase.elapsed_ns AS queries_per_second,
    phase.errors,
    failure.kind AS failure_kind,
    failure.message AS failure_message
FROM planned_trial
LEFT JOIN trial USING (position)
LEFT JOIN phase ON phase.position = trial.position AND phase.phase = 'measure'
LEFT JOIN failure ON failure.position = trial.position;
