//! The table against a bus made by hand.
