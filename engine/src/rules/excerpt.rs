/// Returns the beginning of a text for an error message, which stays short whatever the input is.
pub(crate) fn excerpt(text: &str) -> String {
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
    fn long_texts_are_cut_at_a_character_boundary() {
        assert_eq!(excerpt("7g7f"), "7g7f");
        let long = "歩".repeat(1000);
        assert_eq!(excerpt(&long).chars().count(), 61);
    }
}
