use crate::words::Language;

macro_rules! fields {
    ($($(#[$doc:meta])* $name:ident: $en:literal, $zh:literal;)+) => {
        /// What rulesets can differ on.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Field { $($(#[$doc])* $name,)+ }

        impl Field {
            /// Every field.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// Its name in a sentence.
            pub fn words(self, language: Language) -> &'static str {
                match self { $(Self::$name => language.pick($en, $zh),)+ }
            }
        }
    };
}

fields! {
    /// Whether the game is over.
    Status: "whether the game is over", "对局是否结束";
    /// The result.
    Result: "the result", "结果";
    /// What ended the game.
    Termination: "what ended the game", "终局原因";
    /// Which event ended it.
    DecisiveEvent: "which event ended the game", "由哪一事件终局";
    /// After which ply it ended.
    DecisivePly: "after which ply the game ended", "在第几着之后终局";
    /// Whether an event is accepted, and why.
    Ruling: "the ruling on an event", "对事件的裁定";
    /// What an event costs.
    Penalty: "what an event costs", "对事件的处罚";
    /// What else follows from an event.
    Effects: "what follows from an event", "事件的其他后果";
    /// Which draws may be claimed in the end.
    Claimable: "which draws may be claimed", "可提出的和棋";
    /// Which moves are due in the end.
    Obligations: "which moves are due", "必须走的着法";
    /// Which facts are missing.
    MissingFacts: "which facts are missing", "缺少的事实";
}
