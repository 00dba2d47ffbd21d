//! `tabiya token`: secrets for callers.

use std::io::Write;

use clap::{Args, Subcommand, builder::PossibleValue};
use tabiya_server::auth::{Role, Token};

use crate::failure::{Failure, Outcome};

const EXAMPLE: &str = "\
Example:
  tabiya token new broadcast --role read --role bulk";

const NEW_EXAMPLE: &str = "\
Example:
  tabiya token new broadcast --role read --positions-per-second 500 --streams 4

The first line is the token: hand it to the caller, who sends it as `authorization: Bearer …`; it is stored nowhere and
cannot be shown again. What follows goes into the file that `tabiya serve --tokens FILE` reads; it has a hash alone.";

/// Make tokens for callers.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Tokens {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    New(New),
}

/// Print a new token once, and the entry that lets its caller in.
#[derive(Args, Debug)]
#[command(after_help = NEW_EXAMPLE)]
struct New {
    /// Name of the caller in logs
    #[arg(value_name = "NAME", value_parser = name)]
    name: String,
    /// What the caller may do: single questions, streams and jobs, everything; can be given several times
    #[arg(long, value_name = "ROLE", required = true, value_parser = RoleParser)]
    role: Vec<Role>,
    /// Positions a second that the caller may ask about
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    positions_per_second: Option<u32>,
    /// Positions of the caller that may be worked on at once
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    positions_in_flight: Option<u32>,
    /// Streams that the caller may have open
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    streams: Option<u32>,
}

/// Roles by their names.
#[derive(Clone)]
struct RoleParser;

impl clap::builder::TypedValueParser for RoleParser {
    type Value = Role;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<Role, clap::Error> {
        let names = Role::ALL.map(Role::name);
        let name = clap::builder::PossibleValuesParser::new(names).parse_ref(command, arg, value)?;
        // The parser lets nothing else through.
        Ok(Role::named(&name).unwrap_or(Role::Read))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(
            Role::ALL.map(|role| PossibleValue::new(role.name())).into_iter(),
        ))
    }
}

fn name(text: &str) -> Result<String, String> {
    let is_plain = text
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\');
    if text.is_empty() || text.len() > 64 || !is_plain {
        return Err("1 to 64 letters, digits and signs are expected".to_owned());
    }
    Ok(text.to_owned())
}

impl Tokens {
    pub(crate) fn run(self) -> Result<Outcome, Failure> {
        let Action::New(new) = self.action;
        let token = Token::generate().map_err(|error| Failure::Usage(format!("no randomness: {error}")))?;
        let text = format!("{}\n\n{}", token.expose(), new.entry(&token));
        let mut stdout = std::io::stdout();
        let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
        written.map(|()| Outcome::Done).map_err(Failure::stdout)
    }
}

impl New {
    /// What goes into the file.
    fn entry(&self, token: &Token) -> String {
        let roles: Vec<_> = self.role.iter().map(|role| format!("\"{role}\"")).collect();
        let quotas = [
            ("positions_per_second", self.positions_per_second),
            ("positions_in_flight", self.positions_in_flight),
            ("streams", self.streams),
        ];
        let quotas = quotas
            .into_iter()
            .filter_map(|(key, limit)| Some(format!("{key} = {}\n", limit?)));
        format!(
            "[[token]]\nname = \"{}\"\nsha256 = \"{}\"\nroles = [{}]\n{}",
            self.name,
            token.hash(),
            roles.join(", "),
            quotas.collect::<String>()
        )
    }
}
