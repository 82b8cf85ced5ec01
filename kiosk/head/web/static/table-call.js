// Rings and vibrates when the open page shows its player another table. Browsers allow both only after a tap.
"use strict";
(() => {
  const root = document.getElementById("items");
  const calls = () => [...root.querySelectorAll("[data-called]")].map((one) => one.dataset.called);
  let sound = null;  // null: nobody has tapped yet
  let awake = false;
  const announced = new Set();

  async function keepAwake() {
    // Only pages over https may keep the screen on.
    const lock = await navigator.wakeLock?.request("screen").catch(() => null);
    awake = Boolean(lock);
    lock?.addEventListener("release", () => { awake = false; show(); });
    show();
  }

  function show() {
    const hide = (css, hidden) => { for (const one of root.querySelectorAll(css)) one.hidden = hidden; };
    hide(".notify .off", sound !== null);
    hide(".notify .on", sound === null);
    hide(".notify .asleep", sound === null || awake);
  }

  function ring(times) {
    navigator.vibrate?.(Array(times).fill([400, 200]).flat());
    sound.resume();
    for (let one = 0; one < times; one += 1) {
      const tone = sound.createOscillator();
      tone.frequency.value = 880;
      tone.connect(sound.destination);
      tone.start(sound.currentTime + 0.6 * one);
      tone.stop(sound.currentTime + 0.6 * one + 0.4);
    }
  }

  root.addEventListener("click", (event) => {
    if (!event.target.closest(".notify button")) return;
    sound ??= new AudioContext();
    for (const call of calls()) announced.add(call);
    ring(1);
    show();
    keepAwake();
  });
  document.addEventListener("visibilitychange", () => { if (sound && !document.hidden && !awake) keepAwake(); });

  new MutationObserver(() => {
    show();
    const fresh = calls().filter((call) => !announced.has(call));
    if (!sound || !fresh.length) return;
    for (const call of fresh) announced.add(call);
    ring(5);
    root.querySelector("[data-called]").scrollIntoView({ block: "center" });
  }).observe(root, { childList: true, subtree: true });
  show();
})();
