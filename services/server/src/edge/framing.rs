/// Bytes in front of each message: a flag and the length.
pub(super) const HEADER: usize = 5;

/// Follows the messages in a request body: each is a flag, four bytes of length, and so many bytes.
#[derive(Debug, Default)]
pub(super) struct Framing {
    header: [u8; HEADER],
    /// Bytes of the header that are here.
    headed: usize,
    /// Bytes of the message that are still to come, once its header is here.
    missing: usize,
    /// Bytes of a message that is not all here, its header included.
    unfinished: usize,
    /// Messages that are all here.
    finished: u64,
}

impl Framing {
    /// Takes the next bytes of the body; the number of messages that end with them.
    pub(super) fn advance(&mut self, mut bytes: &[u8]) -> u64 {
        let before = self.finished;
        while !bytes.is_empty() {
            let taken = if self.headed < HEADER {
                let taken = bytes.len().min(HEADER - self.headed);
                self.header[self.headed..self.headed + taken].copy_from_slice(&bytes[..taken]);
                self.headed += taken;
                if self.headed == HEADER {
                    let [_, length @ ..] = self.header;
                    self.missing = u32::from_be_bytes(length) as usize;
                }
                taken
            } else {
                let taken = bytes.len().min(self.missing);
                self.missing -= taken;
                taken
            };
            self.unfinished += taken;
            bytes = &bytes[taken..];
            if self.headed == HEADER && self.missing == 0 {
                *self = Self {
                    finished: self.finished + 1,
                    ..Self::default()
                };
            }
        }
        self.finished - before
    }

    /// Bytes that are here of a message that is not all here; 0 between messages.
    pub(super) fn unfinished(&self) -> usize {
        self.unfinished
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_end_wherever_the_bytes_are_cut() {
        let mut body = vec![0, 0, 0, 0, 3, 7, 7, 7, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0];
        body.extend([7; 256]);
        let ends = [0, 8, 13, 13 + 5 + 256];
        for step in 1..=body.len() {
            let mut framing = Framing::default();
            let (mut taken, mut finished) = (0, 0);
            for bytes in body.chunks(step) {
                finished += framing.advance(bytes);
                taken += bytes.len();
                let last_end = ends.into_iter().rfind(|&end| end <= taken).unwrap_or_default();
                assert_eq!(
                    ends.into_iter().filter(|&end| end <= taken).count() as u64,
                    finished + 1
                );
                assert_eq!(
                    framing.unfinished(),
                    taken - last_end,
                    "steps of {step}, {taken} bytes"
                );
            }
        }
    }
}
