use std::cell::RefCell;

type Chore = Box<dyn FnOnce()>;

thread_local! {
    /// What this thread does after its present work, if it is one of a pool's.
    static CHORES: RefCell<Option<Vec<Chore>>> = const { RefCell::new(None) };
}

/// Does something after the result of the present work has been sent. On a thread that is none of a pool's it is done
/// at once.
pub(crate) fn after(chore: impl FnOnce() + 'static) {
    let now = CHORES.with_borrow_mut(|chores| match chores {
        Some(chores) => {
            chores.push(Box::new(chore));
            None
        }
        None => Some(chore),
    });
    if let Some(chore) = now {
        chore();
    }
}

/// Does work, and then what it left for afterwards.
pub(super) fn with_chores(work: impl FnOnce()) {
    CHORES.set(Some(Vec::new()));
    work();
    for chore in CHORES.take().into_iter().flatten() {
        chore();
    }
}
