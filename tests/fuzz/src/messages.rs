//! Every message of monju.v1 that a service or a client takes: from its bytes through the checks of its
//! receiver.

mod corpus;
mod kinds;

use crate::fuzz_target::FuzzTarget;
use kinds::KINDS;

pub const TARGET: FuzzTarget = FuzzTarget {
    name: "messages",
    run,
    corpus: corpus::corpus,
    words: &[
        "startpos",
        "7g7f",
        "sfen 4k4/9/9/9/9/9/9/9/4K4 b - 1",
        "majority",
        "agreement",
        "spread",
        "resign",
        "\u{ff}",
        "\u{0}",
        "\u{1b}[2J",
        "CSARule27",
        "NoEnteringKing",
    ],
    mutations: 400_000,
};

/// The first byte of an input tells the kind of the message that the others are.
fn run(bytes: &[u8]) {
    let Some((kind, message)) = bytes.split_first() else {
        return;
    };
    let kind = &KINDS[usize::from(*kind) % KINDS.len()];
    (kind.take)(message);
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_proto::FILE_DESCRIPTOR_SET;
    use prost::Message as _;
    use prost_types::{DescriptorProto, FileDescriptorSet};
    use std::collections::{BTreeMap, BTreeSet};

    /// Every message of the protocol, by its name.
    fn messages() -> BTreeMap<String, DescriptorProto> {
        let all = FileDescriptorSet::decode(FILE_DESCRIPTOR_SET).expect("descriptors");
        let messages = all.file.into_iter().flat_map(|file| file.message_type);
        let messages: BTreeMap<_, _> = messages
            .map(|message| (message.name().to_owned(), message))
            .collect();
        assert!(messages.values().all(|one| one.nested_type.is_empty()));
        messages
    }

    /// A message that a new call takes or gives has to get a kind, and so has one that none of the others carries.
    #[test]
    fn every_message_of_the_protocol_is_a_kind_or_is_carried_by_one() {
        let messages = messages();
        let mut covered = BTreeSet::new();
        let mut open: Vec<String> = KINDS.iter().map(|kind| kind.message.to_owned()).collect();
        while let Some(name) = open.pop() {
            let message = &messages[&name];
            if covered.insert(name) {
                let types = message.field.iter().map(|field| field.type_name());
                let types = types.filter_map(|name| name.rsplit('.').next());
                open.extend(
                    types
                        .filter(|name| messages.contains_key(*name))
                        .map(str::to_owned),
                );
            }
        }
        let all: BTreeSet<String> = messages.into_keys().collect();
        let missing: Vec<_> = all.difference(&covered).collect();
        assert!(
            missing.is_empty(),
            "no kind of tests/fuzz/src/messages/kinds.rs covers {missing:?}"
        );
    }

    #[test]
    fn everything_that_a_call_takes_or_gives_is_a_kind_once() {
        let all = FileDescriptorSet::decode(FILE_DESCRIPTOR_SET).expect("descriptors");
        let services = all.file.into_iter().flat_map(|file| file.service);
        let calls = services.flat_map(|service| service.method);
        let mut carried = BTreeSet::new();
        for call in calls {
            for name in [call.input_type(), call.output_type()] {
                carried.insert(name.rsplit('.').next().unwrap_or_default().to_owned());
            }
        }
        let mut kinds: Vec<&str> = KINDS.iter().map(|kind| kind.message).collect();
        kinds.sort_unstable();
        assert_eq!(kinds, Vec::from_iter(&carried));
    }

    #[test]
    fn every_kind_has_an_input_in_the_corpus_that_is_such_a_message() {
        let corpus = corpus::corpus();
        for (number, kind) in (0..).zip(&KINDS) {
            let of_it = corpus.iter().filter(|input| input[0] == number);
            let mut messages = of_it.map(|input| (kind.is_one)(&input[1..]));
            assert_eq!(messages.next(), Some(true), "{}", kind.message);
            assert!(messages.all(|is_one| is_one), "{}", kind.message);
        }
    }
}
