// The board and the graph of a game.
const KINDS = { P: "歩", L: "香", N: "桂", S: "銀", G: "金", B: "角", R: "飛", K: "玉",
  "+P": "と", "+L": "杏", "+N": "圭", "+S": "全", "+B": "馬", "+R": "龍" };
const RANKS = "一二三四五六七八九";
// The words that pages with a game share.
const GAME_WORDS = {
  ja: { move: "手目", score: "評価値", rate: side => side + "の勝率", depth: "深さ", line: "読み筋", divided: "意見が割れた",
    votes: count => count + "票", answers: { resign: "投了", win: "宣言勝ち" }, toMove: side => side + "番の盤面",
    played: "本譜", sides: { black: "先手", white: "後手" }, handicap: { black: "下手", white: "上手" }, hand: "持駒",
    empty: "なし", mate: (sign, plies) => "詰み " + sign + (plies && plies + "手"),
    labels: { first: "初手へ", back: "戻る", on: "進む", last: "最終手へ" } },
  en: { move: " moves", score: "score", rate: side => "win rate of " + side, depth: "depth", line: "line", divided: "divided",
    votes: count => count + (count === 1 ? " vote" : " votes"), answers: {}, toMove: side => "board, " + side + " to move",
    played: "played", sides: { black: "Black", white: "White" }, hand: "in hand", empty: "none",
    mate: (sign, plies) => "mate " + sign + plies, labels: { first: "first", back: "back", on: "on", last: "last" } },
};
const gameWords = () => GAME_WORDS[document.documentElement.lang];
// The names of both sides, which in Japanese are others in a handicap game.
const sideWords = isHandicap => isHandicap && gameWords().handicap || gameWords().sides;
// A move in Japanese notation, or an answer in its place.
const moveText = move => gameWords().answers[move.move] || move.japanese;
// A score for Black, as the graph: a mate by White is negative.
const scoreText = view => view.mate !== null
  ? gameWords().mate(view.score_of_black < 0 ? "−" : "+", view.mate === "unknown" ? "" : Math.abs(view.mate))
  : view.score_of_black === null ? "-" : (view.score_of_black > 0 ? "+" : "") + view.score_of_black;

// Shows a page in the reader's language, and in the other one when its button is pressed: `use` gets the page's words,
// the shared ones among them, and draws the page.
function speak(pageWords, use) {
  const choose = language => {
    document.documentElement.lang = language;
    const words = { ...gameWords(), ...pageWords[language] };
    for (const [id, label] of Object.entries(words.labels)) $(id).setAttribute("aria-label", label);
    $("graph").setAttribute("aria-label", words.rate(words.sides.black));
    use(words);
  };
  $("language").addEventListener("click", () => choose(document.documentElement.lang === "ja" ? "en" : "ja"));
  choose(navigator.language.startsWith("ja") ? "ja" : "en");
}

// Draws the position of a view: `names` are those of Black and White, `moved` is the last move in USI notation.
function drawBoard({ sfen, is_handicap }, names, moved) {
  const [board, side, hands] = sfen.split(" ");
  const cells = [..."987654321"].map(file => make("i", file)).concat(make("i"));
  board.split("/").forEach((row, rank) => {
    let file = 9, promoted = "";
    for (const c of row) {
      if (c === "+") { promoted = "+"; continue; }
      if (c >= "1" && c <= "9") {
        for (let i = 0; i < +c; i++) cells.push(square("", "", file--, rank, moved));
        continue;
      }
      const kind = KINDS[promoted + c.toUpperCase()];
      cells.push(square(kind, c === c.toLowerCase() ? "white" : "", file--, rank, moved));
      promoted = "";
    }
    cells.push(make("i", RANKS[rank]));
  });
  $("board").replaceChildren(...cells);
  const held = { b: "", w: "" };
  let count = "";
  for (const c of hands === "-" ? "" : hands) {
    if (c >= "0" && c <= "9") { count += c; continue; }
    held[c === c.toLowerCase() ? "w" : "b"] += KINDS[c.toUpperCase()] + count + " ";
    count = "";
  }
  const words = gameWords(), { black, white } = sideWords(is_handicap);
  $("board").setAttribute("aria-label", words.toMove(side === "b" ? black : white) + ": " + sfen);
  $("white").textContent = "△ " + (names[1] || white) + "　" + words.hand + " " + (held.w || words.empty);
  $("black").textContent = "▲ " + (names[0] || black) + "　" + words.hand + " " + (held.b || words.empty);
}

function square(kind, side, file, rank, moved) {
  const name = String(file) + "abcdefghi"[rank];
  return make("span", kind, side + (moved && moved.slice(2, 4) === name ? " moved" : ""));
}

// Draws the win rates of Black over the positions of a game, with the marks of mistakes and the position shown.
function drawGraph(all, now) {
  const at = index => 1000 * index / Math.max(1, all.length - 1);
  const points = all.map((view, index) => [at(index), view.win_rate_of_black]).filter(point => point[1] !== null);
  const element = (name, attributes) => {
    const made = document.createElementNS($("graph").namespaceURI, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const line = { "vector-effect": "non-scaling-stroke", fill: "none" };
  const upright = (index, style) =>
    element("line", { x1: at(index), x2: at(index), y1: 0, y2: 200, ...style, ...line });
  $("graph").replaceChildren(
    element("line", { x1: 0, x2: 1000, y1: 100, y2: 100, stroke: "currentColor", opacity: .4, ...line }),
    element("polyline", { points: points.map(([x, rate]) => x + "," + 200 * (1 - rate)).join(" "),
      stroke: "var(--bar)", "stroke-width": 2, ...line }),
    ...all.flatMap((view, index) => view.mark ? [upright(index, { stroke: "var(--mark)", opacity: .5 })] : []),
    upright(now, { stroke: "currentColor" }));
}

// Shows the score, the votes by move, and the line of play of a position.
function drawView(view) {
  const words = gameWords(), all = view.votes.reduce((sum, vote) => sum + vote.votes, 0);
  $("score").textContent = words.score + " " + scoreText(view) + "　" + words.rate(sideWords(view.is_handicap).black)
    + " " + percent(view.win_rate_of_black) + "　" + words.depth + " " + view.depth + (view.is_divided ? "　" + words.divided : "");
  $("votes").replaceChildren(...view.votes.map(vote => {
    const row = make("div", undefined, "vote"), bar = make("b");
    bar.style.width = 100 * vote.votes / Math.max(1, all) + "%";
    row.append(make("span", moveText(vote)), bar, make("span", words.votes(vote.votes)),
      make("small", vote.players.join(" ")));
    return row;
  }));
  $("line").textContent = words.line + " " + view.line.map(move => move.japanese).join("");
}

// Lets buttons, keys and the graph choose a position: `all` and `now` return the positions and the one shown.
function seek(all, now, show) {
  $("first").addEventListener("click", () => show(0));
  $("back").addEventListener("click", () => show(now() - 1));
  $("on").addEventListener("click", () => show(now() + 1));
  $("last").addEventListener("click", () => show(all().length - 1));
  $("graph").addEventListener("click", event => {
    const box = $("graph").getBoundingClientRect();
    show(Math.round((event.clientX - box.left) / box.width * (all().length - 1)));
  });
  document.addEventListener("keydown", event => {
    if (event.key === "ArrowLeft") show(now() - 1);
    if (event.key === "ArrowRight") show(now() + 1);
  });
}
