//! The demo bus's clock, which a test can stop.

/// Where record timestamps and "now" come from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    fixed: Option<i64>,
}

impl Clock {
    /// The system's clock, or always `fixed` (epoch milliseconds).
    pub(super) fn new(fixed: Option<i64>) -> Self {
        Self { fixed }
    }

    /// Epoch milliseconds.
    pub(super) fn now_ms(self) -> i64 {
        self.fixed
            .unwrap_or_else(|| jiff::Timestamp::now().as_millisecond())
    }

    /// Whether time stands still, which also means that there is no live traffic.
    pub(super) fn is_fixed(self) -> bool {
        self.fixed.is_some()
    }
}
