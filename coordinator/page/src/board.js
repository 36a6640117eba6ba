// The board, and small parts that all pages share.
const KINDS = { P: "歩", L: "香", N: "桂", S: "銀", G: "金", B: "角", R: "飛", K: "玉",
  "+P": "と", "+L": "杏", "+N": "圭", "+S": "全", "+B": "馬", "+R": "龍" };
const RANKS = "一二三四五六七八九";
const $ = id => document.getElementById(id);
const make = (name, text, type) => {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  if (type) element.className = type;
  return element;
};
const percent = rate => rate === null ? "-" : (100 * rate).toFixed(1) + "%";
const scoreText = view => view.mate !== null ? "詰み " + Math.abs(view.mate) + "手"
  : view.score_of_black === null ? "-" : (view.score_of_black > 0 ? "+" : "") + view.score_of_black;

// Draws a position: `names` are those of Black and White, `moved` is the last move in USI notation.
function drawBoard(sfen, names, moved) {
  const [board, , hands] = sfen.split(" ");
  const cells = [];
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
  $("white").textContent = "△ " + (names[1] || "後手") + "　持駒 " + (held.w || "なし");
  $("black").textContent = "▲ " + (names[0] || "先手") + "　持駒 " + (held.b || "なし");
}

function square(kind, side, file, rank, moved) {
  const name = String(file) + "abcdefghi"[rank];
  return make("span", kind, side + (moved && moved.slice(2, 4) === name ? " moved" : ""));
}

