//! Tidy CSV: repeats, labels, and what happens to rows that cannot be read.

use import::{Format, Parsed, Source, Table, assemble};
use model::Level;
use model::ReadBudget;

fn parse(text: &str) -> Parsed {
    Table.parse(Source { file: "a.csv", text, budget: &ReadBudget::default() })
}

#[test]
fn a_name_without_end_is_named_and_left_out() {
    let name = "x".repeat(5_000);
    let table = format!(
        "target,test,clients,repeat,metric,value,unit\n\
         {name},oltp,1,1,transactions_per_s,100,1/s\n\
         {name},oltp,1,2,transactions_per_s,101,1/s\n\
         short,oltp,1,1,transactions_per_s,102,1/s\n"
    );
    let parsed = parse(&table);
    let (data, problems) = assemble("study", test_support::run(), vec![parsed]);
    let targets: Vec<&str> = data.study.targets.iter().map(|t| t.name.as_str()).collect();
    assert_eq!((targets, data.trials.len()), (vec!["short"], 1));
    let [problem] = &problems[..] else { panic!("{problems:?}") };
    assert!(problem.message.contains("its name has 5000 bytes"), "{problem}");
}

#[test]
fn a_metric_that_comes_again_is_a_further_repeat() {
    let text = "target,test,clients,metric,value,unit\n\
                a,t,4,transactions_per_s,100,1/s\n\
                a,t,4,latency_p95,9.5,ms\n\
                a,t,4,transactions_per_s,110,1/s\n\
                a,t,8,transactions_per_s,150,1/s\n";
    let parsed = parse(text);
    assert_eq!(parsed.problems, []);
    let (dataset, problems) = assemble("x", test_support::run(), vec![parsed]);
    assert_eq!(problems, []);
    let keys: Vec<(Level, u32)> =
        dataset.trials.iter().map(|record| (record.key.level, record.key.repeat)).collect();
    let (four, eight) = (Level::clients(4), Level::clients(8));
    assert_eq!(keys, [(four, 1), (eight, 1), (four, 2)]);
    assert_eq!(dataset.study.repeats, 2);
    assert_eq!(dataset.missing().count(), 0);
}

#[test]
fn a_row_that_cannot_be_read_is_named_and_the_rest_goes_on() {
    let text = "target,test,clients,metric,value\n\
                a,t,4,transactions_per_s,100\n\
                a,t,many,transactions_per_s,100\n\
                a,t,4\n\
                ,t,4,transactions_per_s,100\n\
                a,t,4,latency_p95,\n\
                a,t,8,transactions_per_s,120\n";
    let parsed = parse(text);
    let lines: Vec<u32> = parsed.problems.iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [3, 4, 5, 6], "{:?}", parsed.problems);
    assert!(parsed.problems[0].to_string().starts_with("a.csv:3: clients is «many»"));
    assert_eq!(parsed.trials.len(), 2);
}

#[test]
fn labels_belong_to_targets_and_factors_to_tests() {
    let text = "target,test,read_percent,metric,value\n\
                a,label,,tenancy,shared\n\
                a,disk,90,iops,100\n\
                a,disk,70,iops,80\n";
    let parsed = parse(text);
    assert_eq!(parsed.problems, []);
    assert_eq!(
        (parsed.labels[0].name.as_str(), parsed.labels[0].value.as_str()),
        ("tenancy", "shared")
    );
    let tests: Vec<&str> = parsed.trials.iter().map(|trial| trial.test.as_str()).collect();
    assert_eq!(tests, ["disk, read_percent 90", "disk, read_percent 70"]);
}
