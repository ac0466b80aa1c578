//! The room that a chart has.

/// What a chart is drawn for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// A screen or paper that is wide enough for labels beside the lines.
    Wide,
    /// A phone; a legend stands in for the labels.
    Narrow,
}

/// The plot within its margins, in pixels.
pub(super) struct Frame {
    pub(super) width: f64,
    pub(super) height: f64,
    /// Margin on the left: the numbers of the axis.
    pub(super) left: f64,
    /// Margin on the right: the labels of the lines.
    right: f64,
    pub(super) top: f64,
    /// Margin below: numbers and unit of the level axis.
    below: f64,
}

impl Frame {
    /// Room for a chart whose direct labels, put in a column, are that high and that wide. The
    /// left margin suits most axes, so that charts above one another line up; longer numbers
    /// need more.
    pub(super) fn new(size: Size, (labels_high, labels_wide): (f64, f64)) -> Self {
        match size {
            Size::Wide => Self {
                width: 720.0,
                height: (labels_high + 60.0).max(330.0),
                left: 64.0,
                right: labels_wide + 34.0,
                top: 14.0,
                below: 46.0,
            },
            Size::Narrow => Self {
                width: 360.0,
                height: 280.0,
                left: 50.0,
                right: 14.0,
                top: 14.0,
                below: 44.0,
            },
        }
    }

    /// Where the plot ends on the right.
    pub(super) fn right_edge(&self) -> f64 {
        self.width - self.right
    }

    /// Where the plot ends below.
    pub(super) fn bottom(&self) -> f64 {
        self.height - self.below
    }
}
