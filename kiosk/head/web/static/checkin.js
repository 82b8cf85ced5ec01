// Check-in page: filters the list while typing, and sends a mark without reloading the page.
"use strict";
(() => {
  const roll = document.querySelector("form.roll");
  const form = document.querySelector("form.find");
  if (!roll || !form) return;
  const field = form.elements.find;
  const index = document.querySelector(".index");
  const variants = new Map();
  const signs = [...form.dataset.variants];
  for (let at = 0; at < signs.length; at += 2) variants.set(signs[at], signs[at + 1]);
  // the same normalisation as kiosk.records.japanese_name_search_and_order.search_key
  const plain = (text) => [...text].map((sign) => variants.get(sign) ?? sign).join("").normalize("NFKC").toLowerCase()
    .replace(/[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]|\udb40[\udd00-\uddef]/g, "")
    .replace(/[ァ-ヶ]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0x60)).replace(/\s+/g, "");
  const rows = () => [...roll.querySelectorAll("tbody tr")];
  let row = "";

  function filterRows() {
    const wanted = plain(field.value);
    for (const one of rows()) {
      one.hidden = !one.dataset.find.includes(wanted) || (row && one.dataset.row !== row);
      one.classList.toggle("next", false);
    }
    const none = wanted && !rows().some((one) => !one.hidden);
    form.querySelector("output").textContent = none ? form.dataset.none : "";
    // its buttons mark all players, not only those that are shown
    for (const all of roll.querySelectorAll(".links")) all.hidden = Boolean(wanted || row);
    const only = wanted && onlyMatch();
    if (only) only.classList.add("next");
  }

  // the only player found, if he is awaited: with two, the second Enter would mark the other
  function onlyMatch() {
    const found = rows().filter((each) => !each.hidden);
    return found.length === 1 && found[0].querySelector("button[value^='here ']") ? found[0] : null;
  }
  field.addEventListener("input", filterRows);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const only = field.value.trim() && onlyMatch();
    if (only) mark(only.querySelector("button[value^='here ']"));
    const several = rows().filter((each) => !each.hidden).length > 1;
    if (field.value.trim() && several) form.querySelector("output").textContent = form.dataset.several;
    if (!several) field.select();
  });
  if (index) {
    index.hidden = false;
    index.addEventListener("click", ({ target }) => {
      if (target.tagName !== "BUTTON") return;
      row = target.value;
      for (const one of index.children) one.setAttribute("aria-pressed", one === target);
      filterRows();
    });
  }

  roll.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (!button?.value.includes(" ")) return;  // a button for all players reloads the page
    event.preventDefault();
    mark(button);
  });

  async function mark(button) {
    const line = button.closest("tr");
    const form = new URLSearchParams(new FormData(roll));
    form.set("mark", button.value);
    button.disabled = true;
    try {
      const response = await fetch(roll.getAttribute("action"), { method: "POST", body: form });
      if (response.status === 403) {  // the head keeps the mark and asks to sign in
        roll.append(Object.assign(document.createElement("input"), { type: "hidden", name: button.name, value: button.value }));
        roll.submit();
        return;
      }
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      if (!response.ok) throw new Error(page.querySelector(".refused p")?.textContent);
      const id = button.value.split(" ")[1];
      const now = page.querySelector(`button[value$=" ${CSS.escape(id)}"]`)?.closest("tr");
      if (!now) { location.reload(); return; }
      roll.querySelector(".links")?.remove();
      const all = page.querySelector("form.roll .links");
      if (all) roll.append(Object.assign(document.importNode(all, true), { hidden: Boolean(plain(field.value) || row) }));
      const focused = line.contains(document.activeElement);
      line.className = now.className;
      line.querySelector(".marks").replaceWith(document.importNode(now.querySelector(".marks"), true));
      document.querySelector("h1").replaceChildren(...document.importNode(page.querySelector("h1"), true).childNodes);
      const undo = page.querySelector(".last-done");  // the mark is the last change now
      if (undo) document.querySelector(".last-done")?.replaceWith(document.importNode(undo, true));
      if (focused) line.querySelector("button")?.focus({ preventScroll: true });
    } catch (error) {
      button.disabled = false;
      line.querySelector(".lost")?.remove();
      const message = document.createElement("p");
      message.className = "lost warnings";
      message.setAttribute("role", "alert");
      message.textContent = error.message && !(error instanceof TypeError) ? error.message : roll.dataset.lost;
      line.querySelector(".marks").append(message);
    }
  }
  filterRows();
})();
