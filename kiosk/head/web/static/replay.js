// Steps through a game by keys and by swiping over the board; without this script the links do the same.
"use strict";
const steps = [...document.querySelectorAll(".stage .step")];
const shown = () => {
  const at = steps.findIndex((step) => "#" + step.id === location.hash);
  return at < 0 ? steps.length - 1 : at;
};
const show = (at) => {
  const step = steps[Math.max(0, Math.min(steps.length - 1, at))];
  location.replace("#" + step.id);
};
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const last = steps.length - 1;
  const to = { ArrowLeft: shown() - 1, ArrowRight: shown() === last ? 0 : shown() + 1, Home: 0, End: last }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  show(to);
});
const stage = document.querySelector(".stage");
let from = null;
stage.addEventListener("touchstart", (event) => { from = event.touches[0]; }, { passive: true });
stage.addEventListener("touchend", (event) => {
  const to = event.changedTouches[0], right = to.clientX - from.clientX, down = to.clientY - from.clientY;
  if (Math.abs(right) > 40 && Math.abs(right) > 2 * Math.abs(down)) show(shown() + (right < 0 ? 1 : -1));
});
