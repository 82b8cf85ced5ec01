// "Copy the list": what a textarea holds goes to the clipboard; over plain http only the old way is left.
"use strict";
for (const button of document.querySelectorAll("[data-copies]")) {
  const source = document.getElementById(button.dataset.copies);
  if (!source) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    if (navigator.clipboard) await navigator.clipboard.writeText(source.value);
    else {
      source.closest("details").open = true;
      source.select();
      document.execCommand("copy");
    }
    button.textContent = button.dataset.done;
  });
}
