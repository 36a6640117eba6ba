//! Recipes: `FILE.recipe` states everything that FILE was made from. Lines that begin with `#` are
//! comments, such as names of files, since only the contents of files matter.

/// Returns true if two recipes differ at most in their comments.
pub(crate) fn are_same(one: &str, other: &str) -> bool {
    significant_lines(one).eq(significant_lines(other))
}

fn significant_lines(recipe: &str) -> impl Iterator<Item = &str> {
    recipe.lines().filter(|line| !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_make_no_difference() {
        let recipe = "seed 1\n# data games.psv\ndata 0123\n";
        assert!(are_same(recipe, "# of yesterday\nseed 1\ndata 0123\n"));
        assert!(!are_same(recipe, "seed 2\n# data games.psv\ndata 0123\n"));
        assert!(!are_same(recipe, "seed 1\n"));
    }
}
