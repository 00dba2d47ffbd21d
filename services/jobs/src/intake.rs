//! From what a caller submits to a job that can be stored: everything is checked here.

use std::time::SystemTime;

use prost::Message;
use tabiya_api::{
    MAX_POSITIONS_PER_MESSAGE,
    convert::{
        Asked, MAX_GAME_NAME_BYTES, MAX_MULTIPV, check_id, parse_backend, parse_position, search_question,
    },
    error::{ServiceError, Violations},
    v1,
};
use tabiya_rules::{
    Board, Move, Variant, fen,
    pgn::{GameTree, Games, Mode},
    uci,
};

use crate::{
    CHUNK_ITEMS, CHUNK_NODES, Item, Job, JobId, MAX_CHUNK_ITEMS, NewJob, Pins, Quotas, manifest::Manifest,
};

/// Nodes a second that the slowest machine that counts searches, with all its threads at work.
const SLOWEST_NODES_A_SECOND: u64 = 10_000;

/// The longest that a bulk item is searched, in seconds, and what everything else may take.
pub(crate) const LONGEST_ITEM: u64 = 3600;
pub(crate) const SLACK: u64 = 30;

/// A job that is being submitted, in one message or several.
pub struct Intake {
    job: Job,
    manifest: Manifest,
    /// What is asked about each item.
    ask: v1::BestMoveRequest,
    /// Whether the job comes as PGN; unknown until something came.
    from_pgn: Option<bool>,
    games: u64,
}

impl std::fmt::Debug for Intake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Intake")
            .field("job", &self.job)
            .finish_non_exhaustive()
    }
}

impl Intake {
    /// Begins with the first message: its settings, not yet its items. Answers will have to come from `pins`; whether
    /// the network asked for has that hash is for the caller to know.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for every setting that cannot be right.
    pub fn begin(head: &v1::SubmitJobRequest, pins: Pins, quotas: Quotas) -> Result<Self, ServiceError> {
        let mut violations = Violations::default();
        let job_id = if head.job_id.is_empty() {
            JobId::random().as_str().to_owned()
        } else {
            if let Err(reason) = JobId::parse(&head.job_id) {
                violations.add("job_id", &head.job_id, reason);
            }
            head.job_id.clone()
        };
        let backend = parse_backend(head.backend).unwrap_or_else(|wrong| {
            violations.append(wrong);
            v1::Backend::Auto
        });
        let bulk_mode = match v1::BulkMode::try_from(head.bulk_mode) {
            Ok(v1::BulkMode::AlongGame) => v1::BulkMode::AlongGame,
            Ok(v1::BulkMode::Independent | v1::BulkMode::Unspecified) => v1::BulkMode::Independent,
            Err(_) => {
                violations.add(
                    "bulk_mode",
                    &head.bulk_mode.to_string(),
                    "no value of the enumeration has this number",
                );
                v1::BulkMode::Independent
            }
        };
        if head.multipv > MAX_MULTIPV {
            let reason = format!("more than {MAX_MULTIPV}");
            violations.add("multipv", &head.multipv.to_string(), reason);
        }
        let ask = v1::BestMoveRequest {
            limits: head.limits,
            multipv: head.multipv.clamp(1, MAX_MULTIPV),
            backend: backend.into(),
            ..v1::BestMoveRequest::default()
        };
        // The limits are the same for all items: said once, with the start position in an item's place.
        if let Err(ServiceError::Invalid(wrong)) = search_question(&ask, Asked::WithoutDeadline, 1) {
            violations.append(wrong);
        }
        if !violations.is_empty() {
            return Err(violations.into());
        }
        let limits = head.limits.unwrap_or_default();
        let job = Job {
            job_id,
            limits: head.limits,
            multipv: ask.multipv,
            backend: backend.into(),
            asked_network: head.network.clone(),
            bulk_mode: bulk_mode.into(),
            engine_version: pins.engine,
            network_hash: pins.network,
            tables_hash: pins.tables,
            patience_seconds: patience(&limits),
            chunk_items: chunk_items(&limits),
            ..Job::default()
        };
        let settings = v1::SubmitJobRequest {
            job_id: String::new(),
            items: Vec::new(),
            pgn: String::new(),
            limits: job.limits,
            multipv: job.multipv,
            backend: job.backend,
            network: job.asked_network.clone(),
            bulk_mode: job.bulk_mode,
        };
        let along_game = bulk_mode == v1::BulkMode::AlongGame;
        Ok(Self {
            manifest: Manifest::new(quotas, job.chunk_items, along_game, &settings.encode_to_vec()),
            job,
            ask,
            from_pgn: None,
            games: 0,
        })
    }

    /// The same as this caller's.
    #[must_use]
    pub fn owned_by(mut self, owner: &str) -> Self {
        self.job.owner = owner.to_owned();
        self
    }

    /// Takes the items of a message.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for every item that cannot be right, by its place in the message; for items and PGN in one job;
    /// and where a quota is used up.
    pub fn add(&mut self, items: Vec<v1::JobItem>, pgn: &str) -> Result<(), ServiceError> {
        if !items.is_empty() && !pgn.is_empty() {
            return Err(ServiceError::invalid(
                "pgn",
                pgn,
                "only one of items and pgn can be given",
            ));
        }
        let from_pgn = !pgn.is_empty();
        if items.is_empty() && !from_pgn {
            return Ok(());
        }
        if *self.from_pgn.get_or_insert(from_pgn) != from_pgn {
            let field = if from_pgn { "pgn" } else { "items" };
            return Err(ServiceError::invalid(
                field,
                "",
                "an earlier part of the job has the other of items and pgn",
            ));
        }
        if items.len() > MAX_POSITIONS_PER_MESSAGE {
            let reason = format!(
                "more than {MAX_POSITIONS_PER_MESSAGE} in one message; UploadJob takes a job in several"
            );
            return Err(ServiceError::invalid("items", &items.len().to_string(), reason));
        }
        let mut violations = Violations::default();
        if from_pgn {
            self.add_games(pgn, &mut violations);
        } else {
            for (index, item) in items.into_iter().enumerate() {
                if let Err(wrong) = self.add_item(item) {
                    violations.append(wrong.renamed(|field| format!("items[{index}].{field}")));
                }
                if violations.others() > 0 {
                    break;
                }
            }
        }
        if violations.is_empty() {
            Ok(())
        } else {
            Err(violations.into())
        }
    }

    /// Items so far.
    pub fn items(&self) -> u32 {
        self.manifest.items
    }

    /// Memory that it takes, in bytes.
    pub fn held_bytes(&self) -> u64 {
        self.manifest.held_bytes()
    }

    /// The job, submitted at this moment.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if there is no item.
    pub fn finish(mut self, now: SystemTime) -> Result<NewJob, ServiceError> {
        if self.manifest.items == 0 {
            return Err(ServiceError::invalid(
                "items",
                "",
                "a job needs items, or a pgn with a game",
            ));
        }
        self.job.digest = self.manifest.finish();
        self.job.items = self.manifest.items;
        self.job.bytes = self.manifest.bytes();
        self.job.chunk_lens = std::mem::take(&mut self.manifest.chunk_lens);
        self.job.create_time = Some(now.into());
        Ok(NewJob {
            job: self.job,
            blocks: self.manifest.blocks.into(),
            quotas: self.manifest.quotas,
        })
    }

    fn add_item(&mut self, item: v1::JobItem) -> Result<(), Violations> {
        let v1::JobItem {
            item_id,
            position,
            game,
            search_moves,
        } = item;
        check_id(&item_id).map_err(|wrong| wrong.renamed(|_| "item_id".to_owned()))?;
        if game.len() > MAX_GAME_NAME_BYTES {
            let reason = format!("more than {MAX_GAME_NAME_BYTES} bytes");
            return Err(Violations::one("game", &game, reason));
        }
        let parsed = if search_moves.is_empty() {
            parse_position(position.as_ref(), "position")?
        } else {
            self.ask.position = position.clone();
            self.ask.search_moves = search_moves.clone();
            match search_question(&self.ask, Asked::WithoutDeadline, 1) {
                Ok(question) => question.position,
                Err(ServiceError::Invalid(wrong)) => return Err(wrong),
                Err(other) => return Err(Violations::one("position", "", other)),
            }
        };
        self.push(
            Item {
                item_id,
                position,
                game,
                fen: fen::xfen(parsed.board()),
                search_moves,
            },
            "item_id",
        )
    }

    fn add_games(&mut self, pgn: &str, violations: &mut Violations) {
        for game in Games::new(pgn.as_bytes(), Mode::Lenient) {
            self.games += 1;
            let added = match game {
                Ok(tree) => match fault(&tree) {
                    None => self.add_game(&tree),
                    Some(reason) => Err(Violations::one("pgn", "", reason)),
                },
                Err(error) => Err(Violations::one("pgn", "", error)),
            };
            if let Err(wrong) = added {
                violations.append(wrong);
            }
            if violations.others() > 0 {
                break;
            }
        }
    }

    fn add_game(&mut self, tree: &GameTree) -> Result<(), Violations> {
        let moves: Vec<Move> = tree.main_line().map(|node| tree.mv(node)).collect();
        if moves.len() > MAX_POSITIONS_PER_MESSAGE {
            let reason = format!(
                "game {} has {} moves, more than {MAX_POSITIONS_PER_MESSAGE}",
                self.games,
                moves.len()
            );
            return Err(Violations::one("pgn", "", reason));
        }
        let mut board = *tree.start();
        let start = match board.key() == Board::startpos().key() {
            true if fen::xfen(&board) == fen::xfen(&Board::startpos()) => String::new(),
            _ => fen::xfen(&board),
        };
        let variant = match tree.variant() {
            Variant::Standard => v1::Variant::Standard,
            Variant::Chess960 => v1::Variant::Chess960,
        };
        let mut position = v1::Position {
            fen: start,
            variant: variant.into(),
            ..v1::Position::default()
        };
        for ply in 0..=moves.len() {
            let item = Item {
                item_id: format!("{}.{ply}", self.games),
                position: Some(position.clone()),
                game: self.games.to_string(),
                fen: fen::xfen(&board),
                search_moves: Vec::new(),
            };
            self.push(item, "pgn")?;
            if let Some(&mv) = moves.get(ply) {
                position.moves.push(uci::write(mv, tree.variant()).to_string());
                board.play(mv);
            }
        }
        Ok(())
    }

    fn push(&mut self, item: Item, field: &str) -> Result<(), Violations> {
        let name = item.item_id.clone();
        self.manifest
            .push(item)
            .map_err(|refused| Violations::one(field, &name, refused))
    }
}

/// Why the moves played are not known to their end, or cannot have been played.
fn fault(tree: &GameTree) -> Option<String> {
    if let Some(defect) = tree.cut() {
        return Some(defect.to_string());
    }
    let ply = tree.main_line().position(|node| tree.mv(node) == Move::NULL)?;
    Some(format!("{}: null move at ply {ply}", tree.location()))
}

/// How many items make a chunk: enough that the bookkeeping does not count, few enough that little is lost with it.
fn chunk_items(limits: &v1::Limits) -> u32 {
    match CHUNK_NODES.checked_div(limits.nodes) {
        None => CHUNK_ITEMS,
        Some(items) => items.clamp(1, MAX_CHUNK_ITEMS.into()) as u32,
    }
}

/// Seconds that one item may take before its worker is thought stuck.
fn patience(limits: &v1::Limits) -> u32 {
    let nodes = (limits.nodes > 0).then_some(limits.nodes / SLOWEST_NODES_A_SECOND);
    let time = limits
        .time
        .map(|time| u64::try_from(time.seconds).unwrap_or(0) + 1);
    let longest = nodes.into_iter().chain(time).fold(LONGEST_ITEM, u64::min);
    (longest + SLACK) as u32
}

#[cfg(test)]
mod tests;
