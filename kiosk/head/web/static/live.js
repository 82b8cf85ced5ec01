// Draws games on the broadcast pages, the overlays and the static page of a relay. A game is one document
// (othello-live/1); fields that it lacks are not shown. Running clocks are counted here as on the table.
"use strict";
(() => {
  const pageData = JSON.parse(document.getElementById("shown").textContent);
  const { lang, words } = pageData, speed = Number(document.body.dataset.speed) || 1;
  const SVG = "http://www.w3.org/2000/svg";
  const SHOWN = { X: "black", O: "white" };
  const USUAL = `${"-".repeat(27)}OX------XO${"-".repeat(27)}`;
  // The squares of a board by its number of cells: [column, row] in the order of the cells. 52 and 88 have cut corners.
  const SIDES = { 16: 4, 36: 6, 52: 8, 64: 8, 88: 10, 100: 10 }, SHAPES = {};
  function shapeOf(cells) {
    const side = SIDES[cells.length] ?? 8, cut = side * side > cells.length, far = (at) => Math.min(at, side - 1 - at);
    return SHAPES[cells.length] ??= {
      side, squares: [...Array(side * side).keys()].map((at) => [at % side, Math.floor(at / side)])
        .filter(([x, y]) => !cut || far(x) + far(y) >= 2),
    };
  }
  const nameOf = ([x, y]) => "abcdefghij"[x] + (y + 1);
  const squareOf = (name, cells) => shapeOf(cells).squares.findIndex((square) => nameOf(square) === name);

  // --- time

  let serverNow = pageData.now, receivedAt = performance.now();
  const now = () => serverNow + (performance.now() - receivedAt) * speed;

  // Of the times from a relay, the latest is used: a cache in between only delays them.
  function setNow(at, always) {
    if (always || at > now()) { serverNow = at; receivedAt = performance.now(); }
  }

  const show = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

  function timeLeft(game, side) {
    if (side.left_ms === null) return null;
    const kind = game.control?.kind ?? "sudden-death", runs = game.sides.find((one) => one.running);
    let gone = runs ? Math.max(0, now() - game.heard_ms) : 0;
    if (kind === "simple-delay") gone = Math.max(0, gone - game.control.free_ms);
    if (!side.running) return kind === "hourglass" ? side.left_ms + gone : side.left_ms;
    if (kind === "up-count") return side.left_ms + gone;
    let ms = side.left_ms - gone;
    for (let periods = side.periods; ms <= 0 && periods > 0; periods--) ms += game.control.step_ms;
    return Math.max(ms, 0);
  }

  const clock = (game, side) => {
    const ms = timeLeft(game, side);
    return ms === null ? "" : show(game.control?.kind === "up-count" ? Math.floor(ms / 1000) : Math.ceil(ms / 1000));
  };

  // --- a board

  function make(tag, attributes, within) {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return within ? within.appendChild(made) : made;
  }

  class Board {
    constructor(place) {
      this.svg = make("svg", { role: "img", "aria-label": words.board }, place);
      this.layer = make("g", {});
      this.draw(USUAL);
    }

    draw(cells) {
      const { side, squares } = shapeOf(cells), svg = this.svg, whole = side + .7;
      svg.replaceChildren();
      svg.setAttribute("viewBox", `-.55 -.55 ${whole} ${whole}`);
      make("rect", { class: "frame", x: -.55, y: -.55, width: whole, height: whole, rx: .12 }, svg);
      for (const kind of ["cloth", "grid"]) make("path", { class: kind, d: squares.map(([x, y]) => `M${x} ${y}h1v1h-1z`).join("") }, svg);
      for (let at = 0; at < side; at++) {
        make("text", { x: at + .5, y: -.13 }, svg).textContent = "abcdefghij"[at];
        make("text", { x: -.28, y: at + .64 }, svg).textContent = at + 1;
      }
      const far = side - 2;
      for (const [x, y] of [[2, 2], [far, 2], [2, far], [far, far]]) make("circle", { class: "spot", cx: x, cy: y, r: .07 }, svg);
      this.discs = squares.map(([x, y]) => make("circle", { class: "none", cx: x + .5, cy: y + .5, r: .41 }, svg));
      this.mark = make("circle", { class: "last", r: .11, cx: -5, cy: -5 }, svg);
      svg.append(this.layer);
      this.squares = squares;
      this.side = side;
      this.cells = null;
    }

    show(cells, last) {
      if (cells.length !== this.squares.length) this.draw(cells);
      for (let at = 0; at < cells.length; at++) {
        const to = SHOWN[cells[at]] ?? "none", from = this.cells ? SHOWN[this.cells[at]] ?? "none" : to;
        const how = from === to ? "" : from === "none" ? " laid" : to === "none" ? "" : " turned";
        if (from !== to || !this.cells) this.discs[at].setAttribute("class", to + how);
      }
      const at = last ? squareOf(last, cells) : -1, [x, y] = this.squares[at] ?? [-5, -5];
      this.mark.setAttribute("cx", x + .5);
      this.mark.setAttribute("cy", y + .5);
      this.mark.setAttribute("class", at >= 0 && cells[at] === "X" ? "last on-black" : "last");
      this.cells = cells;
    }
  }

  function boardsOf(game) {
    const boards = [game.start ?? USUAL];
    for (const { changes = "" } of game.moves) {
      const cells = [...boards.at(-1)];
      let to = "-";
      for (const [part] of changes.matchAll(/[XO-]|[a-j]\d+/g)) {
        if ("XO-".includes(part)) to = part;
        else cells[squareOf(part, cells)] = to;
      }
      boards.push(cells.join(""));
    }
    if (game.board && boards.at(-1) !== game.board) boards[boards.length - 1] = game.board;
    return boards;
  }

  // --- a game in an element of the page, whose parts are marked with data-part

  class Stage {
    constructor(root) {
      this.root = root;
      this.at = null;  // null: the current board; else the board after this many moves
      const place = root.querySelector("[data-part=board]");
      this.board = place && new Board(place);
      this.game = null;
    }

    text(part, content) {
      for (const place of this.root.querySelectorAll(`[data-part=${part}]`)) {
        if (place.textContent !== content) place.textContent = content;
        place.hidden = content === "";
      }
    }

    show(game) {
      const another = this.game?.game !== game.game || this.game?.table !== game.table;
      if (another) this.at = null;
      this.game = game;
      this.boards = boardsOf(game);
      this.root.dataset.state = game.state;
      this.text("table", words.table.replace("{n}", game.table));
      this.text("title", game.title[lang] ?? "");
      this.text("label", game.label?.[lang] ?? "");
      this.text("opening", game.opening?.[lang] ?? "");
      this.text("phase", game.state === "free" ? words.free : game.state === "over" ? "" : words.phases[game.phase] ?? "");
      this.text("score", game.score ? game.score.join("–") : "");
      this.text("end", game.end?.[lang] ?? "");
      this.text("note", game.state === "hidden" ? words.hidden : "");
      for (const [index, side] of game.sides.entries()) {
        for (const place of this.root.querySelectorAll(`[data-side="${index}"]`)) {
          const winner = game.winner !== null && game.winner === side.color;
          place.className = place.className.replace(/ (running|won|black|white|open)\b/g, "");
          place.className += ` ${side.color ?? "open"}${side.running ? " running" : ""}${winner ? " won" : ""}`;
          const put = (part, content) => {
            const one = place.querySelector(`[data-of=${part}]`);
            if (one) { one.textContent = content; one.hidden = content === ""; }
          };
          put("name", (lang === "en" && side.latin) || side.name);
          put("club", [side.club, words.grades?.[side.grade] ?? side.grade].filter(Boolean).join(" · "));
          put("right", side.draw_right ? words.right : "");
          put("score", game.score && side.color ? String(game.score[side.color === "black" ? 0 : 1]) : "");
        }
      }
      this.listMoves();
      this.step();
      this.count();
    }

    // Draw the current board, or the earlier one that was chosen.
    step() {
      const game = this.game, last = this.boards.length - 1, at = Math.min(this.at ?? last, last);
      if (this.board) {
        this.board.svg.parentNode.hidden = game.board === null && at === last;
        const move = at > 0 ? game.moves[at - 1].move : "";
        this.board.show(this.boards[at], /^[a-h][1-8]$/.test(move) ? move : "");
      }
      const cells = this.boards[at], counts = { black: 0, white: 0 };
      for (const cell of cells) if (SHOWN[cell]) counts[SHOWN[cell]]++;
      for (const [index, side] of game.sides.entries())
        for (const place of this.root.querySelectorAll(`[data-side="${index}"] [data-of=discs]`))
          place.textContent = game.board === null || !side.color ? "" : counts[side.color];
      const made = game.moves.slice(0, at).filter(({ move }) => move !== "--").length;  // passes have no number
      this.text("at", game.state === "hidden" || !game.moves.length ? "" : words.move.replace("{n}", made));
      for (const [number, one] of [...this.root.querySelectorAll("[data-part=moves] button")].entries())
        one.toggleAttribute("aria-current", number + 1 === at);
      const here = this.root.querySelector("[data-part=moves] [aria-current]");
      const list = here?.closest("[data-part=moves]");
      if (list) list.scrollTop = here.offsetTop - list.clientHeight / 2;
      this.root.classList.toggle("back", this.at !== null);
      this.showEvaluation();
    }

    listMoves() {
      const list = this.root.querySelector("[data-part=moves]");
      if (!list) return;
      let number = 0;
      list.replaceChildren(...this.game.moves.map(({ by, move, ms }, at) => {
        if (move !== "--") number++;
        const item = document.createElement("li"), button = document.createElement("button");
        const spent = ms === undefined ? "" : show(Math.round(Math.max(ms, 0) / 1000));
        for (const [name, content] of [["no", move === "--" ? "" : number], ["sq", move === "--" ? words.pass : move], ["ms", spent]]) {
          const one = document.createElement("span");
          one.className = name;
          one.textContent = content;
          button.append(one);
        }
        button.type = "button";
        item.className = by;
        button.addEventListener("click", () => this.go(at + 1));
        item.append(button);
        return item;
      }));
    }

    go(at) {
      const last = this.boards.length - 1;
      this.at = at >= last ? null : Math.max(0, at);
      this.step();
    }

    get shownAt() { return this.at ?? this.boards.length - 1; }

    count() {
      if (!this.game) return;
      for (const [index, side] of this.game.sides.entries())
        for (const place of this.root.querySelectorAll(`[data-side="${index}"] [data-of=clock]`)) {
          const text = this.game.state === "over" ? "" : clock(this.game, side);
          if (place.textContent !== text) place.textContent = text;
        }
    }

    // The evaluation, if it is public: Black's discs minus White's with best play, as far as it is computed.
    showEvaluation() {
      const worth = this.at === null ? this.game.worth : null, bar = this.root.querySelector("[data-part=worth]");
      if (!bar) return;
      bar.hidden = !worth;
      if (!worth) return;
      const all = (this.game.board ?? USUAL).length;
      bar.querySelector(".black").style.setProperty("--share", Math.min(1, Math.max(0, (worth.black + all) / (2 * all))));
      const sign = worth.black > 0 ? `${words.black} +${worth.black}` : worth.black < 0 ? `${words.white} +${-worth.black}` : "±0";
      bar.querySelector("b").textContent = (worth.exact ? "" : "≈ ") + sign;
      bar.querySelector("small").textContent = worth.exact ? words.exact : worth.by;
    }
  }

  // --- the games of the page

  const games = new Map();
  const hall = document.querySelector("[data-hall]");
  const stages = [...document.querySelectorAll("[data-stage]")].map((root) => new Stage(root));
  const stage = stages[0];
  const cards = new Map();
  let tables = [], wanted = null;

  function apply(message) {
    for (const game of message.games) games.set(game.table, game);
    tables = message.tables;
    const table = wanted ?? tables[0];
    if (games.has(table)) for (const one of stages) if (one.game !== games.get(table)) one.show(games.get(table));
    if (stage) document.body.classList.toggle("nothing", !games.has(table));
    if (hall) showHall();
  }

  function showHall() {
    const frame = document.getElementById("card");
    for (const [table, card] of cards) if (!tables.includes(table)) { card.root.remove(); cards.delete(table); }
    for (const table of tables) {
      if (!games.has(table)) continue;
      if (!cards.has(table)) {
        const root = frame.content.firstElementChild.cloneNode(true);
        root.href = pageData.index ? `#${table}` : `/live/${table}?lang=${lang}`;
        cards.set(table, new Stage(root));
      }
      const card = cards.get(table);
      if (card.game !== games.get(table)) card.show(games.get(table));
      hall.append(card.root);
    }
    document.body.classList.toggle("nothing", cards.size === 0);
  }

  setInterval(() => { for (const one of [...stages, ...cards.values()]) one.count(); }, 200);

  const single = stage?.root.querySelector(".steps") ? stage.root : null;
  if (single) {
    const go = (to) => { if (stage.game) stage.go(to); };
    const keys = () => ({ ArrowLeft: stage.shownAt - 1, ArrowRight: stage.shownAt + 1, Home: 0, End: Infinity });
    document.addEventListener("keydown", (event) => {
      if (!stage.game || event.altKey || event.ctrlKey || event.metaKey || !(event.key in keys())) return;
      event.preventDefault();
      go(keys()[event.key]);
    });
    for (const button of single.querySelectorAll(".steps [data-key]"))
      button.addEventListener("click", () => { if (stage.game) go(keys()[button.dataset.key]); });
    const board = single.querySelector("[data-part=board]");
    let from = null;
    board.addEventListener("touchstart", (event) => { from = event.touches[0]; }, { passive: true });
    board.addEventListener("touchend", (event) => {
      const to = event.changedTouches[0], right = to.clientX - from.clientX, down = to.clientY - from.clientY;
      if (Math.abs(right) > 40 && Math.abs(right) > 2 * Math.abs(down)) go(stage.shownAt + (right < 0 ? 1 : -1));
    });
  }

  // --- the source: the stream of a head, or the files of a relay on any web server

  function listen() {
    const source = new EventSource(pageData.stream);
    source.onmessage = (message) => {
      const content = JSON.parse(message.data);
      setNow(content.now, true);
      document.body.classList.remove("stale");
      apply(content);
    };
    source.onerror = () => document.body.classList.add("stale");
    addEventListener("pagehide", () => source.close(), { once: true });
  }

  async function poll() {
    const known = new Map();
    const chosen = () => decodeURIComponent(location.hash.slice(1));
    const get = async (path) => {
      const answer = await fetch(new URL(path, new URL(pageData.index, location.href)), { cache: "no-cache" });
      if (!answer.ok) throw new Error(answer.status);
      return answer.json();
    };
    const choose = (index) => {
      const name = chosen(), table = index.slots[name] ?? Number(name);
      wanted = name && index.games.some((one) => one.table === table) ? table : null;
      document.body.classList.toggle("one", wanted !== null);
      return index.games.filter((one) => wanted === null || one.table === wanted);
    };
    let index = null, newest = 0, newestAt = 0;
    const look = async () => {
      try {
        index = await get("");
        setNow(index.now_ms, false);
        if (index.now_ms !== newest) { newest = index.now_ms; newestAt = performance.now(); }
        const news = choose(index).filter((one) => known.get(one.table) !== one.number);
        const fresh = await Promise.all(news.map((one) => get(`${one.table}.json`)));
        for (const one of news) known.set(one.table, one.number);
        document.body.classList.toggle("stale", performance.now() - newestAt > 15000);
        apply({ tables: index.games.map((one) => one.table), games: fresh });
      } catch {
        document.body.classList.add("stale");
      }
    };
    addEventListener("hashchange", look);
    for (;;) {
      await look();
      await new Promise((done) => setTimeout(done, index?.every_ms ?? 3000));
    }
  }

  apply(pageData);
  if (pageData.index) poll();
  else if ("EventSource" in window) listen();
  addEventListener("pageshow", (event) => { if (event.persisted && pageData.stream) listen(); });
  globalThis.othelloLive = { stage, make, nameOf };
})();
