use crate::words::Language;

/// A point where a record contradicts the rules, or itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contradiction {
    /// What kind.
    pub kind: ContradictionKind,
    /// What was recorded.
    pub recorded: String,
    /// The same in Chinese, where it is not the record's own words; else empty.
    pub recorded_zh: String,
    /// What the rules say instead, as names for machines; empty if they say nothing.
    pub ruled: String,
    /// The same in Chinese words, where it has words; else empty.
    pub ruled_zh: String,
    /// The ply that it was found at, from 1; `None` if it concerns no single one.
    pub ply: Option<usize>,
    /// Numbers of the articles; none if the record contradicts itself.
    pub articles: Vec<String>,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident: $en:literal, $zh:literal;)+) => {
        /// Kinds of contradictions.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum ContradictionKind { $($(#[$doc])* $name,)+ }

        impl ContradictionKind {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// What is wrong, in a sentence's head.
            pub fn words(self, language: Language) -> &'static str {
                match self { $(Self::$name => language.pick($en, $zh),)+ }
            }
        }
    };
}

kinds! {
    /// Another result follows from the rules.
    Result: "the recorded result is not the one that follows from the rules", "所记结果与规则得出的结果不符";
    /// Another ending comes first, or the recorded one cannot be seen in the game.
    Termination: "the recorded ending is not what ended the game", "所记终局方式并非对局的实际终局方式";
    /// Moves were recorded after the game had ended.
    MovesAfterEnd: "moves were recorded after the game had ended", "对局结束后仍记有着法";
    /// What was recorded to end the game is not allowed here.
    NotAllowed: "what is recorded to have ended the game could not end it", "所记终局方式此时不成立";
    /// Tag and marker differ.
    ResultMarker: "the result tag and the marker after the moves differ", "结果标签与着法后的结果标记不一致";
    /// A word is no legal move.
    IllegalMove: "the record has a word that is no legal move here; what follows was not read", "记录中有一着不合法，其后内容未读";
    /// More time than can be.
    ClockTooHigh: "the clock shows more time than it can have had", "棋钟所示时间多于可能的余时";
    /// Another time than was spent.
    ClockTimeSpent: "the clock fell by another time than is recorded as spent", "棋钟减少的时间与所记用时不符";
    /// A flag without a word.
    FlagShown: "a clock shows no time left, and the record names another ending; a flag counts once it is seen or claimed", "棋钟已无余时而记录为其他终局；超时须经发现或提出方有效";
    /// Text that could not be read.
    Unread: "a part of the text could not be read as it stands, and what it says may be missing", "文本有一处无法照读，其内容可能缺失";
    /// A loss on time with time left.
    FlagNotShown: "recorded as lost on time by a side that had just pressed its clock with time left", "记为超时负，而该方刚按钟且尚有余时";
}

impl Contradiction {
    /// What was recorded, in the record's own words where they tell it.
    pub fn recorded(&self, language: Language) -> &str {
        match language {
            Language::Chinese if !self.recorded_zh.is_empty() => &self.recorded_zh,
            _ => &self.recorded,
        }
    }

    /// The contradiction in one sentence, without its articles.
    pub fn sentence(&self, language: Language) -> String {
        let head = self.kind.words(language);
        let mut sentence = match self.ply {
            Some(ply) => {
                // Plies count from 1 from the start of the record, whoever moved first.
                language.pick(format!("ply {ply}: {head}"), format!("第{ply}着：{head}"))
            }
            None => head.to_owned(),
        };
        let recorded = language.pick("recorded: ", "记录：");
        let ruled = language.pick("by the rules: ", "依规则：");
        let words = match language {
            Language::Chinese if !self.ruled_zh.is_empty() => &self.ruled_zh,
            _ => &self.ruled,
        };
        for (label, text) in [(recorded, self.recorded(language)), (ruled, words)] {
            if !text.is_empty() {
                sentence.push_str(language.pick("; ", "；"));
                sentence.push_str(label);
                sentence.push_str(text);
            }
        }
        sentence
    }
}
