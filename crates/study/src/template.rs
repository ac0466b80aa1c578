/// Study files to start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Template {
    /// Two private servers that differ in one setting.
    HeadToHead,
}

/// The text of a template.
pub fn template(_kind: Template) -> &'static str {
    unimplemented!()
}

/// The study that `weighin demo` runs.
pub fn demo() -> &'static str {
    template(Template::HeadToHead)
}
