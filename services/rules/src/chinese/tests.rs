use super::*;
use crate::san::SanErrorKind;

fn read(fen: &str, text: &str) -> Result<String, SanErrorKind> {
    let board = Board::from_fen(fen).unwrap();
    parse(&board, text)
        .map(|mv| mv.to_string())
        .map_err(|error| error.kind)
}

const OPEN: &str = "rn1qkbnr/Ppp1pppp/8/3pP3/8/5b2/1PPP1PPP/RNBQK2R w KQkq d6 0 5";
const KNIGHTS: &str = "4k3/8/8/8/8/8/4K3/1N3N2 w - - 0 1";

#[test]
fn written_form() {
    for (fen, uci, text) in [
        (OPEN, "e1h1", "短易位"),
        (OPEN, "e5d6", "兵吃d6吃过路兵"),
        (OPEN, "a7b8n", "兵吃b8升变马"),
        (OPEN, "d1f3", "后吃f3"),
        (OPEN, "g2f3", "兵吃f3"),
        (OPEN, "b1c3", "马c3"),
        (KNIGHTS, "b1d2", "马bd2"),
        ("4k3/8/8/3N4/8/8/8/3NK3 w - - 0 1", "d5c3", "马5c3"),
        ("8/2k5/8/8/1Q5Q/8/K7/7Q w - - 0 1", "h4e1", "后h4e1"),
        ("4k3/8/8/3p4/2P1P3/8/8/4K3 w - - 0 1", "e4d5", "兵e吃d5"),
        ("8/P1k5/K7/8/8/8/8/8 w - - 0 1", "a7a8n", "兵a8升变马将军"),
        ("7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "g6g7", "后g7将死"),
        ("r3k3/8/8/8/8/8/8/3K4 b q - 0 1", "e8a8", "长易位将军"),
    ] {
        let board = Board::from_fen(fen).unwrap();
        let mv = crate::uci::parse(&board, uci, crate::Variant::Chess960).unwrap();
        assert_eq!(write(&board, mv), text);
        assert_eq!(parse(&board, text), Ok(mv), "{text}");
    }
}

#[test]
fn read_forms() {
    for (text, uci) in [
        ("兵e5吃d6", "e5d6"),
        ("兵吃d6（吃過路兵）", "e5d6"),
        ("e5xd6 en pt", "e5d6"),
        ("ed6xe.p.", "e5d6"),
        ("Ｅ５吃Ｄ６", "e5d6"),
        ("王車短易位", "e1h1"),
        ("王翼易位", "e1h1"),
        ("Ｏ－Ｏ", "e1h1"),
        ("0-0", "e1h1"),
        ("王车易位", "e1h1"),
        ("王g1", "e1h1"),
        ("國王e1到f1", "e1f1"),
        ("王后吃f3", "d1f3"),
        ("皇后d1吃f3", "d1f3"),
        ("Qf3x", "d1f3"),
        ("dQf3x", "d1f3"),
        ("後d1×f3", "d1f3"),
        ("騎士c3", "b1c3"),
        ("馬Ｃ３", "b1c3"),
        ("b馬a3", "b1a3"),
        ("兵ｘb8升變為車", "a7b8r"),
        ("ab8x(=Q)", "a7b8q"),
        ("兵吃B8=B", "a7b8b"),
        ("兵a7B8后", "a7b8q"),
        ("a7b8象", "a7b8b"),
        ("axb8Q", "a7b8q"),
        ("兵B4", "b2b4"),
        ("b4！？", "b2b4"),
        ("兵 b2 - b4 。", "b2b4"),
        ("小兵走b3", "b2b3"),
    ] {
        assert_eq!(read(OPEN, text).as_deref(), Ok(uci), "{text}");
    }
}

#[test]
fn the_rule_texts_put_origin_in_front_and_capture_behind() {
    assert_eq!(read(KNIGHTS, "bNd2").as_deref(), Ok("b1d2"));
    assert_eq!(read(KNIGHTS, "f马d2").as_deref(), Ok("f1d2"));
    assert_eq!(
        read("8/2k5/8/8/1Q5Q/8/K7/7Q w - - 0 1", "4Qe1"),
        Err(SanErrorKind::Ambiguous)
    );
    assert_eq!(
        read("7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "Qg7#1-0").as_deref(),
        Ok("g6g7")
    );
    assert_eq!(
        read("7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "后g7將死 1-0").as_deref(),
        Ok("g6g7")
    );
}

#[test]
fn reasons() {
    for (fen, text, kind) in [
        (KNIGHTS, "马d2", SanErrorKind::Ambiguous),
        (KNIGHTS, "马d4", SanErrorKind::Illegal),
        (KNIGHTS, "马b吃d2", SanErrorKind::Illegal),
        (KNIGHTS, "b马bd2", SanErrorKind::Syntax),
        (KNIGHTS, "马", SanErrorKind::Syntax),
        (KNIGHTS, "将军", SanErrorKind::Syntax),
        (KNIGHTS, "", SanErrorKind::Syntax),
        (KNIGHTS, "--", SanErrorKind::NullMove),
        (KNIGHTS, "短易位", SanErrorKind::Illegal),
        (OPEN, "兵吃b8", SanErrorKind::MissingPromotion),
        (OPEN, "兵吃b8升变王", SanErrorKind::Illegal),
        (OPEN, "兵吃b8升变兵", SanErrorKind::Illegal),
        (OPEN, "兵b4升变后", SanErrorKind::Illegal),
        (OPEN, "兵吃f3吃过路兵", SanErrorKind::Illegal),
        (OPEN, "兵吃f3x", SanErrorKind::Syntax),
        (OPEN, "短易位c3", SanErrorKind::Syntax),
        (
            "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
            "王车易位",
            SanErrorKind::Ambiguous,
        ),
        (
            "4k3/8/8/3p4/2P1P3/8/8/4K3 w - - 0 1",
            "兵吃d5",
            SanErrorKind::Ambiguous,
        ),
        (
            "4k3/8/8/3p4/2P1P3/8/8/4K3 w - - 0 1",
            "d5x",
            SanErrorKind::Ambiguous,
        ),
    ] {
        assert_eq!(read(fen, text), Err(kind), "{text}");
    }
}
