//! Searches of a bus made by hand, from the request to what the window sees.
