//! The players of one consultation: who is asked about which position, and what they say.

use super::member::{Event, Member};
use monju_proto::v1::{Go, Line, Position};
use std::{collections::HashMap, future, mem};
use tokio::sync::mpsc;
use tonic::transport::Channel;

/// Room for events that arrive while one of them is being entered.
const EVENTS: usize = 256;

/// The players that were asked, each by a call of its own. An answer to any other call is stale:
/// it is about another position, or from a search that was given up.
#[derive(Debug)]
pub(super) struct Calls {
    /// What the consultation is about.
    position: Position,
    /// One for each slot; `None` where nobody could be asked.
    calls: Vec<Option<Call>>,
    /// The slots of the calls, by their numbers.
    slots: HashMap<u64, usize>,
    inbox: Inbox,
    kept: HashMap<String, Call>,
}

/// One player's search. Dropping it cancels the search.
#[derive(Debug)]
struct Call {
    number: u64,
    position: Position,
    member: Member,
    /// What it said last, while it thinks about another position than the consultation.
    line: Option<Line>,
}

/// Where events come in. It stays with the searches when they go from one consultation to another.
#[derive(Debug)]
struct Inbox {
    sender: mpsc::Sender<(u64, Event)>,
    receiver: mpsc::Receiver<(u64, Event)>,
    calls: u64,
}

/// Searches that go on after a ponder has missed, about the replies that it was not about.
#[derive(Debug)]
pub struct Kept {
    inbox: Inbox,
    /// By the ballot names of the players.
    calls: HashMap<String, Call>,
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
    /// Nobody is asked yet. Of the searches that were kept, those may be taken over that are about
    /// `position`; the others end here.
    pub fn new(position: Position, kept: Option<Kept>) -> Self {
        let (inbox, mut kept) = match kept {
            Some(Kept { inbox, calls }) => (inbox, calls),
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

    /// What the consultation is about.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Leaves the next slot without a call.
    pub fn skip(&mut self) {
        self.calls.push(None);
    }

    /// Takes over the search of this player for the next slot, if it was kept. Gives back the way
    /// to the player, and what it said last.
    pub fn adopt(&mut self, player: &str) -> Option<(&Member, Option<Line>)> {
        let mut call = self.kept.remove(player)?;
        let line = call.line.take();
        self.slots.insert(call.number, self.calls.len());
        self.calls.push(Some(call));
        let call = self.calls.last().and_then(Option::as_ref)?;
        Some((&call.member, line))
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
        let member = Member::ask(channel, go, number, self.inbox.sender.clone());
        if let Some(former) = self.calls[slot].replace(Call {
            number,
            position,
            member,
            line: None,
        }) {
            self.slots.remove(&former.number);
        }
        self.slots.insert(number, slot);
    }

    /// The way to the player of a slot, if it thinks about the consultation's position.
    pub fn member(&self, slot: usize) -> Option<&Member> {
        let call = self.calls.get(slot)?.as_ref()?;
        (call.position == self.position).then_some(&call.member)
    }

    /// The ways to all that think about the consultation's position.
    pub fn members(&self) -> impl Iterator<Item = &Member> {
        (0..self.calls.len()).filter_map(|slot| self.member(slot))
    }

    /// Whether the player of a slot thinks about another position.
    pub fn is_elsewhere(&self, slot: usize) -> bool {
        let call = self.calls.get(slot).and_then(Option::as_ref);
        call.is_some_and(|call| call.position != self.position)
    }

    /// Whether anybody thinks about another position.
    pub fn has_others(&self) -> bool {
        (0..self.calls.len()).any(|slot| self.is_elsewhere(slot))
    }

    /// The next event that is about the consultation's position, with its slot.
    pub async fn next(&mut self) -> (usize, Event) {
        loop {
            match self.inbox.receiver.recv().await {
                Some((number, event)) => {
                    if let Some(news) = self.sort(number, event) {
                        return news;
                    }
                }
                // Never: the inbox holds a sender of its own.
                None => future::pending().await,
            }
        }
    }

    /// As [`Calls::next`], of what is there already.
    pub fn next_that_is_there(&mut self) -> Option<(usize, Event)> {
        while let Ok((number, event)) = self.inbox.receiver.try_recv() {
            let news = self.sort(number, event);
            if news.is_some() {
                return news;
            }
        }
        None
    }

    /// Drops what is stale, and notes what is about another position.
    fn sort(&mut self, number: u64, event: Event) -> Option<(usize, Event)> {
        let slot = *self.slots.get(&number)?;
        let call = self.calls[slot].as_mut()?;
        if call.position == self.position {
            return Some((slot, event));
        }
        match event {
            Event::Progress(line) => call.line = Some(line),
            // Of no use any more; the player is asked again should its position be wanted.
            Event::Result(_) | Event::Failed(_) => {
                call.line = None;
                self.slots.remove(&number);
            }
        }
        None
    }

    /// Ends all searches, except those about other positions when they are to be kept. `names` are
    /// the ballot names of the players in order of their slots.
    pub fn dismiss<'a>(
        &mut self,
        keep_others: bool,
        names: impl Iterator<Item = &'a str>,
    ) -> Option<Kept> {
        let calls = mem::take(&mut self.calls);
        if !keep_others {
            return None;
        }
        let calls: HashMap<String, Call> = names
            .zip(calls)
            .filter_map(|(name, call)| Some((name.to_owned(), call?)))
            .filter(|(_, call)| {
                call.position != self.position && self.slots.contains_key(&call.number)
            })
            .collect();
        let inbox = mem::replace(&mut self.inbox, Inbox::new());
        (!calls.is_empty()).then_some(Kept { inbox, calls })
    }
}
