//! The window, driven as a person and a screen reader would, on an engine made by hand.

#[cfg(test)]
mod behaviour;
#[cfg(test)]
mod counts;
#[cfg(test)]
mod data;
#[cfg(test)]
mod demo_bus;
#[cfg(test)]
mod detail_images;
#[cfg(test)]
mod fake;
mod findings;
#[cfg(test)]
mod images;
#[cfg(test)]
mod journal;
#[cfg(test)]
mod large;
#[cfg(test)]
mod long_list;
#[cfg(test)]
mod over_time;
#[cfg(test)]
mod pictures;
#[cfg(test)]
mod rewind_images;
#[cfg(test)]
mod rewinding;
#[cfg(test)]
mod search_images;
#[cfg(test)]
mod searching;
#[cfg(test)]
mod states;
