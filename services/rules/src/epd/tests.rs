use super::*;

const KINGS: &str = "4k3/8/8/8/8/8/8/4K2R w K -";

fn parse(operations: &str) -> Result<Epd, EpdError> {
    Epd::parse(&format!("{KINGS} {operations}"), Variant::Standard)
}

#[test]
fn operations_and_their_operands() {
    let epd = parse(
        r#"bm O-O Kd2; am Ke2; dm -3; ce +12; acd 14; acn 123456; pv Rh8+ Kd7 h8h7; id "a \"b\" \\ c;d"; c0 ""; noop;"#,
    )
    .unwrap();
    assert_eq!(
        epd.best_moves()
            .unwrap()
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>(),
        ["e1h1", "e1d2"]
    );
    assert_eq!(epd.avoided_moves().unwrap().len(), 1);
    assert_eq!(epd.mate_in(), Ok(Some(-3)));
    assert_eq!(epd.centipawns(), Ok(Some(12)));
    assert_eq!(epd.depth(), Ok(Some(14)));
    assert_eq!(epd.nodes(), Ok(Some(123_456)));
    assert_eq!(epd.principal_variation().unwrap().len(), 3);
    assert_eq!(epd.id(), Some(r#"a "b" \ c;d"#));
    assert_eq!(epd.comment(0), Some(""));
    assert_eq!(epd.comment(1), None);
    assert_eq!(epd.operation("noop").unwrap().operands, []);
    assert_eq!(
        parse(&epd.to_string()[KINGS.len() + 1..]).unwrap().operations,
        epd.operations
    );
}

#[test]
fn counters() {
    let epd = parse("hmvc 7; fmvn 30; id \"x\"").unwrap();
    assert_eq!((epd.board.halfmove_clock(), epd.board.fullmove_number()), (7, 30));
    assert_eq!(epd.to_string(), format!("{KINGS} id \"x\"; hmvc 7; fmvn 30;"));
    let epd = parse("7 30 id \"x\";").unwrap();
    assert_eq!((epd.board.halfmove_clock(), epd.board.fullmove_number()), (7, 30));
    assert_eq!(parse("").unwrap().to_string(), KINGS);
    let operand = |text: &str| match parse(text) {
        Err(EpdError::Operand { opcode, value, .. }) => (opcode, value),
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(operand("hmvc 7 9;"), ("hmvc".into(), "9".into()));
    assert_eq!(operand("fmvn;"), ("fmvn".into(), String::new()));
    // One of the two counters would be lost.
    assert_eq!(operand("7 30 hmvc 8;"), ("hmvc".into(), "8".into()));
    assert_eq!(operand("7 30 fmvn 31;"), ("fmvn".into(), "31".into()));
    assert_eq!(parse("7 30 hmvc 7; fmvn 30;").unwrap().board.halfmove_clock(), 7);
}

#[test]
fn reasons() {
    assert!(matches!(
        Epd::parse("8/8 w -", Variant::Standard),
        Err(EpdError::Fields(3))
    ));
    assert!(matches!(
        Epd::parse("8/8 w - -", Variant::Standard),
        Err(EpdError::Position(_))
    ));
    assert_eq!(parse("1bm e4;").unwrap_err(), EpdError::Opcode("1bm".into()));
    assert_eq!(
        parse("id \"x; bm e4;").unwrap_err(),
        EpdError::OpenQuote { opcode: "id".into() }
    );
    assert_eq!(
        parse("id \"x\"; id \"y\";").unwrap_err(),
        EpdError::Repeated("id".into())
    );
    assert!(matches!(parse("hmvc;").unwrap_err(), EpdError::Operand { .. }));
    assert!(matches!(
        parse("bm e4;").unwrap().best_moves(),
        Err(EpdError::Move { .. })
    ));
    assert!(matches!(
        parse("dm 1 2;").unwrap().mate_in(),
        Err(EpdError::Operand { .. })
    ));
    assert!(matches!(
        parse("acd deep;").unwrap().depth(),
        Err(EpdError::Operand { .. })
    ));
}

#[test]
fn operands_are_quoted_where_they_must_be() {
    let mut epd = Epd::new(Board::startpos());
    epd.set(Operation::bare("bm", ["e4", "d4"]));
    epd.set(Operation::bare("c1", ["two words"]));
    epd.set(Operation::quoted("id", "line\nend"));
    epd.set(Operation::bare("bm", ["Nf3"]));
    let text = epd.to_string();
    assert!(
        text.ends_with(r#"- c1 "two words"; id "line end"; bm Nf3;"#),
        "{text}"
    );
    assert_eq!(Epd::parse(&text, Variant::Standard).unwrap().to_string(), text);
}
