//! Which language a caller reads.

use crate::v1::Language;

/// The language that an `accept-language` header prefers: Chinese for `zh` with any subtags, English for everything
/// else. Quality values count; among equals the first wins.
///
/// Source: RFC 9110, section 12.5.4; RFC 4647, section 3.4 (a range falls back to its primary subtag).
pub fn accept_language(header: &str) -> Language {
    let mut best: Option<(u32, Language)> = None;
    for range in header.split(',') {
        let mut parts = range.split(';').map(str::trim);
        let tag = parts.next().unwrap_or_default();
        let quality = parts
            .find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")))
            .map_or(Some(1000), permille);
        let Some(quality) = quality.filter(|&quality| quality > 0 && !tag.is_empty()) else {
            continue;
        };
        let primary = tag.split(['-', '_']).next().unwrap_or_default();
        let language = if primary.eq_ignore_ascii_case("zh") {
            Language::Zh
        } else if primary.eq_ignore_ascii_case("en") || primary == "*" {
            Language::En
        } else {
            continue;
        };
        if best.is_none_or(|(most, _)| quality > most) {
            best = Some((quality, language));
        }
    }
    best.map_or(Language::En, |(_, language)| language)
}

/// A quality value, 0 to 1 with at most three decimals, in permille; `None` for anything else.
fn permille(text: &str) -> Option<u32> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    if decimals.len() > 3 || !decimals.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let decimals: u32 = format!("{decimals:0<3}").parse().ok()?;
    match (whole, decimals) {
        ("0", decimals) => Some(decimals),
        ("1", 0) => Some(1000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chinese_is_chosen_where_it_is_preferred() {
        let zh = [
            "zh",
            "zh-CN",
            "zh-Hans",
            "ZH-hans-cn",
            "zh_CN",
            "fr, zh;q=0.2",
            "en;q=0.8, zh-CN;q=0.9",
            "zh;q=1.000,en;q=1",
            "en;q=0,zh;q=0.001",
        ];
        for header in zh {
            assert_eq!(accept_language(header), Language::Zh, "{header}");
        }
        let en = [
            "",
            "en",
            "fr",
            "en, zh",
            "zh;q=0",
            "zh;q=0.5, en-GB;q=0.7",
            "zh;q=banana",
            "zh;q=1.5",
            "zho",
            "*",
            ";;;,,,;q=",
        ];
        for header in en {
            assert_eq!(accept_language(header), Language::En, "{header}");
        }
    }
}
