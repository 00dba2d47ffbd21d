//! What will become of a task that is in the queue's stream.
//!
//! The stream alone does not tell. After the death of a server, tasks reappear in it that were acknowledged long before;
//! and a task that was delivered as often as it may be stays in it for ever. Neither is delivered to anybody again.

use async_nats::jetstream::consumer::Info;

/// What will become of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It will be delivered, sooner or later.
    Waits,
    /// A worker may hold it, or it may be lost: another look, later, tells.
    Open,
    /// It will never be delivered.
    Lost,
}

/// What the task with this sequence number has before it, seen from the consumer that would deliver it.
pub(super) fn of(sequence: u64, consumer: &Info) -> Fate {
    if sequence > consumer.delivered.stream_sequence {
        Fate::Waits
    } else if sequence <= consumer.ack_floor.stream_sequence || consumer.num_ack_pending == 0 {
        Fate::Lost
    } else {
        Fate::Open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A consumer's state as the server tells it.
    fn consumer(delivered: u64, floor: u64, leased: u64) -> Info {
        let told = serde_json::json!({
            "stream_name": "TABIYA_JOBS", "name": "bulk", "created": "2026-11-30T00:00:00Z",
            "config": { "deliver_policy": "all", "ack_policy": "explicit", "replay_policy": "instant" },
            "delivered": { "consumer_seq": delivered, "stream_seq": delivered },
            "ack_floor": { "consumer_seq": floor, "stream_seq": floor },
            "num_ack_pending": leased, "num_redelivered": 0, "num_waiting": 0, "num_pending": 0,
        });
        serde_json::from_value(told).unwrap()
    }

    #[test]
    fn only_what_will_never_be_delivered_is_lost() {
        let busy = consumer(10, 4, 2);
        assert_eq!(of(11, &busy), Fate::Waits);
        assert_eq!(of(10, &busy), Fate::Open);
        assert_eq!(of(5, &busy), Fate::Open);
        assert_eq!(of(4, &busy), Fate::Lost);
        let idle = consumer(10, 4, 0);
        assert_eq!(of(11, &idle), Fate::Waits);
        assert_eq!(of(10, &idle), Fate::Lost);
    }
}
