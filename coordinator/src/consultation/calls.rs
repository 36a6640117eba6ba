//! The calls of one consultation: the position that each player was asked about, and its events.

use super::player_stream::{PlayerEvent, PlayerStream};
use monju_proto::v1::{Go, Line, Position};
use std::{collections::HashMap, future, mem};
use tokio::sync::mpsc;
use tonic::transport::Channel;

/// Number of events that may wait while one of them is being entered.
const EVENTS: usize = 256;

/// The calls to the players. An event of any other call is stale: it is about another position, or from
/// a search that was given up.
#[derive(Debug)]
pub(super) struct Calls {
    /// The position of the consultation.
    position: Position,
    /// One for each slot; `None` for a player that could not be asked.
    calls: Vec<Option<PlayerCall>>,
    /// The slots of the calls by their numbers.
    slots: HashMap<u64, usize>,
    inbox: Inbox,
    /// Searches of an earlier ponder about this position, by the ballot names of the players.
    kept: HashMap<String, PlayerCall>,
}

/// One player's search. Dropping it cancels the search.
#[derive(Debug)]
struct PlayerCall {
    number: u64,
    position: Position,
    stream: PlayerStream,
    /// Its last line, while it thinks about another position than the consultation.
    line: Option<Line>,
}

/// The channel of the events. It moves with the searches from one consultation to the next.
#[derive(Debug)]
struct Inbox {
    sender: mpsc::Sender<(u64, PlayerEvent)>,
    receiver: mpsc::Receiver<(u64, PlayerEvent)>,
    calls: u64,
}

/// Searches that go on after a missed ponder, about other replies than the predicted one.
#[derive(Debug)]
pub struct KeptSearches {
    inbox: Inbox,
    /// By the ballot names of the players.
    calls: HashMap<String, PlayerCall>,
}

impl Inbox {
    fn new() -> Self {
        let (sender, receiver) = mpsc::channel(EVENTS);
        Self {
            sender,
            receiver,
            calls: 0,
        }
    }
}

impl Calls {
    /// No calls yet. Kept searches about `position` may be taken over; the others end here.
    pub fn new(position: Position, kept: Option<KeptSearches>) -> Self {
        let (inbox, mut kept) = match kept {
            Some(KeptSearches { inbox, calls }) => (inbox, calls),
            None => (Inbox::new(), HashMap::new()),
        };
        kept.retain(|_, call| call.position == position);
        Self {
            position,
            calls: Vec::new(),
            slots: HashMap::new(),
            inbox,
            kept,
        }
    }

    /// Returns the position of the consultation.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Leaves the next slot without a call.
    pub fn skip(&mut self) {
        self.calls.push(None);
    }

    /// Takes over the kept search of a player for the next slot, and returns its stream and last line.
    pub fn adopt(&mut self, player: &str) -> Option<(&PlayerStream, Option<Line>)> {
        let mut call = self.kept.remove(player)?;
        let line = call.line.take();
        self.slots.insert(call.number, self.calls.len());
        self.calls.push(Some(call));
        let call = self.calls.last().and_then(Option::as_ref)?;
        Some((&call.stream, line))
    }

    /// Asks the player of the next slot.
    pub fn ask(&mut self, channel: Channel, go: Go) {
        let slot = self.calls.len();
        self.calls.push(None);
        self.ask_again(slot, channel, go);
    }

    /// Asks the player of a slot, and gives up what it was asked before.
    pub fn ask_again(&mut self, slot: usize, channel: Channel, go: Go) {
        self.inbox.calls += 1;
        let number = self.inbox.calls;
        let position = go.position.clone().unwrap_or_default();
        let stream = PlayerStream::ask(channel, go, number, self.inbox.sender.clone());
        if let Some(former) = self.calls[slot].replace(PlayerCall {
            number,
            position,
            stream,
            line: None,
        }) {
            self.slots.remove(&former.number);
        }
        self.slots.insert(number, slot);
    }

    /// Returns the stream of a player that thinks about the consultation's position.
    pub fn stream(&self, slot: usize) -> Option<&PlayerStream> {
        let call = self.calls.get(slot)?.as_ref()?;
        (call.position == self.position).then_some(&call.stream)
    }

    /// Returns the streams of all players that think about the consultation's position.
    pub fn streams(&self) -> impl Iterator<Item = &PlayerStream> {
        (0..self.calls.len()).filter_map(|slot| self.stream(slot))
    }

    /// Returns true if the player of a slot thinks about another position.
    pub fn is_elsewhere(&self, slot: usize) -> bool {
        let call = self.calls.get(slot).and_then(Option::as_ref);
        call.is_some_and(|call| call.position != self.position)
    }

    /// Returns true if any player thinks about another position.
    pub fn has_others(&self) -> bool {
        (0..self.calls.len()).any(|slot| self.is_elsewhere(slot))
    }

    /// Waits for the next event about the consultation's position, and returns it with its slot.
    pub async fn next(&mut self) -> (usize, PlayerEvent) {
        loop {
            match self.inbox.receiver.recv().await {
                Some((number, event)) => {
                    if let Some(event) = self.sort(number, event) {
                        return event;
                    }
                }
                // Unreachable, because the inbox holds a sender of its own.
                None => future::pending().await,
            }
        }
    }

    /// Returns the events about the consultation's position that have arrived already, with their slots. Those that
    /// come meanwhile are too late.
    pub fn arrived(&mut self) -> Vec<(usize, PlayerEvent)> {
        let arrived = self.inbox.receiver.len();
        let mut events = Vec::with_capacity(arrived);
        for _ in 0..arrived {
            if let Ok((number, event)) = self.inbox.receiver.try_recv() {
                events.extend(self.sort(number, event));
            }
        }
        events
    }

    /// Drops stale events, and notes lines about another position.
    fn sort(&mut self, number: u64, event: PlayerEvent) -> Option<(usize, PlayerEvent)> {
        let slot = *self.slots.get(&number)?;
        let call = self.calls[slot].as_mut()?;
        if call.position == self.position {
            return Some((slot, event));
        }
        match event {
            PlayerEvent::Progress(latest) => call.line = latest.take().or(call.line.take()),
            // The search is over; the player is asked again if its position is played.
            PlayerEvent::Result(_) | PlayerEvent::Failed(_) => {
                call.line = None;
                self.slots.remove(&number);
            }
        }
        None
    }

    /// Ends all searches, except those about other positions with `keep_others`. `names` are the ballot
    /// names of the players in order of their slots.
    pub fn dismiss<'a>(
        &mut self,
        keep_others: bool,
        names: impl Iterator<Item = &'a str>,
    ) -> Option<KeptSearches> {
        let calls = mem::take(&mut self.calls);
        if !keep_others {
            return None;
        }
        let calls: HashMap<String, PlayerCall> = names
            .zip(calls)
            .filter_map(|(name, call)| Some((name.to_owned(), call?)))
            .filter(|(_, call)| {
                call.position != self.position && self.slots.contains_key(&call.number)
            })
            .collect();
        let inbox = mem::replace(&mut self.inbox, Inbox::new());
        (!calls.is_empty()).then_some(KeptSearches { inbox, calls })
    }
}
