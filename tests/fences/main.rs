//! The rules of ARCHITECTURE.md that can be read from the sources: the direction of dependencies, what
//! the coordinator may know, the one place of conversions, circles of imports, names of types, sizes,
//! comments, licences, unsafe code and the compiler.

mod circles;
mod comments;
mod conversions;
mod coordinator;
mod dependencies;
mod licences;
mod modules;
mod names;
mod sizes;
mod syntax;
mod toolchain;
mod unsafe_code;
mod workspace;
