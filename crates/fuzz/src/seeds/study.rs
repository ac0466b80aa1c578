use study::{Template, template};

/// Studies that use every table.
const STUDIES: [&str; 3] = [
    include_str!("studies/every-key.toml"),
    include_str!("studies/tasks.toml"),
    include_str!("studies/storage.toml"),
];

/// Whole study files, without their comments.
pub(crate) fn texts() -> Vec<Vec<u8>> {
    let templates = Template::ALL.map(template);
    let bare = |text: &str| -> Vec<u8> {
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines.flat_map(|line| [line.as_bytes(), b"\n"].concat()).collect()
    };
    templates.iter().chain(&STUDIES).map(|text| bare(text)).collect()
}
