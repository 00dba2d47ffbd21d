//! Every record of the best-move and mate suites: read, operands understood, written back.

mod cases;

use cases::folder;
use tabiya_rules::epd::Epd;
use tabiya_rules::{Variant, san};

#[test]
fn epd_suites() {
    let Some(folder) = folder("epd_suites") else {
        return;
    };
    let mut records = 0;
    for entry in std::fs::read_dir(folder.join("epd")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "epd") {
            continue;
        }
        for line in std::fs::read_to_string(&path).unwrap().lines() {
            let epd = Epd::parse(line, Variant::Standard)
                .unwrap_or_else(|error| panic!("{}: {line}: {error}", path.display()));
            records += 1;
            assert!(epd.id().is_some(), "{line}");
            // The suites write their moves as strict SAN, and every record asks for something.
            let best = epd.best_moves().unwrap();
            let avoided = epd.avoided_moves().unwrap();
            assert!(
                !best.is_empty() || !avoided.is_empty() || epd.mate_in().unwrap().is_some(),
                "{line}"
            );
            for (opcode, moves) in [("bm", &best), ("am", &avoided)] {
                let written = epd
                    .operation(opcode)
                    .map_or(&[][..], |operation| &operation.operands);
                assert_eq!(written.len(), moves.len());
                for (operand, &mv) in written.iter().zip(moves) {
                    assert_eq!(operand.text(), &*san::write(&epd.board, mv), "{line}");
                }
            }
            if epd.operation("pv").is_some() {
                assert!(!epd.principal_variation().unwrap().is_empty(), "{line}");
            }
            let again = Epd::parse(&epd.to_string(), Variant::Standard).unwrap();
            assert_eq!(again.board, epd.board);
            assert_eq!(again.operations, epd.operations);
        }
    }
    assert_eq!(records, 4_342);
}
