//! From what was written of `gaps` and `watch` to what the engine is asked.

use crate::engine::{GapsRequest, VersionAt};
use crate::inspect::gaps::{Rules, VersionRule};
use crate::model::time::parse_duration_ms;

use super::args::FindingsArgs;
use super::plan::{Usage, names, text};

/// What is looked for, whenever it was.
pub(super) fn request(args: &FindingsArgs) -> Result<GapsRequest, Usage> {
    let version = match (&args.version_path, &args.version_header) {
        (Some(path), _) => {
            VersionRule::path(path)
                .map_err(|problem| Usage(format!("--version-path: {problem}")))?;
            Some(VersionAt::Path(path.clone()))
        }
        (None, Some(name)) if name.is_empty() => {
            return Err(Usage("--version-header names no header".to_owned()));
        }
        (None, Some(name)) => Some(VersionAt::Header(name.clone())),
        (None, None) => None,
    };
    let stuck_ms = parse_duration_ms(&args.stuck_after)
        .map_err(|error| Usage(format!("--stuck-after: {error}")))?;
    Ok(GapsRequest {
        topics: names(args.topics.clone())?,
        groups: args.groups.iter().map(text).collect(),
        version,
        rules: Rules {
            stuck_ms,
            ..Rules::default()
        },
        ..GapsRequest::default()
    })
}

/// Whether the range of time makes sense.
pub(super) fn check(request: &GapsRequest) -> Result<(), Usage> {
    match (request.from, request.to) {
        (Some(from), Some(to)) if from >= to => {
            Err(Usage("--from must lie before --to".to_owned()))
        }
        _ => Ok(()),
    }
}
