//! What could not be read of a game's text.

use tabiya_rules::{
    pgn::{Defect, DefectKind, ResultConflict},
    san::SanErrorKind,
};

use super::Language;

/// A defect of a game's text, with its place: a record is a single game.
pub fn defect(defect: &Defect, language: Language) -> String {
    let Defect { location, kind } = defect;
    let (line, offset) = (location.line, location.offset);
    match language {
        Language::English => format!("line {line}, byte {offset}: {kind}"),
        Language::Chinese => format!("第{line}行，第{offset}字节：{}", chinese(kind)),
    }
}

/// The sentence that the reader has in English.
fn chinese(kind: &DefectKind) -> String {
    match kind {
        DefectKind::ByteOrderMark => "文本之前有字节顺序标记".into(),
        DefectKind::BareCarriageReturn => "仅以回车符换行".into(),
        DefectKind::BlankLines => "各部分之间不是恰好一个空行".into(),
        DefectKind::MissingTag(name) => format!("缺少标签{name}"),
        DefectKind::DuplicateTag(name) => format!("标签{name:?}重复"),
        DefectKind::TagSpelling(text) => format!("标签{text:?}不是规范写法"),
        DefectKind::SetUpMismatch => "标签FEN与标签SetUp不相配".into(),
        DefectKind::StartPositionRepaired(_) => "起始局面有误，已按唯一可能的方式改正".into(),
        DefectKind::ResultTag(value) => format!("标签Result的值{value:?}不是结果"),
        DefectKind::MissingResult => "缺少结果标记".into(),
        DefectKind::ResultSpelling(text) => format!("结果标记写作{text:?}"),
        DefectKind::ResultInVariation => "变着之内有结果标记".into(),
        DefectKind::ResultConflict(conflict) => format!("结果互相矛盾：{}", chinese_conflict(*conflict)),
        DefectKind::UnknownGlyph(text) => format!("评注符号{text:?}没有含义"),
        DefectKind::MisplacedGlyph => "评注符号在着法之前".into(),
        DefectKind::MoveRemark(text) => format!("着法之后有附注{text:?}"),
        DefectKind::NullMove => "空着".into(),
        DefectKind::EmptyVariation => "变着中没有着法".into(),
        DefectKind::ReservedText => "尖括号中有保留文本".into(),
        DefectKind::BadTag(text) => format!("标签{text:?}无法读取"),
        DefectKind::BadStartPosition(_) => "标签FEN所记的起始局面不能成立".into(),
        DefectKind::UnsupportedVariant(name) => format!("不支持变体{name:?}"),
        DefectKind::BadMove { text, reason } => format!("着法{text:?}：{}", chinese_reason(*reason)),
        DefectKind::MoveAfterEnd(text) => format!("着法{text:?}在棋盘上终局之后"),
        DefectKind::UnexpectedText(text) => format!("此处不应有{text:?}"),
        DefectKind::UnexpectedCharacter(character) => format!("此处不应有字符{character:?}"),
        DefectKind::StrayBracket => "右括号没有对应的左括号".into(),
        DefectKind::UnclosedComment => "评注没有结束标记".into(),
        DefectKind::UnclosedVariation => "变着没有右括号".into(),
        DefectKind::VariationBeforeMove => "变着在首着之前".into(),
        DefectKind::NestedTooDeep => "变着嵌套过深".into(),
        DefectKind::TooLong => "评注、标签或单词过长".into(),
        DefectKind::GameTooLarge => "对局文本过长".into(),
    }
}

fn chinese_conflict(conflict: ResultConflict) -> String {
    match conflict {
        ResultConflict::MarkerTag { marker, tag } => format!("结果标记{marker}，标签{tag}"),
        ResultConflict::MarkerBoard { marker, board } => format!("结果标记{marker}，棋盘{board}"),
        ResultConflict::TagBoard { tag, board } => format!("标签{tag}，棋盘{board}"),
    }
}

fn chinese_reason(reason: SanErrorKind) -> &'static str {
    match reason {
        SanErrorKind::Syntax => "不是着法的写法",
        SanErrorKind::NullMove => "空着不是合法着法",
        SanErrorKind::Illegal => "此处不合法",
        SanErrorKind::Ambiguous => "可指多个合法着法",
        SanErrorKind::MissingPromotion => "未写明兵升变为何子",
        SanErrorKind::Notation => "易位应以字母记写",
        SanErrorKind::Overspecified => "起始格写得过多",
        SanErrorKind::CaptureMark => "吃子符号缺失或有误",
        SanErrorKind::CheckMark => "将军或将死符号缺失或有误",
    }
}
