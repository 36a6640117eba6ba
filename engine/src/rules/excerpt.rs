/// The beginning of a text that an error quotes: input may be of any length, an error is one line.
pub(super) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(excerpt("7g7f"), "7g7f");
        let long = "歩".repeat(1000);
        assert_eq!(excerpt(&long).chars().count(), 61);
    }
}
