//! From the command line to a finished report.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use futures_util::{FutureExt, StreamExt, future::BoxFuture, stream::BoxStream};
use tabiya_client::{
    Client, ClientError,
    v1::{
        AdjudicateResponse, BatchAdjudicateResponse, CompareRulingsResponse, Contradiction,
        ContradictionKind, GameStatus, ListRulesetsRequest, batch_adjudicate_response,
    },
};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use super::{
    Adjudicate, Format,
    compare::compare,
    games::{self, Found},
    item::Item,
    options::{self, Options},
    output::Output,
    report::{self, Titles},
    row::{self, Answer},
};
use crate::{
    failure::{Failure, Outcome, Refusal},
    input::{STDIN, check_readable},
    same_file::same_file,
    session::interrupt,
};

/// Games read ahead.
const GAMES_AHEAD: usize = 4;
/// Comparisons asked for at once.
const COMPARISONS: usize = 8;
/// The `google.rpc.Code` of what the caller got wrong.
const INVALID_ARGUMENT: i32 = 3;
/// `google.rpc.Code`s of a call whose fault is its own: others may succeed.
const OWN_FAULTS: [i32; 8] = [2, 3, 5, 8, 9, 11, 12, 13];

/// What the service said about a game.
enum Said {
    One(Box<AdjudicateResponse>),
    Several(Box<CompareRulingsResponse>),
}

/// A game with its answer, in order.
type Answered = Result<(Box<Item>, Result<Said, Refusal>), Failure>;

pub(super) fn run(args: &Adjudicate) -> Result<Outcome, Failure> {
    let output_path = args.output.clone().filter(|path| path.as_os_str() != STDIN);
    check(args, output_path.as_deref())?;
    check_readable(&args.files)?;
    let options = Options {
        ruleset: args.ruleset.clone(),
        toml: args.ruleset_file.as_deref().map(Options::read_toml).transpose()?,
        compare: args.compare.clone(),
        overrides: Options::overrides(&args.set),
        lang: args.lang,
    };
    let session = args.server.open()?;
    let titles = session.run(titles(session.client(), &options, args.ruleset_file.as_deref()))?;
    let output = Output::open(output_path.as_deref())?;

    let (sender, items) = mpsc::channel(GAMES_AHEAD);
    let reader = std::thread::spawn({
        let (files, options) = (args.files.clone(), options.clone());
        move || read(&files, &options, &sender)
    });
    let mut printer = Printer {
        titles,
        format: args.format,
        output,
        text: Vec::new(),
        tally: Tally::default(),
    };
    let result = session.run(async {
        let answers = ask(session.client(), &options, usize::from(args.concurrency), items);
        tokio::select! {
            result = printer.print(answers) => result,
            () = interrupt() => Err(Failure::Interrupted(String::new())),
        }
    });
    // After an early end the reader finds its channel closed, or waits for standard input: then it is left alone.
    result?;
    let left_out = reader
        .join()
        .unwrap_or_else(|_| Err(Failure::BrokenOff("the reader failed".to_owned())))?;
    let failed = printer.tally.failed + left_out;
    if !args.quiet {
        eprintln!("{}", printer.tally.line(left_out));
    }
    Ok(Outcome::of_failures(failed))
}

/// Refuses arguments that do not go together.
fn check(args: &Adjudicate, output: Option<&Path>) -> Result<(), Failure> {
    let reads_stdin = args.files.iter().filter(|file| file.as_os_str() == STDIN).count();
    if reads_stdin > 1 {
        return Err(Failure::Usage("standard input can be read only once".to_owned()));
    }
    if args.compare.len() == 1 {
        let reason =
            "--compare: one ruleset has nothing to be compared with; give two or more, with commas between";
        return Err(Failure::Usage(reason.to_owned()));
    }
    if let Some(name) = options::set_twice(&args.set) {
        return Err(Failure::Usage(format!("--set {name}: the switch is set twice")));
    }
    let is_written = |file: &&PathBuf| output.is_some_and(|output| same_file(file, output));
    let read = args.files.iter().chain(&args.ruleset_file);
    match read.clone().find(is_written) {
        Some(file) => Err(Failure::Usage(format!(
            "{}: cannot be both read and written",
            file.display()
        ))),
        None => Ok(()),
    }
}

/// Sees whether rulesets and switches are right, and learns the titles of rulesets.
async fn titles(client: &Client, options: &Options, toml: Option<&Path>) -> Result<Titles, Failure> {
    let mut titles = Titles::default();
    let known = client.list_rulesets(ListRulesetsRequest {}).await?;
    known.rulesets.into_iter().for_each(|summary| titles.add(summary));
    for check in options.checks() {
        let from_file = !check.ruleset_toml.is_empty();
        let answer = client.get_ruleset(check).await.map_err(|error| match toml {
            Some(path) if from_file => Failure::input(&path.display().to_string(), error),
            _ if error.code().map(i32::from) == Some(INVALID_ARGUMENT) => {
                Failure::Usage(options.in_flags(&error.to_string()))
            }
            _ => Failure::from(error),
        })?;
        if let Some(summary) = answer.summary {
            titles.add(summary);
        }
    }
    Ok(titles)
}

/// Reads games, names those that cannot be used, and gives back their number.
fn read(files: &[PathBuf], options: &Options, items: &mpsc::Sender<Box<Item>>) -> Result<u64, Failure> {
    let mut left_out = 0;
    games::read(files, &mut |found| {
        let item = match found {
            Found::Game(item) => item.with(options),
            Found::Broken(reason) => Err(reason),
        };
        match item {
            Ok(item) => items.blocking_send(Box::new(item)).is_ok(),
            Err(reason) => {
                left_out += 1;
                eprintln!("{reason}");
                !items.is_closed()
            }
        }
    })?;
    Ok(left_out)
}

/// Sends games, a bounded number at a time, and gives their answers in order.
fn ask(
    client: &Client,
    options: &Options,
    in_flight: usize,
    items: mpsc::Receiver<Box<Item>>,
) -> BoxStream<'static, Answered> {
    let items = ReceiverStream::new(items);
    let client = client.clone();
    if !options.compare.is_empty() {
        let rulesets: Arc<[String]> = options.compare.clone().into();
        let one = move |item: Box<Item>| -> BoxFuture<'static, Answered> {
            let (client, rulesets) = (client.clone(), Arc::clone(&rulesets));
            Box::pin(async move {
                let said = compare(&client, &rulesets, &item.request).await;
                let said = said.map(|response| Said::Several(Box::new(response)));
                Ok((item, own_fault(said)?))
            })
        };
        return items.map(one).buffered(COMPARISONS.min(in_flight)).boxed();
    }
    // Answers keep the order, so the games waiting for theirs form a queue, no longer than what is in flight.
    let (sent, mut waiting) = mpsc::unbounded_channel();
    let requests = items.map(move |item: Box<Item>| {
        let request = item.request.clone();
        // Nobody listens any more if the run has ended.
        let _ = sent.send(item);
        request
    });
    let answers = client.adjudicate_many(requests, in_flight);
    answers
        .map(move |answer| {
            let answer = answer.map_err(|error| Failure::BrokenOff(error.to_string()))?;
            match waiting.try_recv() {
                Ok(item) => Ok((item, said(answer))),
                Err(_) => Err(Failure::BrokenOff(
                    "the server answered a game that was not asked".to_owned(),
                )),
            }
        })
        .boxed()
}

fn said(answer: BatchAdjudicateResponse) -> Result<Said, Refusal> {
    match answer.outcome {
        Some(batch_adjudicate_response::Outcome::Response(response)) => Ok(Said::One(Box::new(response))),
        Some(batch_adjudicate_response::Outcome::Error(error)) => Err(Refusal::from(error)),
        None => Err(Refusal::without_content()),
    }
}

/// Whether what was taken for a game in PGN is none: a text without tags that begins with no legal move.
fn is_no_game(item: &Item, response: &AdjudicateResponse) -> bool {
    let is_illegal = |one: &Contradiction| one.kind() == ContradictionKind::IllegalMove;
    item.tags.is_empty()
        && response
            .recorded
            .as_ref()
            .is_some_and(|recorded| recorded.plies == 0)
        && response.contradictions.iter().any(is_illegal)
}

/// Tells a call that failed by its own fault from a connection that is of no use.
fn own_fault<T>(result: Result<T, ClientError>) -> Result<Result<T, Refusal>, Failure> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(error) => match error.code().map(i32::from) {
            Some(code) if OWN_FAULTS.contains(&code) => Ok(Err(Refusal::of_call(code, &error))),
            _ => Err(Failure::BrokenOff(error.to_string())),
        },
    }
}

/// What was done.
#[derive(Debug, Default)]
struct Tally {
    games: u64,
    decided: u64,
    contradicted: u64,
    differing: u64,
    failed: u64,
}

impl Tally {
    fn count(&mut self, answer: Answer<'_>) {
        self.games += 1;
        match answer {
            Answer::One(response) => {
                self.decided += u64::from(response.status() == GameStatus::Decided);
                self.contradicted += u64::from(!response.contradictions.is_empty());
            }
            Answer::Several(comparison) => {
                self.differing += u64::from(!comparison.differences.is_empty());
            }
        }
    }

    fn line(&self, left_out: u64) -> String {
        let mut text = format!("{} games ruled on", self.games);
        for (count, what) in [
            (self.decided, "decided"),
            (self.contradicted, "with a record that contradicts the rules"),
            (self.differing, "on which rulesets differ"),
            (self.failed, "failed"),
            (left_out, "left out"),
        ] {
            if count > 0 {
                text += &format!(", {count} {what}");
            }
        }
        text
    }
}

/// Writes answers as they come.
struct Printer {
    titles: Titles,
    format: Format,
    output: Output,
    text: Vec<u8>,
    tally: Tally,
}

impl Printer {
    async fn print(&mut self, mut answers: BoxStream<'static, Answered>) -> Result<(), Failure> {
        loop {
            // What is written is flushed before waiting, so that a reader sees every answer that there is.
            let next = match answers.next().now_or_never() {
                Some(next) => next,
                None => {
                    self.output.flush()?;
                    answers.next().await
                }
            };
            let Some(answered) = next else { break };
            let (item, said) = answered?;
            self.take(&item, said)?;
        }
        self.output.flush()
    }

    fn take(&mut self, item: &Item, said: Result<Said, Refusal>) -> Result<(), Failure> {
        let said = match said {
            Ok(said) => said,
            Err(refusal) => {
                self.tally.failed += 1;
                eprintln!("{}: {refusal}", item.place);
                return Ok(());
            }
        };
        if let Said::One(response) = &said
            && is_no_game(item, response)
        {
            self.tally.failed += 1;
            eprintln!(
                "{}: neither tags nor legal moves; is this a game in PGN?",
                item.place
            );
            return Ok(());
        }
        let answer = match &said {
            Said::One(response) => Answer::One(response),
            Said::Several(comparison) => Answer::Several(comparison),
        };
        self.tally.count(answer);
        self.text.clear();
        match self.format {
            Format::Text => report::write(&self.titles, item, answer, &mut self.text),
            Format::Jsonl => row::write(item, answer, &mut self.text)?,
        }
        self.output.write(&self.text)
    }
}
