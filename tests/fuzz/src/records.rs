//! Game records.

use crate::fuzz_target::FuzzTarget;
use monju_records::parse_games;
use std::path::Path;

pub const CSA: FuzzTarget = FuzzTarget {
    name: "csa",
    run: |bytes| read("game.csa", bytes),
    corpus: || texts(&[CSA_GAME, CSA_BOARD]),
    words: &[
        "V2.2\n", "N+", "N-", "PI", "P1", "P+", "P-", "+7776FU", "-3334FU", "+0055KA", "%TORYO",
        "%KACHI", "%CHUDAN", "$EVENT:", "/\n", ",T12", "'", "00AL", "summary:", "+\n", "-\n",
    ],
    mutations: 15_000,
};

pub const KIF: FuzzTarget = FuzzTarget {
    name: "kif",
    run: |bytes| read("game.kif", bytes),
    corpus: || texts(&[KIF_GAME, KIF_BOARD]),
    words: &[
        "手合割：平手\n",
        "手数----指手---------消費時間--\n",
        "   1 ７六歩(77)",
        "同　",
        "打",
        "成",
        "不成",
        "投了",
        "中断",
        "千日手",
        "入玉勝ち",
        "変化：2手\n",
        "まで2手で先手の勝ち\n",
        "*",
        "&",
        "後手の持駒：",
        "香落ち",
        "( 0:01/00:00:01)",
    ],
    mutations: 15_000,
};

pub const KI2: FuzzTarget = FuzzTarget {
    name: "ki2",
    run: |bytes| read("game.ki2", bytes),
    corpus: || texts(&[KI2_GAME]),
    words: &[
        "▲",
        "△",
        "７六歩",
        "同",
        "右",
        "左",
        "直",
        "上",
        "引",
        "寄",
        "成",
        "不成",
        "打",
        "まで",
        "手で先手の勝ち",
    ],
    mutations: 15_000,
};

pub const JKF: FuzzTarget = FuzzTarget {
    name: "jkf",
    run: |bytes| read("game.jkf", bytes),
    corpus: || texts(&[JKF_GAME]),
    words: &[
        "\"moves\":[",
        "\"move\":",
        "\"from\":{\"x\":7,\"y\":7}",
        "\"to\":",
        "\"piece\":\"FU\"",
        "\"special\":",
        "\"initial\":",
        "\"preset\":\"HIRATE\"",
        "\"data\":",
        "\"board\":",
        "\"hands\":",
        "\"forks\":",
        "\"time\":",
        "null",
        "1e999",
    ],
    mutations: 15_000,
};

pub const LINES: FuzzTarget = FuzzTarget {
    name: "lines",
    run: |bytes| {
        read("games.tsv", bytes);
        read("games.usi", bytes);
    },
    corpus: || {
        texts(&[
            "startpos moves 7g7f 3c3d 2g2f\nposition startpos moves 2g2f\nsfen 4k4/9/9/9/9/9/9/9/4K4 b P 1 moves P*5e\n",
            "id\tresult\tplies\tend\tblack\twhite\tevent\tdate\tmoves\n1\tblack\t2\tresign\ta\tb\te\t2020\t7g7f 3c3d\n",
        ])
    },
    words: &[
        "startpos", " moves ", "7g7f", "\t", "black", "white", "draw", "resign", "sfen ",
    ],
    mutations: 15_000,
};

fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// A game that is accepted is a legal one, in whatever coding it came.
fn read(name: &str, bytes: &[u8]) {
    let parsed = parse_games(Path::new(name), bytes).expect("a known format");
    for game in parsed.into_iter().filter_map(|parsed| parsed.game.ok()) {
        let mut position = game.start();
        for mv in game.moves() {
            assert!(position.is_legal(*mv), "{position} {mv}");
            position.make(*mv);
        }
    }
}

const CSA_GAME: &str = "V2.2\nN+one\nN-two\n$EVENT:test\nPI\n+\n+7776FU\nT12\n-3334FU,T3\n+8822UM\n-3122GI\n\
                        +0055KA\n%TORYO\n/\nPI\n+\n+2726FU\n%CHUDAN\n";
const CSA_BOARD: &str = "V2.2\nP1 *  *  *  * -OU *  *  *  * \nP2 *  *  *  *  *  *  *  *  * \n\
    P3 *  *  *  * +FU *  *  *  * \nP4 *  *  *  *  *  *  *  *  * \nP5 *  *  *  *  *  *  *  *  * \n\
    P6 *  *  *  *  *  *  *  *  * \nP7 *  *  *  *  *  *  *  *  * \nP8 *  *  *  *  *  *  *  *  * \n\
    P9 *  *  *  * +OU *  *  *  * \nP+00KI\nP-00AL\n+\n+0052KI\n%TSUMI\n";
const KIF_GAME: &str = "手合割：平手\n先手：one\n後手：two\n手数----指手---------消費時間--\n   1 ７六歩(77)   \
    ( 0:01/00:00:01)\n   2 ３四歩(33)   ( 0:01/00:00:01)\n   3 ２二角成(88)   ( 0:01/00:00:02)\n   4 同　銀(31)   \
    ( 0:01/00:00:02)\n   5 ５五角打   ( 0:01/00:00:03)\n*comment\n   6 投了\nまで5手で先手の勝ち\n\n変化：2手\n   2 \
    ８四歩(83)\n";
const KIF_BOARD: &str = "後手の持駒：飛二　歩十七\n  ９ ８ ７ ６ ５ ４ ３ ２ １\n+---------------------------+\n\
    | ・ ・ ・ ・v玉 ・ ・ ・ ・|一\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|二\n| ・ ・ ・ ・ 歩 ・ ・ ・ ・|三\n\
    | ・ ・ ・ ・ ・ ・ ・ ・ ・|四\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|五\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|六\n\
    | ・ ・ ・ ・ ・ ・ ・ ・ ・|七\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|八\n| ・ ・ ・ ・ 玉 ・ ・ ・ ・|九\n\
    +---------------------------+\n先手の持駒：金\n手数----指手---------消費時間--\n   1 ５二金打\n   2 詰み\n";
const KI2_GAME: &str = "先手：one\n後手：two\n手合割：平手\n\n▲７六歩 △３四歩 ▲２二角成 △同銀\n▲５五角打 △３三銀\n\
    ▲６八銀 △８四歩\nまで8手で後手の勝ち\n";
const JKF_GAME: &str = r#"{"header":{"先手":"one"},"initial":{"preset":"HIRATE"},"moves":[{},{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"}},{"move":{"from":{"x":3,"y":3},"to":{"x":3,"y":4},"piece":"FU"},"time":{"now":{"m":0,"s":1},"total":{"h":0,"m":0,"s":1}}},{"special":"TORYO"}]}"#;
