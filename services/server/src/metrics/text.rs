//! The page in the two formats that scrapers ask for.

use prometheus_client::{encoding::text, registry::Registry};

use super::names::{ALL, Kind};

/// A page and what it is.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) content_type: &'static str,
    pub(crate) body: String,
}

/// Writes the registry as OpenMetrics if that is accepted, as Prometheus's older text otherwise.
///
/// # Errors
/// If a collector fails.
pub(super) fn write(registry: &Registry, accept: &str) -> Result<Text, std::fmt::Error> {
    let mut body = String::new();
    text::encode(&mut body, registry)?;
    if accept.contains("application/openmetrics-text") {
        let content_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
        return Ok(Text { content_type, body });
    }
    let content_type = "text/plain; version=0.0.4; charset=utf-8";
    Ok(Text {
        content_type,
        body: older(&body),
    })
}

/// OpenMetrics in the older format: counters are described by their whole name, and no mark ends the page.
fn older(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines().filter(|line| *line != "# EOF") {
        let described = line
            .strip_prefix("# HELP ")
            .or_else(|| line.strip_prefix("# TYPE "));
        match described.and_then(|rest| rest.split_once(' ')) {
            Some((family, rest)) if is_counter(family) => {
                let keyword = &line[..7];
                out.extend([keyword, family, TOTAL, " ", rest]);
            }
            _ => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

/// What the names of counters end in; OpenMetrics describes them without it.
pub(super) const TOTAL: &str = "_total";

fn is_counter(family: &str) -> bool {
    ALL.iter()
        .any(|metric| metric.kind == Kind::Counter && metric.name.strip_suffix(TOTAL) == Some(family))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_named_in_full_in_the_older_text() {
        let open = "# HELP tabiya_requests Calls.\n# TYPE tabiya_requests counter\n\
                    tabiya_requests_total{code=\"OK\"} 3\n# TYPE process_threads gauge\nprocess_threads 7\n# EOF\n";
        let older_text = "# HELP tabiya_requests_total Calls.\n# TYPE tabiya_requests_total counter\n\
                          tabiya_requests_total{code=\"OK\"} 3\n# TYPE process_threads gauge\nprocess_threads 7\n";
        assert_eq!(older(open), older_text);
    }
}
