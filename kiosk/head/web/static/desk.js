// Entry of results from slips by keyboard, one line each. The effect of a key never depends on when the head answers.
"use strict";
(() => {
  const form = document.querySelector("form.typing");
  if (!form) return;
  const { table, black, black_discs: discs } = form.elements;
  const open = black.closest("label");
  const who = form.querySelector(".who");
  const message = form.querySelector(".confirmation");
  const lines = form.querySelector(".lines");  // lines being sent, and refused lines
  const plain = (text) => text.normalize("NFKC").trim();
  const rows = () => [...document.querySelectorAll("tr[data-table]")];
  const row = () => rows().find((one) => one.dataset.table === plain(table.value));
  const sent = new Set();  // games whose line is being sent or recorded
  const unsent = new Set();  // lines that came when their writer was signed out
  const last = new Map();  // table -> its latest line, so that lines of one table are sent in the order of typing

  function name() {
    const game = row();
    open.hidden = !(game && "open" in game.dataset);
    black.value = "";
    if (game) ["one", "other"].forEach((which, at) => { black.options[at + 1].text = `${at + 1} ${game.dataset[which]}`; });
    who.textContent = game ? `${game.dataset.one} – ${game.dataset.other}` : "";
  }

  const next = () => { const field = open.hidden ? discs : black; field.focus(); };

  function fill(line) {
    [table.value, discs.value] = [line.table, line.discs];
    name();
    black.value = line.black;
    (open.hidden || line.black || !line.discs ? discs : black).focus();
    discs.select();
  }

  function clear() {
    form.reset();
    name();
    table.focus();
  }

  const asked = table.value;  // the table whose row was tapped on another page
  table.defaultValue = "";
  table.value = asked;
  name();
  if (asked) next();
  restore();
  // A tap on the row of an open game begins its line.
  document.addEventListener("click", (event) => {
    const tapped = event.target.closest("tr[data-table], tr[data-enter]");
    if (!tapped || event.target.closest("button, a.full, tr[data-enter] a")) return;
    event.preventDefault();
    table.value = tapped.dataset.table ?? tapped.dataset.enter;
    discs.value = "";
    name();
    next();
    form.scrollIntoView({ block: "nearest" });
  });
  table.addEventListener("input", (event) => {
    if (event.isComposing) return;
    name();
    const typed = Number(plain(table.value));
    const most = Number(document.querySelector("[data-last-table]")?.dataset.lastTable);
    if (typed * 10 > most) next();  // no table number has more digits
  });
  table.addEventListener("compositionend", name);
  form.addEventListener("keydown", (event) => {
    const { target, key } = event;
    if (event.isComposing || event.ctrlKey || event.altKey || event.metaKey || target.type === "submit") return;
    const empty = !plain(target.value);
    if (key === "Enter" && (empty || target !== discs) || key === " " && target === table) {
      event.preventDefault();
      if (empty) return;  // nothing typed yet
      if (target === table) { name(); next(); } else discs.focus();
    } else if (target === black && key.length === 1 && key !== " ") {
      if ("12１２".includes(key)) { event.preventDefault(); black.value = plain(key); }
      discs.focus();  // any other key begins the discs; the head then asks who had Black
    } else if (key === "ArrowUp" && target === table && empty) {
      event.preventDefault();
      lines.querySelector(".warnings:last-child button")?.click();
    } else if (key === "Escape") clear();
  });

  async function send(line) {
    const { csrf } = form.elements;
    const body = new URLSearchParams({ csrf: csrf.value, table: line.table, game: line.game ?? "", black: line.black, black_discs: line.discs });
    try {
      const response = await fetch(`${form.getAttribute("action")}.json`, { method: "POST", body, keepalive: true });
      return { recorded: response.ok, signedOut: response.status === 403, ...await response.json() };
    } catch {
      return { recorded: false, said: form.dataset.lost };
    }
  }

  function showAnswer(line, answer) {
    if (answer.recorded) {
      const undo = document.querySelector(".last-done");  // of a change that is the last no more; its place is kept
      if (undo) undo.style.visibility = "hidden";
      message.textContent = `${answer.said} ✓`;
      for (const one of lines.querySelectorAll(".warnings")) if (one.dataset.table === plain(line.table)) one.remove();
      line.shown.remove();
      return;
    }
    sent.delete(line.game);
    const again = document.createElement("button");
    again.type = "button";
    again.className = "small quiet";
    again.textContent = form.dataset.again;
    again.addEventListener("click", () => {
      line.shown.remove();
      unsent.delete(line);
      fill(line);
      if (!answer.signedOut) return;
      sessionStorage.setItem("unsent", JSON.stringify([...unsent].map(({ table, black, discs }) => ({ table, black, discs }))));
      form.submit();  // the head keeps this line and asks to sign in
    });
    if (answer.signedOut) unsent.add(line);
    line.shown.className = "warnings";
    line.shown.textContent = `${line.table} ${line.discs}: ${answer.signedOut ? form.dataset.signedOut : answer.said} `;
    line.shown.append(again);
    lines.append(line.shown);
  }

  // Lines that waited when their writer was signed out.
  function restore() {
    for (const line of JSON.parse(sessionStorage.getItem("unsent") ?? "[]")) {
      line.shown = document.createElement("li");
      line.shown.dataset.table = plain(line.table);
      showAnswer(line, { recorded: false, said: form.dataset.lost });
    }
    sessionStorage.removeItem("unsent");
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!plain(table.value) || !plain(discs.value)) return;
    const game = row(), number = plain(table.value);
    const line = { table: table.value, black: black.value, discs: discs.value, game: game?.dataset.game };
    line.shown = document.createElement("li");
    line.shown.dataset.table = number;
    line.shown.className = "pending";
    line.shown.textContent = `${line.table} ${line.discs} … ${form.dataset.wait}`;
    lines.prepend(line.shown);
    sent.add(line.game);
    const turn = (last.get(number) ?? Promise.resolve()).then(() => send(line)).then((answer) => showAnswer(line, answer));
    last.set(number, turn);
    clear();
    const match = game?.dataset.match;  // continue with the next board of a team match
    const board = match && rows().find((one) => one.dataset.match === match && !sent.has(one.dataset.game));
    if (!board) return;
    table.value = board.dataset.table;
    name();
    next();
  });

  // Warn before leaving while lines are being sent: their result would not be seen.
  addEventListener("beforeunload", (event) => { if (lines.querySelector(".pending")) event.preventDefault(); });
})();
