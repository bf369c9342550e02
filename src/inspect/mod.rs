//! Findings from data. Pure functions.
