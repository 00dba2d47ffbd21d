//! Puts answers that arrive in any order back into the order of the questions.

use std::collections::VecDeque;

/// A queue of questions sent, each waiting for its answer; it is emptied from the front only.
#[derive(Debug)]
pub(crate) struct Reorder<Q, A> {
    slots: VecDeque<(Q, Option<A>)>,
    /// Sequence number of the front slot.
    first: u64,
}

impl<Q, A> Default for Reorder<Q, A> {
    fn default() -> Self {
        Self {
            slots: VecDeque::new(),
            first: 0,
        }
    }
}

impl<Q, A> Reorder<Q, A> {
    /// How many questions have not been taken out yet.
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether every question has been taken out.
    pub(crate) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Adds a question and returns its sequence number.
    pub(crate) fn push(&mut self, question: Q) -> u64 {
        self.slots.push_back((question, None));
        self.first + self.slots.len() as u64 - 1
    }

    /// The question with this number, if it has not been taken out.
    pub(crate) fn question(&self, sequence: u64) -> Option<&Q> {
        self.slots
            .get(self.offset(sequence)?)
            .map(|(question, _)| question)
    }

    /// The question with this number, if it has not been taken out.
    pub(crate) fn question_mut(&mut self, sequence: u64) -> Option<&mut Q> {
        let offset = self.offset(sequence)?;
        self.slots.get_mut(offset).map(|(question, _)| question)
    }

    fn offset(&self, sequence: u64) -> Option<usize> {
        usize::try_from(sequence.checked_sub(self.first)?).ok()
    }

    /// Stores an answer; false if no question with this number waits for one.
    pub(crate) fn answer(&mut self, sequence: u64, answer: A) -> bool {
        let offset = self.offset(sequence);
        match offset.and_then(|offset| self.slots.get_mut(offset)) {
            Some((_, empty @ None)) => {
                *empty = Some(answer);
                true
            }
            _ => false,
        }
    }

    /// Takes the front question out if it has been answered.
    pub(crate) fn pop(&mut self) -> Option<(Q, A)> {
        match self.slots.pop_front()? {
            (question, Some(answer)) => {
                self.first += 1;
                Some((question, answer))
            }
            waiting => {
                self.slots.push_front(waiting);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_leave_in_the_order_of_the_questions() {
        let mut reorder = Reorder::default();
        for question in ["a", "b", "c"] {
            reorder.push(question);
        }
        assert!(reorder.answer(2, 30));
        assert_eq!(reorder.pop(), None);
        assert!(reorder.answer(0, 10));
        assert_eq!(reorder.pop(), Some(("a", 10)));
        assert_eq!(reorder.pop(), None);
        assert_eq!((reorder.question(1), reorder.question(0)), (Some(&"b"), None));
        assert!(reorder.answer(1, 20));
        assert_eq!(reorder.push("d"), 3);
        assert_eq!(reorder.pop(), Some(("b", 20)));
        assert_eq!(reorder.pop(), Some(("c", 30)));
        assert_eq!(reorder.len(), 1);
    }

    #[test]
    fn strange_answers_are_refused() {
        let mut reorder = Reorder::default();
        reorder.push(());
        assert!(!reorder.answer(1, 'x'));
        assert!(reorder.answer(0, 'x'));
        assert!(!reorder.answer(0, 'y'), "a second answer");
        assert_eq!(reorder.pop(), Some(((), 'x')));
        assert!(!reorder.answer(0, 'x'), "an answer to a question that is gone");
        assert!(reorder.is_empty());
    }
}
