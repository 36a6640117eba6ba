//! The numbered migrations, compiled in.

/// The migrations of one kind of database, in order.
#[derive(Clone, Copy, Debug)]
pub(super) struct MigrationList(pub &'static [(&'static str, &'static str)]);

impl MigrationList {
    /// The version of the tables that they make.
    pub const fn newest(self) -> i64 {
        self.0.len() as i64
    }
}

/// Migrations of SQLite.
pub(super) const SQLITE: MigrationList = MigrationList(&[
    (
        "experiments",
        include_str!("../../../migrations/sqlite/1_experiments.sql"),
    ),
    (
        "next pair",
        include_str!("../../../migrations/sqlite/2_next_pair.sql"),
    ),
    (
        "origin of games",
        include_str!("../../../migrations/sqlite/3_origin.sql"),
    ),
    (
        "occasion of games",
        include_str!("../../../migrations/sqlite/4_occasion.sql"),
    ),
    (
        "settings and builds of cells",
        include_str!("../../../migrations/sqlite/5_cells.sql"),
    ),
    (
        "plans, and sources of games",
        include_str!("../../../migrations/sqlite/6_plans.sql"),
    ),
    (
        "counts of pairs",
        include_str!("../../../migrations/sqlite/7_counts.sql"),
    ),
    (
        "stalls of the machine",
        include_str!("../../../migrations/sqlite/8_stalls.sql"),
    ),
    (
        "games elsewhere",
        include_str!("../../../migrations/sqlite/9_elsewhere.sql"),
    ),
]);

/// Migrations of PostgreSQL.
pub(super) const POSTGRES: MigrationList = MigrationList(&[
    (
        "experiments",
        include_str!("../../../migrations/postgres/1_experiments.sql"),
    ),
    (
        "next pair",
        include_str!("../../../migrations/postgres/2_next_pair.sql"),
    ),
    (
        "origin of games",
        include_str!("../../../migrations/postgres/3_origin.sql"),
    ),
    (
        "occasion of games",
        include_str!("../../../migrations/postgres/4_occasion.sql"),
    ),
    (
        "settings and builds of cells",
        include_str!("../../../migrations/postgres/5_cells.sql"),
    ),
    (
        "plans, and sources of games",
        include_str!("../../../migrations/postgres/6_plans.sql"),
    ),
    (
        "counts of pairs",
        include_str!("../../../migrations/postgres/7_counts.sql"),
    ),
    (
        "stalls of the machine",
        include_str!("../../../migrations/postgres/8_stalls.sql"),
    ),
    (
        "games elsewhere",
        include_str!("../../../migrations/postgres/9_elsewhere.sql"),
    ),
]);
