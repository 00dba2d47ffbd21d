//! What tells two jobs apart that have one name.

use tabiya_api::{error::excerpt, v1};

use crate::{Block, Fault, Item, Job, JobStore, NewJob, Span};

/// Says in what a new job differs from the stored one of the same name, for people to read: the first difference.
///
/// # Errors
/// If the stored manifest cannot be read.
pub async fn difference(store: &dyn JobStore, stored: &Job, new: &NewJob) -> Result<String, Fault> {
    if let Some(setting) = setting(stored, &new.job) {
        return Ok(setting);
    }
    let id = stored
        .id()
        .map_err(|reason| Fault::Damaged(format!("a job's name: {reason}")))?;
    for (number, block) in (0..).zip(new.blocks.iter()) {
        let first = number * Block::ITEMS;
        let Some(span) = Span::new(first, (first + Block::ITEMS).min(stored.items)) else {
            break;
        };
        let old = store.items(&id, span).await?;
        for (place, (old, new)) in span.places().zip(old.iter().zip(&block.decode()?)) {
            if let Some(field) = field(old, new) {
                return Ok(format!("items[{place}] has another {field}"));
            }
        }
    }
    Ok(format!("it has {} items, not {}", stored.items, new.job.items))
}

fn setting(stored: &Job, new: &Job) -> Option<String> {
    let limits = |job: &Job| job.limits.unwrap_or_default();
    let nodes = |job: &Job| limits(job).nodes.to_string();
    let depth = |job: &Job| limits(job).depth.to_string();
    let mate = |job: &Job| limits(job).mate.to_string();
    let time = |job: &Job| {
        limits(job)
            .time
            .map_or_else(|| "none".to_owned(), |time| time.to_string())
    };
    let multipv = |job: &Job| job.multipv.to_string();
    let backend = |job: &Job| job.backend().as_str_name().to_owned();
    let bulk_mode = |job: &Job| job.bulk_mode().as_str_name().to_owned();
    let network = |job: &Job| match excerpt(&job.asked_network) {
        empty if empty.is_empty() => "the default".to_owned(),
        name => name,
    };
    type Shown<'a> = &'a dyn Fn(&Job) -> String;
    let settings: [(&str, Shown<'_>); 8] = [
        ("limits.nodes", &nodes),
        ("limits.depth", &depth),
        ("limits.mate", &mate),
        ("limits.time", &time),
        ("multipv", &multipv),
        ("backend", &backend),
        ("bulk_mode", &bulk_mode),
        ("network", &network),
    ];
    settings.iter().find_map(|(name, of)| {
        let (old, new) = (of(stored), of(new));
        (old != new).then(|| format!("its {name} is {old}, not {new}"))
    })
}

fn field(old: &Item, new: &Item) -> Option<&'static str> {
    let position = |item: &Item| -> v1::Position { item.position.clone().unwrap_or_default() };
    if old.item_id != new.item_id {
        Some("item_id")
    } else if position(old) != position(new) {
        Some("position")
    } else if old.game != new.game {
        Some("game")
    } else if old.search_moves != new.search_moves {
        Some("search_moves")
    } else {
        None
    }
}
