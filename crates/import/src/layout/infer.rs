//! What paths say where no pattern says it: over all files together.

use super::pattern::LayoutQuestion;
use super::roles::{Path, Role, Word, paths};
use super::understood::Notes;
use super::written::{before, label, suggest};
use super::{File, Naming, PathFacts, numbers, settings};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Takes all paths apart and says what each word is, as far as that is sure.
pub(super) fn read(files: &[File]) -> (Vec<Path>, Vec<String>) {
    let (mut paths, doubts) = with_numbers(files);
    settings::recognise(&mut paths);
    names_with_words_of_tests(&mut paths);
    fields_with_tests(&mut paths);
    (paths, doubts)
}

/// Words that stand with a test in one field of a file's name, as in `sb.point-query.dop40`, name that test
/// together, where directories name the targets: the name parts its fields with another sign than words.
fn fields_with_tests(paths: &mut [Path]) {
    let targets = paths.iter().any(|path| {
        let of_target = |word: &Word| word.varies(Role::Unknown) || word.varies(Role::Target);
        path.all().any(|(at, word)| !path.is_name(at) && of_target(word))
    });
    if !targets {
        return;
    }
    for path in paths {
        let last = path.words.len() - 1;
        let text = path.components[last].text.clone();
        let fields = |word: &Word| text[..word.token.at.start].matches('.').count();
        // With one point there is only an ending.
        if text.matches('.').count() < 2 {
            continue;
        }
        let with_tests: BTreeSet<usize> =
            path.words[last].iter().filter(|word| word.varies(Role::Test)).map(fields).collect();
        for word in &mut path.words[last] {
            if word.role == Role::Unknown && with_tests.contains(&fields(word)) {
                word.role = Role::Test;
            }
        }
    }
}

/// Words such as `read` of `read-replica`, where the directory beside it is called `primary` and the
/// files name their tests, are parts of a name.
fn names_with_words_of_tests(paths: &mut [Path]) {
    let has_test = |path: &Path, at: usize| {
        path.words.get(at).is_some_and(|words| words.iter().any(|word| word.role == Role::Test))
    };
    let deepest = paths.iter().map(|path| path.words.len()).max().unwrap_or(0);
    for at in 0..deepest {
        let some = paths.iter().any(|path| has_test(path, at) && !path.is_name(at));
        let all = paths.iter().all(|path| has_test(path, at));
        let elsewhere =
            |path: &Path| (0..path.words.len()).any(|other| other != at && has_test(path, other));
        if !some || all || !paths.iter().all(elsewhere) {
            continue;
        }
        for path in paths.iter_mut().filter(|path| at + 1 < path.words.len()) {
            let words = &mut path.words[at];
            let other = |word: &Word| matches!(word.role, Role::Unknown | Role::Target);
            if words.iter().any(other) {
                let tests = words.iter_mut().filter(|word| word.role == Role::Test);
                tests.for_each(|word| word.role = Role::Target);
            }
        }
    }
}

/// Takes all paths apart, with points as parts of versions or, where that fits what the files say,
/// between numbers.
fn with_numbers(files: &[File]) -> (Vec<Path>, Vec<String>) {
    let mut taken = paths(files, false);
    let doubts = numbers::recognise(files, &mut taken);
    if numbers::any_clients(&taken) {
        return (taken, doubts);
    }
    // `rw.16.1` looks like a version until points part its numbers.
    let mut parted = paths(files, true);
    let others = numbers::recognise(files, &mut parted);
    if numbers::any_clients(&parted) { (parted, others) } else { (taken, doubts) }
}

/// What every file's path says.
pub(super) fn infer(
    files: &[File],
    naming: &Naming<'_>,
) -> Result<(Vec<PathFacts>, Notes), Box<LayoutQuestion>> {
    let (mut paths, mut doubts) = read(files);
    decide(&mut paths, files, naming, &mut doubts)?;
    let labels: Vec<Vec<(String, String)>> = paths.iter().map(labels).collect();
    let setting = settings::of_labels(&labels);
    if let Some((name, values)) = &setting {
        let values = numbered(values);
        doubts.push(format!("targets differ in the setting {name}, which is {values}"));
    }
    let factors = factors(&labels) || setting.is_some();
    let said: Vec<PathFacts> = paths
        .iter()
        .zip(labels)
        .map(|(path, labels)| PathFacts {
            target: naming.target.map_or_else(|| target(path), str::to_owned),
            labels: if factors { labels.into_iter().collect() } else { BTreeMap::new() },
            test: test(path),
            clients: level(path, Role::Clients),
            rate: level(path, Role::Rate),
            block: None,
            repeat: repeat(path, naming),
        })
        .collect();
    counters(&paths, &said, files, naming, &mut doubts)?;
    let notes = Notes::from_paths(&paths, files, naming, &said, doubts);
    Ok((said, notes))
}

/// The same; where only a few files have a word in their names that would have to be asked about, these
/// are left out, and have nothing said.
pub(super) fn without_odd_ones(
    files: &[File],
    naming: &Naming<'_>,
) -> Result<(Vec<Option<PathFacts>>, Notes), Box<LayoutQuestion>> {
    /// The share of files that are few, as its inverse.
    const FEW: usize = 4;
    let question = match infer(files, naming) {
        Ok((said, notes)) => return Ok((said.into_iter().map(Some).collect(), notes)),
        Err(question) => question,
    };
    let (paths, _) = read(files);
    let asked =
        |path: &Path| path.all().any(|(at, word)| word.varies(Role::Unknown) && path.is_name(at));
    let odd: Vec<bool> = paths.iter().map(asked).collect();
    let count = odd.iter().filter(|odd| **odd).count();
    if count == 0 || count * FEW > files.len() {
        return Err(question);
    }
    let usual = files.iter().zip(&odd).filter(|(_, odd)| !**odd);
    let usual: Vec<File> = usual.map(|(file, _)| file.clone()).collect();
    let Ok((said, notes)) = infer(&usual, naming) else { return Err(question) };
    let mut said = said.into_iter();
    let all = odd.into_iter().map(|odd| if odd { None } else { said.next() });
    Ok((all.collect(), notes))
}

/// The paths with their words as far as they are understood.
pub(super) fn understood(files: &[File], naming: &Naming<'_>) -> Vec<Path> {
    let (mut paths, mut doubts) = read(files);
    // What is not clear has been asked about before.
    let _ = decide(&mut paths, files, naming, &mut doubts);
    paths
}

/// Says of unknown words whether they are targets or tests, and asks where that is not clear.
fn decide(
    paths: &mut [Path],
    files: &[File],
    naming: &Naming<'_>,
    doubts: &mut Vec<String>,
) -> Result<(), Box<LayoutQuestion>> {
    let unknown = |file: bool| {
        let is = move |path: &Path| {
            path.all().any(|(at, word)| word.varies(Role::Unknown) && path.is_name(at) == file)
        };
        paths.iter().any(is)
    };
    let (in_directories, in_names) = (unknown(false), unknown(true));
    let has_test: Vec<bool> =
        paths.iter().map(|path| path.all().any(|(_, word)| word.role == Role::Test)).collect();
    let all_have_tests = has_test.iter().all(|has| *has);
    let mut directories: BTreeSet<usize> = BTreeSet::new();
    for path in paths.iter() {
        directories.extend(path.all().filter_map(|(at, word)| {
            let varies = word.varies(Role::Unknown) || word.varies(Role::Target);
            (varies && !path.is_name(at)).then_some(at)
        }));
    }
    let by_user = naming.target.is_some() || naming.test.is_some();
    if in_directories && !by_user && !all_have_tests && !in_names && directories.len() > 1 {
        let what = "directories of several levels differ, and which of them name tests is not said";
        return Err(ask(paths, files, false, what));
    }
    if in_names && !by_user && directories.is_empty() && !all_have_tests {
        let what = "words in the names of the files differ, and what they are is not said";
        return Err(ask(paths, files, true, what));
    }
    let (mut as_tests, mut as_targets) = (BTreeSet::new(), BTreeSet::new());
    for (path, has_test) in paths.iter_mut().zip(has_test) {
        let last = path.components.len() - 1;
        let components = path.components.clone();
        for (at, word) in path.all_mut().filter(|(_, word)| word.varies(Role::Unknown)) {
            let is_test = match (naming.target, naming.test) {
                (Some(_), _) => true,
                (None, Some(_)) => false,
                (None, None) => at == last && !has_test,
            };
            word.role = if is_test { Role::Test } else { Role::Target };
            let text = components[at].word(&word.token).to_owned();
            if is_test {
                as_tests.insert(text)
            } else {
                as_targets.insert(text)
            };
        }
    }
    if !by_user {
        doubts.extend(doubt(&as_tests, "are taken as tests, because directories name the targets"));
        doubts.extend(doubt(&as_targets, "are taken as parts of the targets"));
    }
    Ok(())
}

fn doubt(words: &BTreeSet<String>, what: &str) -> Option<String> {
    (!words.is_empty()).then(|| format!("{} {what}", examples(words)))
}

/// The first of some words.
pub(super) fn examples(words: &BTreeSet<String>) -> String {
    const MOST: usize = 3;
    let shown: Vec<&str> = words.iter().take(MOST).map(String::as_str).collect();
    let more = words.len().saturating_sub(MOST);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{more}", shown.join(", "))
}

/// What unknown words of names or of directories may be.
fn ask(paths: &[Path], files: &[File], in_names: bool, what: &str) -> Box<LayoutQuestion> {
    let mut words = BTreeSet::new();
    let mut example = 0;
    for (file, path) in paths.iter().enumerate() {
        for (at, word) in path.all().filter(|(_, word)| word.varies(Role::Unknown)) {
            if path.is_name(at) == in_names {
                words.insert(path.text(at, word).to_owned());
                example = if words.len() == 1 { file } else { example };
            }
        }
    }
    let path = &paths[example];
    let message = format!("{what}: {} (as in {})", examples(&words), files[example].path);
    let asked = |at: usize, word: &Word| word.varies(Role::Unknown) && path.is_name(at) == in_names;
    let mut suggestions = Vec::new();
    if in_names {
        for (meaning, name) in [("targets", "target"), ("tests", "test"), ("repeats", "repeat")] {
            suggestions.push(suggest(path, format!("they are {meaning}"), &|at, word| {
                asked(at, word).then(|| name.to_owned())
            }));
        }
    } else {
        let levels: BTreeSet<usize> = path
            .all()
            .filter(|(at, word)| {
                !path.is_name(*at) && (word.varies(Role::Unknown) || word.varies(Role::Target))
            })
            .map(|(at, _)| at)
            .collect();
        for of_tests in &levels {
            let directory = path.components[*of_tests].text.clone();
            suggestions.push(suggest(path, format!("{directory} is a test"), &|at, word| {
                let varies = word.varies(Role::Unknown) || word.varies(Role::Target);
                let name = if at == *of_tests { "test" } else { "target" };
                (varies && !path.is_name(at)).then(|| name.to_owned())
            }));
        }
        suggestions.push(suggest(
            path,
            "all of them are parts of the target".into(),
            &|at, word| {
                let varies = word.varies(Role::Unknown) || word.varies(Role::Target);
                (varies && !path.is_name(at)).then(|| "target".to_owned())
            },
        ));
    }
    Box::new(LayoutQuestion { message, suggestions })
}

/// Numbers of which nothing says what they count may only be left out where they follow from the
/// rest of the path.
fn counters(
    paths: &[Path],
    said: &[PathFacts],
    files: &[File],
    naming: &Naming<'_>,
    doubts: &mut Vec<String>,
) -> Result<(), Box<LayoutQuestion>> {
    if naming.target.is_some() && naming.test.is_some() {
        return Ok(());
    }
    // Where a number stands and what all other words say: what it is, and in which file.
    let mut known: HashMap<_, (&str, usize)> = HashMap::new();
    let mut left_out = BTreeSet::new();
    for (file, (path, said)) in paths.iter().zip(said).enumerate() {
        let of_path = path.all().filter(|(_, word)| word.varies(Role::Counter));
        for (nth, (at, word)) in of_path.enumerate() {
            // A running number of files says nothing; that of a directory may part anything.
            let clients =
                path.is_name(at).then(|| files[file].says(super::Knob::Clients)).flatten();
            let text = path.text(at, word);
            let key =
                (at, nth, said.target.as_str(), said.test.as_str(), said.repeat.as_str(), clients);
            let (first, other) = *known.entry(key).or_insert((text, file));
            if first == text {
                left_out.insert(text.to_owned());
                continue;
            }
            let message = format!(
                "what the numbers {first} and {text} count is not said, in {} and {}",
                files[other].path, files[file].path
            );
            let asked = |name: &'static str| {
                move |place: usize, other: &Word| {
                    (place == at && other.token == word.token).then(|| name.to_owned())
                }
            };
            let suggestions = vec![
                suggest(path, "they number repeats".to_owned(), &asked("repeat")),
                suggest(path, "they number targets".to_owned(), &asked("target")),
                suggest(path, "they number tests".to_owned(), &asked("test")),
            ];
            return Err(Box::new(LayoutQuestion { message, suggestions }));
        }
    }
    doubts.extend(doubt(&left_out, "are numbers that follow from other words, and are left out"));
    Ok(())
}

fn of_role(path: &Path, role: Role) -> impl Iterator<Item = (usize, &Word)> {
    path.all().filter(move |(_, word)| word.role == role)
}

fn level(path: &Path, role: Role) -> Option<u32> {
    let number = of_role(path, role).find_map(|(_, word)| word.number())?;
    u32::try_from(number.value).ok()
}

/// The numbers of all repeats around it: `run1 iter2`.
fn repeat(path: &Path, naming: &Naming<'_>) -> String {
    let mut words: Vec<&str> =
        of_role(path, Role::Repeat).map(|(at, word)| path.text(at, word)).collect();
    if naming.target.is_some() && naming.test.is_some() {
        // The user says that all is one target and one test.
        words = path.components.iter().map(|component| component.text.as_str()).collect();
    }
    words.join(" ")
}

/// Words that vary, or else those that are the same everywhere.
fn test(path: &Path) -> String {
    let all: Vec<(usize, &Word)> = of_role(path, Role::Test).collect();
    let varying: Vec<(usize, &Word)> = all.iter().filter(|(_, w)| !w.constant).copied().collect();
    // Of those that are the same everywhere, the one next to the results.
    let mut words =
        if varying.is_empty() { all.last().into_iter().copied().collect() } else { varying };
    if words.is_empty() {
        words = of_role(path, Role::Unknown)
            .filter(|(at, word)| path.is_name(*at) && word.constant)
            .collect();
    }
    // What a directory and the file in it both say is said once: `tpcc/tpcc.json`.
    let text = |(at, word): (usize, &Word)| &path.components[at].text[word.token.at.clone()];
    let again = |&(at, word): &(usize, &Word)| {
        all.iter().any(|other| other.0 > at && text(*other).eq_ignore_ascii_case(text((at, word))))
    };
    words.retain(|word| !again(word));
    together(path, &words, false)
}

/// Words as they stand in the path. Where a word alone is too short to be understood, with the one
/// before it.
fn together(path: &Path, words: &[(usize, &Word)], with_constants: bool) -> String {
    let mut name = String::new();
    let mut last: Option<(usize, usize)> = None;
    for (at, word) in words {
        let text = &path.components[*at].text;
        let mut start = word.token.at.start;
        if with_constants && let Some((before, _)) = before(path, *at, word) {
            start = before;
        }
        match last {
            Some((component, end)) if component == *at && end < start => {
                let between = &text[end..start];
                name.push_str(if between.chars().count() == 1 { between } else { " " });
            }
            Some(_) => name.push(' '),
            None => {}
        }
        name.push_str(&text[start..word.token.at.end]);
        last = Some((*at, word.token.at.end));
    }
    name
}

fn target(path: &Path) -> String {
    let varying: Vec<(usize, &Word)> =
        path.all().filter(|(_, word)| word.varies(Role::Target)).collect();
    if !varying.is_empty() {
        return together(path, &varying, true);
    }
    let directories = &path.words[..path.words.len().saturating_sub(1)];
    let says = |roles: &[Role]| {
        let says = |word: &Word| word.constant && roles.contains(&word.role);
        directories.iter().rposition(|words| words.iter().any(says))
    };
    if let Some(at) = says(&[Role::Unknown, Role::Target, Role::Counter]) {
        let words = &path.words[at];
        if words.iter().all(|word| word.constant) {
            return path.components[at].text.clone();
        }
        // What varies there is a date or a number, and no part of a name.
        let kept: Vec<(usize, &Word)> =
            words.iter().filter(|word| word.constant).map(|word| (at, word)).collect();
        return together(path, &kept, false);
    }
    let named: Vec<(usize, &Word)> = of_role(path, Role::Target).collect();
    if !named.is_empty() {
        return together(path, &named, true);
    }
    let plain = says(&[Role::Kind, Role::Test]);
    plain.map_or_else(|| "imported".to_owned(), |at| path.components[at].text.clone())
}

/// The parts of a target by name: `BP` 25 of `BP25`, `kernel` A of `kernel-A`.
pub(super) fn labels(path: &Path) -> Vec<(String, String)> {
    let mut labels: Vec<(String, String)> = Vec::new();
    for (at, word) in path.all().filter(|(_, word)| word.varies(Role::Target)) {
        let (name, value) = label(path, at, word);
        match labels.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = format!("{known}-{value}"),
            None => labels.push((name, value)),
        }
    }
    labels
}

/// The first of some values, in their order.
fn numbered(values: &[String]) -> String {
    const MOST: usize = 6;
    let more = values.len().saturating_sub(MOST);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{more}", values[..values.len().min(MOST)].join(", "))
}

/// Whether labels say more than the names of targets: several of them, and all targets have the same.
fn factors(labels: &[Vec<(String, String)>]) -> bool {
    let names = |labels: &Vec<(String, String)>| -> BTreeSet<String> {
        labels.iter().map(|(name, _)| name.clone()).collect()
    };
    let mut all = labels.iter().map(names);
    let first = all.next().unwrap_or_default();
    first.len() > 1 && all.all(|names| names == first)
}
