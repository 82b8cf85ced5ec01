// Results typed from slips: one line, by keyboard alone. Nothing that is typed waits for the head.
"use strict";
(() => {
  const form = document.querySelector("form.typing");
  if (!form) return;
  const { table, black, black_discs: discs } = form.elements;
  const open = black.closest("label");
  const who = form.querySelector(".who");
  const said = form.querySelector(".said");
  const plain = (text) => text.normalize("NFKC").trim();
  const rows = () => [...document.querySelectorAll("tr[data-table]")];
  const row = () => rows().find((one) => one.dataset.table === plain(table.value));

  function name() {
    const game = row();
    open.hidden = !(game && "open" in game.dataset);
    black.value = "";
    if (game) ["one", "other"].forEach((which, at) => { black.options[at + 1].text = `${at + 1} ${game.dataset[which]}`; });
    who.textContent = game ? `${game.dataset.one} – ${game.dataset.other}` : "";
  }

  const next = () => { const field = open.hidden ? discs : black; field.focus(); };

  name();
  table.addEventListener("input", (event) => {
    if (event.isComposing) return;
    name();
    const typed = Number(plain(table.value));
    const last = Number(document.querySelector("[data-last-table]")?.dataset.lastTable);
    if (typed * 10 > last) next();  // no table's number goes on like this
  });
  table.addEventListener("compositionend", name);
  form.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const { target, key } = event;
    if (target === table && (key === "Enter" || key === " ")) { event.preventDefault(); name(); next(); }
    if (target === black && "12１２".includes(key)) {
      event.preventDefault();
      black.value = plain(key);
      discs.focus();
    }
    if (key === "Escape") { form.reset(); name(); table.focus(); }
  });

  function tell(text, refused) {
    said.textContent = text;
    said.className = refused ? "said warnings" : "said";
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const line = new URLSearchParams(new FormData(form));
    const typed = [table.value, black.value, discs.value];
    form.reset();
    name();
    table.focus();
    tell(`${typed[0]} ${typed[2]} … ${form.dataset.wait}`, false);
    let answer;
    try {
      const heard = await fetch(`${form.getAttribute("action")}.json`, { method: "POST", body: line });
      answer = { recorded: heard.ok, ...await heard.json() };
    } catch {
      answer = { recorded: false, said: form.dataset.lost };
    }
    tell(answer.recorded ? `${answer.said} ✓` : `${typed[0]} ${typed[2]}: ${answer.said ?? answer.error}`, !answer.recorded);
    if (answer.next && !table.value && !discs.value) {  // the match's next board
      table.value = answer.next;
      name();
      next();
    }
    if (!answer.recorded && !table.value && !discs.value) {  // put back what was typed, unless he types on
      [table.value, discs.value] = [typed[0], typed[2]];
      name();
      black.value = typed[1];
      (open.hidden || typed[1] ? discs : black).focus();
      if (document.activeElement === discs) discs.select();
    }
  });
})();
