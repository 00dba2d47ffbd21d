//! Every tie-break with its article, its column titles and what it counts, in our own words.

use super::Edition;

/// Who can be ranked by a tie-break.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Players and teams.
    Any,
    /// Players.
    Players,
    /// Teams.
    Teams,
}

/// Which modifiers a tie-break takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cuts {
    /// None.
    None,
    /// `/C1` and `/C2`.
    Low,
    /// `/C1`, `/C2`, `/M1` and `/M2`.
    LowAndHigh,
}

/// A tie-break in the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct CodeInfo {
    /// Which one.
    pub code: Code,
    /// Its acronym.
    pub acronym: &'static str,
    /// Its article in each edition, oldest first; `None` where the edition has no such tie-break, or where we could not
    /// establish how it defined it.
    articles: [Option<&'static str>; 3],
    /// Who can be ranked by it.
    pub scope: Scope,
    /// Which cuts it takes.
    pub cuts: Cuts,
    /// Its name in English.
    pub title_en: &'static str,
    /// Its name in Chinese.
    pub title_zh: &'static str,
    /// What it counts, in English.
    pub about_en: &'static str,
    /// What it counts, in Chinese.
    pub about_zh: &'static str,
}

impl CodeInfo {
    /// The article in an edition.
    pub fn article(&self, edition: Edition) -> Option<&'static str> {
        self.articles[edition.index()]
    }
}

macro_rules! catalogue {
    ($($code:ident $acronym:literal [$($article:expr),+] $scope:ident $cuts:ident
       $en:literal $zh:literal $about_en:literal $about_zh:literal;)+) => {
        /// A tie-break.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Code {
            $(#[doc = $en] $code,)+
        }

        /// Every tie-break.
        pub const CATALOGUE: &[CodeInfo] = &[
            $(CodeInfo {
                code: Code::$code, acronym: $acronym, articles: [$($article),+],
                scope: Scope::$scope, cuts: Cuts::$cuts,
                title_en: $en, title_zh: $zh, about_en: $about_en, about_zh: $about_zh,
            },)+
        ];
    };
}

catalogue! {
    DirectEncounter "DE" [Some("13"), Some("6"), Some("6")] Any None
        "Direct encounter" "直接对局"
        "The score of the games among the tied; if all have met, or if the missing games cannot change who leads."
        "同分者之间对局的得分；须彼此全部相遇，或缺少的对局不影响领先者。";
    Wins "WIN" [None, Some("7.1"), Some("7.1")] Any None
        "Number of wins" "胜局数"
        "Rounds that brought as many points as a win, with or without play."
        "得到胜局分数的轮次，不论是否实际对弈。";
    GamesWon "WON" [None, Some("7.2"), Some("7.2")] Any None
        "Number of games won" "实胜局数"
        "Games won at the board."
        "在棋盘上取胜的局数。";
    BlackGames "BPG" [None, Some("7.3"), Some("7.3")] Players None
        "Games played with Black" "执黑局数"
        "Games played at the board with the black pieces."
        "执黑实际对弈的局数。";
    BlackWins "BWG" [None, Some("7.4"), Some("7.4")] Players None
        "Games won with Black" "执黑胜局数"
        "Games won at the board with the black pieces."
        "执黑在棋盘上取胜的局数。";
    Progressive "PS" [Some("13"), Some("7.5"), Some("7.5")] Any Low
        "Progressive scores" "累进分"
        "The sum of the scores after each round; a cut leaves out the first rounds."
        "各轮后累计得分之和；去掉时从首轮起去。";
    RoundsElected "REP" [None, Some("7.6"), Some("7.6")] Any None
        "Rounds elected to play" "愿赛轮次"
        "Rounds less half-point byes, zero-point byes and forfeit losses."
        "总轮次减去半分轮空、零分轮空和弃权负。";
    StandardPoints "STD" [None, None, Some("7.7")] Any None
        "Standard points" "标准分"
        "Rounds won against the scheduled opponent or with more than a draw's points, and half the drawn ones."
        "胜过预定对手或得分多于和棋的轮次，加上平局轮次的一半。";
    PairingNumber "TPN" [None, None, Some("7.8")] Any None
        "Tournament pairing number" "编排号"
        "The pairing number, the lower first; with /R the higher first."
        "编排号小者在前；加 /R 则大者在前。";
    Buchholz "BH" [Some("13.15"), Some("8.1"), Some("8.1")] Any LowAndHigh
        "Buchholz" "布赫霍尔茨分"
        "The sum of the opponents' scores."
        "全部对手得分之和。";
    AverageBuchholz "AOB" [None, Some("8.2"), Some("8.2")] Any None
        "Average of opponents' Buchholz" "对手布赫霍尔茨分平均"
        "The average Buchholz of the opponents met at the board; with /F their Fore Buchholz."
        "实际对弈之对手的布赫霍尔茨分平均值；加 /F 用前瞻布赫霍尔茨分。";
    ForeBuchholz "FB" [None, Some("8.3"), Some("8.3")] Any LowAndHigh
        "Fore Buchholz" "前瞻布赫霍尔茨分"
        "Buchholz as if every paired game of the last round had been drawn."
        "假定末轮已编排的对局均为和棋时的布赫霍尔茨分。";
    SonnebornBerger "SB" [Some("13.15"), Some("9.1"), Some("9.1")] Any LowAndHigh
        "Sonneborn-Berger" "索伯分"
        "For each round the opponent's score times the points scored against that opponent."
        "逐轮将对手得分乘以从该对手处所得的分，再求和。";
    Koya "KS" [Some("13"), Some("9.2"), Some("9.2")] Any None
        "Koya system" "科亚分"
        "Points scored against participants with at least half of the greatest score; /L moves the limit by half points."
        "对得分不低于最高可能分一半者所得的分；/L 以半分移动界限。";
    AverageRating "ARO" [Some("13"), Some("10.1"), Some("10.1")] Players LowAndHigh
        "Average rating of opponents" "对手平均等级分"
        "The average rating of the opponents met at the board, to the nearest whole number, a half up."
        "实际对弈之对手的平均等级分，四舍五入取整。";
    Performance "TPR" [None, Some("10.2"), Some("10.2")] Players None
        "Tournament performance rating" "比赛表现分"
        "The average rating of opponents plus the rating difference that belongs to the percentage scored at the board."
        "对手平均等级分加上实际对弈得分率对应的等级分差。";
    PerfectPerformance "PTP" [None, Some("10.3"), Some("10.3")] Players None
        "Perfect tournament performance" "完美比赛表现分"
        "The lowest rating whose expected score reaches the score; without a point, 800 less than the weakest opponent."
        "预期得分不低于实际得分的最低等级分；零分者取最弱对手减800。";
    AveragePerformance "APRO" [None, Some("10.4"), Some("10.4")] Players None
        "Average performance rating of opponents" "对手平均表现分"
        "The average tournament performance rating of the opponents met at the board, a half rounded up."
        "实际对弈之对手的比赛表现分平均值，四舍五入取整。";
    AveragePerfect "APPO" [None, Some("10.5"), Some("10.5")] Players None
        "Average perfect performance of opponents" "对手平均完美表现分"
        "The average perfect tournament performance of the opponents met at the board, a half rounded up."
        "实际对弈之对手的完美表现分平均值，四舍五入取整。";
    Rating "RTNG" [None, None, Some("10.6")] Players None
        "Rating" "等级分"
        "The rating, the higher first; with /R the lower first."
        "等级分高者在前；加 /R 则低者在前。";
    BoardCount "BC" [None, Some("12.1"), Some("12.1")] Teams None
        "Board count" "台次分"
        "Board numbers times the game points made there; the lower first, and only among equal game points."
        "台号乘以该台所得局分之和，小者在前，仅用于局分相等者。";
    TopBoards "TBR" [None, Some("12.2"), Some("12.2")] Teams None
        "Top board results" "首台成绩"
        "Game points on board 1, then on board 2, and so on."
        "先比第一台局分，再比第二台，依次类推。";
    BottomBoards "BBE" [None, Some("12.3"), Some("12.3")] Teams None
        "Bottom board elimination" "末台剔除"
        "Game points without the last board, then without the last two, and so on."
        "先去掉末台比局分，再去掉末两台，依次类推。";
    OtherScore "MPvGP" [None, Some("13.1"), Some("13.1")] Teams None
        "Match points or game points" "场分或局分"
        "The score that does not decide: game points where match points do, and the reverse."
        "不用于定名次的那种分：以场分定名次时为局分，反之为场分。";
    MatchMatch "EMMSB" [None, Some("13.2.1"), Some("13.2.1")] Teams Low
        "Sonneborn-Berger, match by match points" "团体索伯分（场×场）"
        "Each opponent's match points times the match points scored against it."
        "各对手的场分乘以从其所得的场分，再求和。";
    MatchGame "EMGSB" [None, Some("13.2.2"), Some("13.2.2")] Teams Low
        "Sonneborn-Berger, match by game points" "团体索伯分（场×局）"
        "Each opponent's match points times the game points scored against it."
        "各对手的场分乘以从其所得的局分，再求和。";
    GameMatch "EGMSB" [None, Some("13.2.3"), Some("13.2.3")] Teams Low
        "Sonneborn-Berger, game by match points" "团体索伯分（局×场）"
        "Each opponent's game points times the match points scored against it."
        "各对手的局分乘以从其所得的场分，再求和。";
    GameGame "EGGSB" [None, Some("13.2.4"), Some("13.2.4")] Teams Low
        "Sonneborn-Berger, game by game points" "团体索伯分（局×局）"
        "Each opponent's game points times the game points scored against it."
        "各对手的局分乘以从其所得的局分，再求和。";
    Extended "EDE" [None, Some("13.3"), Some("13.3")] Teams None
        "Extended direct encounter" "扩展直接对局"
        "Direct encounter in the deciding score, then in the other one."
        "先按主要分比直接对局，再按另一种分比。";
    ExtendedBoardTop "EDEBT" [None, Some("13.3.2"), Some("13.3.2")] Teams None
        "Extended direct encounter, board count, top boards" "扩展直接对局、台次分、首台"
        "Extended direct encounter; for two teams equal in both scores board count, then top boards."
        "扩展直接对局；两队场分局分均相等时，再比台次分和首台成绩。";
    ExtendedBoardBottom "EDEBB" [None, Some("13.3.2"), Some("13.3.2")] Teams None
        "Extended direct encounter, board count, bottom boards" "扩展直接对局、台次分、末台剔除"
        "Extended direct encounter; for two teams equal in both scores board count, then bottom board elimination."
        "扩展直接对局；两队场分局分均相等时，再比台次分和末台剔除。";
    ExtendedTop "EDET" [None, Some("13.3.2"), Some("13.3.2")] Teams None
        "Extended direct encounter, top boards" "扩展直接对局、首台"
        "Extended direct encounter; for two teams equal in both scores top boards."
        "扩展直接对局；两队场分局分均相等时，再比首台成绩。";
    ExtendedBottom "EDEB" [None, Some("13.3.2"), Some("13.3.2")] Teams None
        "Extended direct encounter, bottom boards" "扩展直接对局、末台剔除"
        "Extended direct encounter; for two teams equal in both scores bottom board elimination."
        "扩展直接对局；两队场分局分均相等时，再比末台剔除。";
    ScheduleStrength "SSSC" [None, Some("13.4"), Some("13.4")] Teams None
        "Scores and schedule strength" "分数与赛程强度"
        "The other score plus the Buchholz of the deciding score divided by a whole number."
        "另一种分加上主要分的布赫霍尔茨分除以规定的整数。";
    SmallScore "SMALL" [Some("preface"), Some("preface"), Some("preface")] Any None
        "Small score" "小分"
        "The points of all beaten opponents plus half the points of those drawn with (older Chinese practice, round robin)."
        "所胜对手积分之和加所和对手积分的一半（旧例，循环赛）。";
    OpponentsScore "OPP" [Some("preface"), Some("preface"), Some("preface")] Any None
        "Opponents' score" "对手分"
        "The points of all opponents (older Chinese practice, Swiss)."
        "全部对手的积分之和（旧例，积分循环制）。";
}

impl Code {
    /// Its entry in the catalogue.
    pub fn info(self) -> &'static CodeInfo {
        // The catalogue lists the codes in the order of their declaration.
        &CATALOGUE[self as usize]
    }

    /// Whether it rests on ratings, so that unrated players make it void (C.07 10).
    pub fn needs_ratings(self) -> bool {
        matches!(
            self,
            Self::AverageRating
                | Self::Performance
                | Self::PerfectPerformance
                | Self::AveragePerformance
                | Self::AveragePerfect
                | Self::Rating
        )
    }

    /// Whether it belongs to article 8, which is not for round robins.
    pub fn is_buchholz(self) -> bool {
        matches!(self, Self::Buchholz | Self::AverageBuchholz | Self::ForeBuchholz)
    }

    /// Whether it comes from the preface of the older Chinese code and not from FIDE.
    pub fn is_chinese(self) -> bool {
        matches!(self, Self::SmallScore | Self::OpponentsScore)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_is_in_order_and_speaks_both_languages() {
        for (index, info) in CATALOGUE.iter().enumerate() {
            assert_eq!(info.code as usize, index);
            assert_eq!(info.code.info().acronym, info.acronym);
            assert!(
                info.about_en.is_ascii() && info.about_en.ends_with('.'),
                "{}",
                info.acronym
            );
            assert!(
                !info.about_zh.is_ascii() && info.about_zh.ends_with('。'),
                "{}",
                info.acronym
            );
            assert!(!info.title_zh.is_ascii());
            assert!(info.article(Edition::Fide2026).is_some(), "{}", info.acronym);
        }
    }
}
