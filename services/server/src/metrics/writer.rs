use std::fmt;

use prometheus_client::{
    encoding::{DescriptorEncoder, EncodeCounterValue, EncodeGaugeValue, MetricEncoder, NoLabelSet},
    metrics::MetricType,
};

use super::{names::Metric, text::TOTAL};

/// Writes metrics as the table of names describes them.
pub(super) struct Writer<'a>(DescriptorEncoder<'a>);

impl<'a> Writer<'a> {
    pub(super) fn new(encoder: DescriptorEncoder<'a>) -> Self {
        Self(encoder)
    }

    pub(super) fn counter<L: AsRef<str>, const N: usize>(
        &mut self,
        metric: &Metric,
        samples: impl IntoIterator<Item = ([L; N], impl EncodeCounterValue)>,
    ) -> fmt::Result {
        self.family(metric, MetricType::Counter, samples, |mut encoder, value| {
            encoder.encode_counter::<NoLabelSet, _, f64>(&value, None)
        })
    }

    pub(super) fn gauge<L: AsRef<str>, const N: usize>(
        &mut self,
        metric: &Metric,
        samples: impl IntoIterator<Item = ([L; N], impl EncodeGaugeValue)>,
    ) -> fmt::Result {
        self.family(metric, MetricType::Gauge, samples, |mut encoder, value| {
            encoder.encode_gauge(&value)
        })
    }

    /// The samples are the sum and the counts by upper end.
    pub(super) fn histogram<L: AsRef<str>, const N: usize>(
        &mut self,
        metric: &Metric,
        samples: impl IntoIterator<Item = ([L; N], (f64, Vec<(f64, u64)>))>,
    ) -> fmt::Result {
        self.family(
            metric,
            MetricType::Histogram,
            samples,
            |mut encoder, (sum, counts)| {
                let all = counts.iter().map(|(_, count)| count).sum();
                encoder.encode_histogram::<NoLabelSet>(sum, all, &counts, None)
            },
        )
    }

    fn family<L: AsRef<str>, V, const N: usize>(
        &mut self,
        metric: &Metric,
        kind: MetricType,
        samples: impl IntoIterator<Item = ([L; N], V)>,
        sample: impl Fn(MetricEncoder<'_>, V) -> fmt::Result,
    ) -> fmt::Result {
        debug_assert_eq!(metric.labels.len(), N, "{}", metric.name);
        let name = metric.name.strip_suffix(TOTAL).unwrap_or(metric.name);
        let mut encoder = self.0.encode_descriptor(name, metric.help, None, kind)?;
        for (values, value) in samples {
            let values = values.iter().map(AsRef::as_ref);
            let labels: Vec<(&str, &str)> = metric.labels.iter().copied().zip(values).collect();
            sample(encoder.encode_family(&labels)?, value)?;
        }
        Ok(())
    }
}
