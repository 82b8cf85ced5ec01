// Live updates of an open page: replaces changed items and counts running clocks.
"use strict";
(() => {
  const body = document.body;
  const speed = Number(body.dataset.speed) || 1;
  let serverNow = Number(body.dataset.now);
  let receivedAt = performance.now();

  const skew = Number(body.dataset.wall) - Date.now();  // a phone's own clock may be wrong

  const now = () => serverNow + (performance.now() - receivedAt) * speed;
  const show = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

  // A clock counts from the time left at the table's last record; below zero it shows 0:00.
  function count() {
    const at = now();
    for (const clock of document.querySelectorAll(".clock[data-left]")) {
      const left = Number(clock.dataset.left) - (at - Number(clock.dataset.from));
      const text = show(Math.ceil(Math.max(left, 0) / 1000));
      if (clock.textContent !== text) clock.textContent = text;
    }
    for (const clock of document.querySelectorAll(".clock[data-until]")) {
      const wall = Date.now() + skew;
      const next = clock.dataset.until.split(" ").map(Number).find((one) => one > wall);
      const text = next ? show(Math.ceil((next - wall) / 1000)) : "";
      if (clock.textContent !== text) clock.textContent = text;
    }
    for (const clock of document.querySelectorAll(".clock[data-since]")) {
      const text = show(Math.floor(Math.max(at - Number(clock.dataset.since), 0) / 1000));
      if (clock.textContent !== text) clock.textContent = text;
    }
  }

  const root = document.getElementById("items");
  const sections = () => new Map([...(root?.children ?? [])].map((item) => [item.dataset.key, item]));
  // drawn: the HTML of each item; held: the newer HTML of an item that is being used.
  const drawn = new Map([...sections()].map(([key, item]) => [key, item.innerHTML]));
  const held = new Map();

  let pressed = null;
  addEventListener("pointerdown", (event) => { pressed = event.target; }, true);
  for (const end of ["click", "pointercancel"]) addEventListener(end, () => { pressed = null; }, true);
  addEventListener("pointerup", (event) => setTimeout(() => { if (pressed === event.target) pressed = null; }, 500), true);

  function isChanged(field) {
    switch (field.type) {
      case "radio": case "checkbox": return field.checked !== field.defaultChecked;
      case "select-one": return field.value !== (field.querySelector("[selected]") ?? field.options[0])?.value;
      default: return field.value !== field.defaultValue;
    }
  }

  const opened = new WeakSet();
  addEventListener("click", (event) => {
    const summary = event.target.closest?.("summary");
    if (summary) opened.add(summary.parentElement);
  }, true);

  // An item is not replaced while it is pressed or has the focus, a changed field or a part that the reader opened.
  const isInUse = (item) => item.contains(document.activeElement) && document.activeElement !== body
    || pressed !== null && item.contains(pressed)
    || [...item.querySelectorAll("details[open]")].some((part) => opened.has(part))
    || [...item.querySelectorAll("input, textarea, select")].some(isChanged);

  // The first message of every connection contains all items; unchanged ones are not replaced.
  function draw(item, html) {
    const key = item.dataset.key;
    const parsed = document.createElement("template");
    parsed.innerHTML = html;
    if (parsed.innerHTML === drawn.get(key)) { held.delete(key); return; }
    if (drawn.has(key) && isInUse(item)) { held.set(key, html); return; }
    held.delete(key);
    drawn.set(key, parsed.innerHTML);
    item.innerHTML = html;
  }

  function drawHeld() {
    const there = sections();
    for (const [key, html] of [...held]) draw(there.get(key), html);
  }

  function update(items) {
    if (!root) { location.reload(); return; }
    const there = sections();
    let previous = null;
    for (const [key, html] of items) {
      let item = there.get(key);
      if (!item) {
        item = document.createElement("section");
        item.dataset.key = key;
        item.className = key.split("-")[0];
      }
      if (html !== null) draw(item, html);
      const next = previous ? previous.nextElementSibling : root.firstElementChild;
      if (item !== next && !(there.has(key) && isInUse(item))) root.insertBefore(item, next);
      previous = item;
      there.delete(key);
    }
    for (const [key, gone] of there) {
      gone.remove();
      drawn.delete(key);
      held.delete(key);
    }
  }

  function listen() {
    const source = new EventSource(body.dataset.stream + location.search);
    source.onmessage = (message) => {
      const { now: at, items } = JSON.parse(message.data);
      serverNow = at;
      receivedAt = performance.now();
      body.classList.remove("stale");
      if (items) update(items);
      count();
    };
    source.onerror = () => body.classList.add("stale");
    // Close the stream of a page kept for the back button: browsers open only six connections to one host.
    addEventListener("pagehide", () => source.close(), { once: true });
  }

  // A refused form is shown again with what was typed.
  document.querySelector("[data-typed]")?.addEventListener("click", (event) => {
    if (!document.referrer.startsWith(location.origin) || history.length < 2) return;
    event.preventDefault();
    history.back();
  });

  // Completion of names from the player list.
  for (const field of document.querySelectorAll("input[data-names]")) {
    const list = document.getElementById(field.getAttribute("list"));
    let asked = "";
    field.addEventListener("input", async () => {
      const typed = field.value.trim();
      if (typed.length < 1 || typed === asked) return;
      asked = typed;
      const answer = await fetch(`${field.dataset.names}?q=${encodeURIComponent(typed)}`);
      if (!answer.ok || field.value.trim() !== typed) return;
      list.replaceChildren(...(await answer.json()).map((name) => new Option(name, name)));
    });
  }

  // A head that hangs sends nothing, but its connection stays open.
  const SILENT_MS = 15000;
  function checkSilence() {
    const silent = performance.now() - receivedAt > SILENT_MS;
    if (silent) body.classList.add("stale");
    document.getElementById("silent").hidden = !silent;
  }

  count();
  setInterval(() => { drawHeld(); count(); }, 250);
  if (body.dataset.stream && "EventSource" in window) {
    listen();
    setInterval(checkSilence, 1000);
    addEventListener("pageshow", (event) => { if (event.persisted) listen(); });
  }
})();
