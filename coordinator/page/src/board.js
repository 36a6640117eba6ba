// The board and the graph of a game.
const KINDS = { P: "歩", L: "香", N: "桂", S: "銀", G: "金", B: "角", R: "飛", K: "玉",
  "+P": "と", "+L": "杏", "+N": "圭", "+S": "全", "+B": "馬", "+R": "龍" };
const RANKS = "一二三四五六七八九";
const inJapanese = () => document.documentElement.lang === "ja";
const scoreText = view => view.mate !== null ? (inJapanese() ? "詰み " + Math.abs(view.mate) + "手" : "mate " + Math.abs(view.mate))
  : view.score_of_black === null ? "-" : (view.score_of_black > 0 ? "+" : "") + view.score_of_black;

// Draws a position: `names` are those of Black and White, `moved` is the last move in USI notation.
function drawBoard(sfen, names, moved) {
  const [board, , hands] = sfen.split(" ");
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
  const [black, white, hand, none] = inJapanese() ? ["先手", "後手", "持駒", "なし"] : ["Black", "White", "in hand", "none"];
  $("white").textContent = "△ " + (names[1] || white) + "　" + hand + " " + (held.w || none);
  $("black").textContent = "▲ " + (names[0] || black) + "　" + hand + " " + (held.b || none);
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
