/// Identifier of the FIDE Laws of Chess in force from 1 January 2023.
pub const FIDE_2023: &str = "fide-2023";

/// An article of the laws that a decision can rest on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Article {
    /// 5.1.1.
    Checkmate,
    /// 5.2.1.
    Stalemate,
    /// 5.2.2.
    DeadPosition,
    /// 9.2.1.
    ThreefoldAnnounced,
    /// 9.2.2.
    ThreefoldAppeared,
    /// 9.3.1.
    FiftyAnnounced,
    /// 9.3.2.
    FiftyCompleted,
    /// 9.6.1.
    Fivefold,
    /// 9.6.2.
    SeventyFiveMoves,
}

impl Article {
    /// The article's number.
    pub fn number(self) -> &'static str {
        match self {
            Self::Checkmate => "5.1.1",
            Self::Stalemate => "5.2.1",
            Self::DeadPosition => "5.2.2",
            Self::ThreefoldAnnounced => "9.2.1",
            Self::ThreefoldAppeared => "9.2.2",
            Self::FiftyAnnounced => "9.3.1",
            Self::FiftyCompleted => "9.3.2",
            Self::Fivefold => "9.6.1",
            Self::SeventyFiveMoves => "9.6.2",
        }
    }

    /// What it says, in our own English words.
    pub fn text_en(self) -> &'static str {
        match self {
            Self::Checkmate => {
                "Mating the opponent's king wins. The game ends with the mating move, if that move was legal."
            }
            Self::Stalemate => {
                "A player on move who has no legal move and is not in check is stalemated. The game ends drawn \
                 with the stalemating move, if that move was legal."
            }
            Self::DeadPosition => {
                "When no series of legal moves leads to mate of either king, the position is dead. The game ends \
                 drawn with the move that brought it about, if that move was legal."
            }
            Self::ThreefoldAnnounced => {
                "The player on move may claim a draw by writing down, without playing it, a move after which the \
                 same position stands for at least the third time."
            }
            Self::ThreefoldAppeared => {
                "The player on move may claim a draw when the position on the board stands there for at least the \
                 third time."
            }
            Self::FiftyAnnounced => {
                "The player on move may claim a draw by writing down, without playing it, a move that completes 50 \
                 moves by each side without a pawn move and without a capture."
            }
            Self::FiftyCompleted => {
                "The player on move may claim a draw when each side has made its last 50 moves without a pawn move \
                 and without a capture."
            }
            Self::Fivefold => {
                "The game is drawn, without a claim, when the same position stands for the fifth time."
            }
            Self::SeventyFiveMoves => {
                "The game is drawn, without a claim, when each side has made 75 moves in a row without a pawn move \
                 and without a capture. If the last of these moves mates, the mate counts."
            }
        }
    }

    /// What it says, in our own Chinese words.
    pub fn text_zh(self) -> &'static str {
        match self {
            Self::Checkmate => "将死对方的王即获胜；只要该着合法，对局随之结束。",
            Self::Stalemate => {
                "轮走一方无合法着法且未被将军，为逼和；只要造成逼和的着法合法，对局即以和棋结束。"
            }
            Self::DeadPosition => {
                "无论如何合法行棋都不可能将死任何一方的王，为死局；只要造成死局的着法合法，对局即以和棋结束。"
            }
            Self::ThreefoldAnnounced => {
                "轮走一方可以写下一步将使同一局面至少第三次出现的着法，不在棋盘上走出，据此提出和棋。"
            }
            Self::ThreefoldAppeared => "棋盘上的局面至少第三次出现时，轮走一方可以提出和棋。",
            Self::FiftyAnnounced => {
                "轮走一方可以写下一步使双方各满五十回合未动兵且未吃子的着法，不在棋盘上走出，据此提出和棋。"
            }
            Self::FiftyCompleted => "双方最近各五十回合未动兵且未吃子时，轮走一方可以提出和棋。",
            Self::Fivefold => "同一局面第五次出现时，无须提出即为和棋。",
            Self::SeventyFiveMoves => {
                "双方连续各走七十五回合未动兵且未吃子时，无须提出即为和棋；若最后一着形成将死，以将死为准。"
            }
        }
    }
}
