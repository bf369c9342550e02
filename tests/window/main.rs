//! The window, driven as a person and a screen reader would, on an engine made by hand.

mod behaviour;
mod counts;
mod data;
mod fake;
mod images;
