// "Copy the list": copies a textarea to the clipboard; if the browser forbids that, the text is left selected.
"use strict";
for (const button of document.querySelectorAll("[data-copies]")) {
  const source = document.getElementById(button.dataset.copies);
  if (!source) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    let done = false;
    if (navigator.clipboard) done = await navigator.clipboard.writeText(source.value).then(() => true, () => false);
    if (!done) {
      source.closest("details").open = true;
      source.select();
      done = document.execCommand("copy");
    }
    if (done) button.textContent = button.dataset.done;
  });
}
