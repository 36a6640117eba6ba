//! A connection of which somebody watches every read and write, and may end it.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Watches a connection. An error ends it.
pub trait Watcher: Unpin {
    /// Is asked before every read and write.
    ///
    /// # Errors
    /// The connection has to end.
    fn before(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Tells when the next read may be.
    fn poll_read_turn(&mut self, _context: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }

    /// Hears of every attempt to read, and how many bytes came of it.
    ///
    /// # Errors
    /// The connection has to end.
    fn after_read(&mut self, _context: &mut Context<'_>, _bytes: usize) -> io::Result<()> {
        Ok(())
    }
}

/// A connection with its watcher.
#[derive(Debug)]
pub struct WatchedStream<S, W> {
    /// The connection.
    pub(crate) stream: S,
    /// Its watcher.
    pub(crate) watcher: W,
}

impl<S: AsyncRead + Unpin, W: Watcher> AsyncRead for WatchedStream<S, W> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.watcher.before()?;
        ready!(self.watcher.poll_read_turn(context));
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        let bytes = buffer.filled().len() - before;
        self.watcher.after_read(context, bytes)?;
        read
    }
}

impl<S: AsyncWrite + Unpin, W: Watcher> AsyncWrite for WatchedStream<S, W> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.watcher.before()?;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.watcher.before()?;
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
