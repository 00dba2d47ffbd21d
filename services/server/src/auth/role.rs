use std::fmt;

/// What a caller may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Single questions.
    Read,
    /// Streams of questions and durable jobs.
    Bulk,
    /// Everything.
    Admin,
}

/// The roles of a caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Roles(u8);

impl Role {
    /// Every role.
    pub const ALL: [Self; 3] = [Self::Read, Self::Bulk, Self::Admin];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Bulk => "bulk",
            Self::Admin => "admin",
        }
    }

    /// The role of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Roles {
    pub(crate) fn with(self, role: Role) -> Self {
        Self(self.0 | role.bit())
    }

    /// Whether a caller with these roles may do what takes this one.
    pub(crate) fn allow(self, role: Role) -> bool {
        self.0 & (role.bit() | Role::Admin.bit()) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn admins_may_do_everything_and_others_what_is_theirs() {
        let read = Roles::default().with(Role::Read);
        assert!(read.allow(Role::Read) && !read.allow(Role::Bulk) && !read.allow(Role::Admin));
        let admin = Roles::default().with(Role::Admin);
        assert!(Role::ALL.into_iter().all(|role| admin.allow(role)));
        assert!(Role::ALL.into_iter().all(|role| !Roles::default().allow(role)));
        assert!(
            Role::ALL
                .into_iter()
                .all(|role| Role::named(role.name()) == Some(role))
        );
    }
}
