//! Loads the opening book of a single player in the background: a large one takes seconds, and a GUI waits
//! for no answer so long.

use monju_engine::book::Book;
use monju_host::load_book;
use std::{future::pending, path::PathBuf, sync::Arc};
use tokio::{sync::watch, task};

/// The state of a book.
#[derive(Clone, Debug, Default)]
enum BookState {
    /// The file is being read.
    Loading,
    /// No book was asked for.
    #[default]
    None,
    /// The book.
    Loaded(Arc<Book>),
    /// The reason why there is none.
    Failed(String),
}

/// The book of a player.
#[derive(Debug)]
pub struct BookLoader {
    path: Option<PathBuf>,
    state: watch::Receiver<BookState>,
}

impl BookLoader {
    /// Begins without a book.
    pub fn new() -> Self {
        let (_, state) = watch::channel(BookState::None);
        Self { path: None, state }
    }

    /// Begins to load a book, unless it was asked for before, even in vain: the clock of a move may be running.
    pub fn load(&mut self, path: Option<PathBuf>) {
        if self.path != path {
            self.path = path;
            self.start();
        }
    }

    /// Begins to load a book, also one that has failed before. One that is there is read again if its file has
    /// changed.
    pub fn load_anew(&mut self, path: Option<PathBuf>) {
        if self.path != path || self.is_settled() {
            self.path = path;
            self.start();
        }
    }

    fn start(&mut self) {
        let (sender, state) = watch::channel(match self.path {
            Some(_) => BookState::Loading,
            None => BookState::None,
        });
        self.state = state;
        if let Some(path) = self.path.clone() {
            task::spawn_blocking(move || {
                sender.send_replace(match load_book(&path) {
                    Ok(book) => BookState::Loaded(book),
                    Err(error) => BookState::Failed(error.to_string()),
                });
            });
        }
    }

    /// Returns true unless a book is being loaded.
    pub fn is_settled(&self) -> bool {
        !matches!(*self.state.borrow(), BookState::Loading)
    }

    /// Waits until the book that is being loaded is there; returns at once if it has come since the last call.
    pub async fn changed(&mut self) {
        if self.state.changed().await.is_err() {
            pending().await
        }
    }

    /// Returns the reason why there is no book.
    pub fn failure(&self) -> Option<String> {
        match &*self.state.borrow() {
            BookState::Failed(reason) => Some(reason.clone()),
            _ => None,
        }
    }

    /// Returns the book, if it is there.
    pub fn book(&self) -> Option<Arc<Book>> {
        match &*self.state.borrow() {
            BookState::Loaded(book) => Some(Arc::clone(book)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::{task::yield_now, time::timeout};

    /// It came between two looks, and `readyok` was never said.
    #[tokio::test]
    async fn a_book_that_was_there_before_anybody_waited_is_told() {
        let mut loader = BookLoader::new();
        for path in ["no such book", "another"] {
            loader.load(Some(PathBuf::from(path)));
            while !loader.is_settled() {
                yield_now().await;
            }
            let told = timeout(Duration::from_secs(60), loader.changed());
            assert!(told.await.is_ok(), "{path}");
        }
    }
}
