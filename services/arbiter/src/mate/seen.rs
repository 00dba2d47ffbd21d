use tabiya_rules::Board;

/// Slots at the start of a proof; a power of two.
const SLOTS: usize = 1 << 10;

/// Which positions have been met: an open-addressed table of numbers, compared by whole boards.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    /// A position's number plus one; 0 is free.
    slots: Vec<u32>,
    used: usize,
}

impl Seen {
    pub(super) fn clear(&mut self) {
        self.slots.truncate(SLOTS);
        self.slots.fill(0);
        self.slots.resize(SLOTS, 0);
        self.used = 0;
    }

    /// Notes a board under a number, unless it has been met. `board_of` gives the board of a number.
    pub(super) fn insert<'a>(
        &mut self,
        board: &Board,
        number: u32,
        board_of: impl Fn(u32) -> &'a Board,
    ) -> bool {
        if self.used * 2 >= self.slots.len() {
            self.double(&board_of);
        }
        let mask = self.slots.len() - 1;
        let mut slot = board.key() as usize & mask;
        while let Some(other) = self.slots[slot].checked_sub(1) {
            if board_of(other) == board {
                return false;
            }
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = number + 1;
        self.used += 1;
        true
    }

    fn double<'a>(&mut self, board_of: &impl Fn(u32) -> &'a Board) {
        let size = self.slots.len() * 2;
        let old = std::mem::replace(&mut self.slots, vec![0; size]);
        for number in old.into_iter().filter_map(|entry| entry.checked_sub(1)) {
            let mut slot = board_of(number).key() as usize & (size - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = number + 1;
        }
    }
}
