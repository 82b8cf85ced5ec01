// Commentator's board: the game as spectators see it, with arrows and rings drawn on it, and variations.
// Nothing is sent to the head. The window with the buttons sends its drawing to the window that is filmed (?show=1), in
// the same browser on the same machine.
"use strict";
(() => {
  const { stage, make, nameOf } = othelloLive;
  const single = stage.root, channel = new BroadcastChannel(`commentary ${location.pathname}`);
  const isFilmed = new URLSearchParams(location.search).get("show") === "1";
  const board = stage.board, squareAt = (x, y) => board.squares.findIndex(([u, v]) => u === x && v === y);
  const DIRECTIONS = [[0, 1], [1, 1], [1, 0], [1, -1], [0, -1], [-1, -1], [-1, 0], [-1, 1]];

  function flips(cells, at, mine) {
    const theirs = mine === "X" ? "O" : "X", found = [];
    if (cells[at] !== "-") return found;
    for (const [dx, dy] of DIRECTIONS) {
      const row = [];
      let x = board.squares[at][0] + dx, y = board.squares[at][1] + dy;
      while (cells[squareAt(x, y)] === theirs) { row.push(squareAt(x, y)); x += dx; y += dy; }
      if (row.length && cells[squareAt(x, y)] === mine) found.push(...row);
    }
    return found;
  }
  const canMove = (cells, mine) => [...cells].some((_, at) => flips(cells, at, mine).length);

  // marks: [from, to, colour]; a ring is a mark from a square to itself. variation: moves from the board it began at.
  let marks = [], variation = null, ink = "red";
  const layer = board.layer;
  layer.setAttribute("class", "marks");

  const after = (cells, at, mine) => {
    const turned = new Set([at, ...flips(cells, at, mine)]);
    return [...cells].map((cell, place) => turned.has(place) ? mine : cell).join("");
  };

  function toMove() {
    const moves = stage.game?.moves ?? [], at = stage.shownAt;
    const last = at > 0 ? moves[at - 1] : null;
    return last ? (last.by === "black" ? "O" : "X") : "X";
  }

  function paint() {
    layer.replaceChildren();
    for (const [from, to, color] of marks) {
      const [x, y, u, v] = [...board.squares[from], ...board.squares[to]].map((one) => one + .5);
      if (from === to) { make("circle", { class: `ring ${color}`, cx: x, cy: y, r: .44 }, layer); continue; }
      const long = Math.hypot(u - x, v - y), dx = (u - x) / long, dy = (v - y) / long;
      const [tipX, tipY] = [u - dx * .1, v - dy * .1], [baseX, baseY] = [u - dx * .5, v - dy * .5];
      make("path", { class: `arrow ${color}`, d: `M${x} ${y}L${baseX} ${baseY}` }, layer);
      make("path", { class: `tip ${color}`, d: `M${tipX} ${tipY}L${baseX - dy * .26} ${baseY + dx * .26}L${baseX + dy * .26} ${baseY - dx * .26}z` }, layer);
    }
    if (variation) {
      stage.board.show(variation.cells, variation.moves.at(-1) ?? "");
      const counts = [..."XO"].map((one) => [...variation.cells].filter((cell) => cell === one).length);
      variationText.textContent = `${variation.moves.join(" ")}  ●${counts[0]} ○${counts[1]}`;
    } else variationText.textContent = "";
    single.classList.toggle("varied", variation !== null);
  }

  const variationText = document.querySelector("[data-part=variation]");
  function sendMarks() {
    paint();
    channel.postMessage({ marks, variation, at: stage.at });
  }

  // When the game advances, draw the marks and the variation over the new position again.
  const step = stage.step.bind(stage);
  stage.step = () => { step(); paint(); };

  if (isFilmed) {
    document.body.classList.add("shows");
    channel.onmessage = ({ data }) => {
      if (data === "hello") return;
      ({ marks, variation } = data);
      if (stage.game && stage.at !== data.at) { stage.at = data.at; step(); }
      if (stage.game) stage.step();
    };
    channel.postMessage("hello");
    return;
  }
  channel.onmessage = ({ data }) => { if (data === "hello") sendMarks(); };

  function place(event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(stage.board.svg.getScreenCTM().inverse());
    const at = squareAt(Math.floor(point.x), Math.floor(point.y));
    return at < 0 ? null : at;
  }

  let from = null;
  const svg = stage.board.svg;
  svg.style.touchAction = "none";
  svg.addEventListener("pointerdown", (event) => { from = place(event); svg.setPointerCapture(event.pointerId); });
  svg.addEventListener("pointerup", (event) => {
    const to = place(event);
    if (from === null || to === null) return;
    if (from === to && mode.value === "play") play(to);
    else {
      const same = marks.findIndex(([a, b]) => a === from && b === to);
      if (same >= 0) marks.splice(same, 1); else marks.push([from, to, ink]);
      sendMarks();
    }
    from = null;
  });

  function play(at) {
    const begin = variation ?? { cells: stage.boards[stage.shownAt], mover: toMove(), moves: [], before: [] };
    let mover = begin.mover;
    if (!canMove(begin.cells, mover)) mover = mover === "X" ? "O" : "X";
    if (!flips(begin.cells, at, mover).length) return;
    variation = {
      cells: after(begin.cells, at, mover), mover: mover === "X" ? "O" : "X", moves: [...begin.moves, nameOf(board.squares[at])],
      before: [...begin.before, { cells: begin.cells, mover: begin.mover }],
    };
    sendMarks();
  }

  const mode = document.querySelector("[name=mode]");
  const act = {
    back() {
      if (!variation) return;
      const { cells, mover } = variation.before.at(-1);
      const moves = variation.moves.slice(0, -1), before = variation.before.slice(0, -1);
      variation = moves.length ? { cells, mover, moves, before } : null;
      if (!variation) stage.step();
    },
    game() { variation = null; stage.at = null; stage.step(); },
    clear() { marks = []; },
  };
  for (const button of document.querySelectorAll("[data-act]"))
    button.addEventListener("click", () => { act[button.dataset.act](); sendMarks(); });
  for (const field of document.querySelectorAll("[name=ink]"))
    field.addEventListener("change", () => { ink = field.value; });
})();
