//! Recipes: what stands in `FILE.recipe` says what FILE was made of. Lines that begin with `#` are for
//! people alone, such as the names of files: files are the same when their contents are.

/// Whether two recipes make the same.
pub fn are_same(one: &str, other: &str) -> bool {
    binding(one).eq(binding(other))
}

fn binding(recipe: &str) -> impl Iterator<Item = &str> {
    recipe.lines().filter(|line| !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_for_people_makes_no_difference() {
        let recipe = "seed 1\n# data games.psv\ndata 0123\n";
        assert!(are_same(recipe, "# of yesterday\nseed 1\ndata 0123\n"));
        assert!(!are_same(recipe, "seed 2\n# data games.psv\ndata 0123\n"));
        assert!(!are_same(recipe, "seed 1\n"));
    }
}
