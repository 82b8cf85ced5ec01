// Makes a PNG of the heading and the table of the page, to be sent in a chat.
"use strict";
(() => {
  const button = document.querySelector("button.picture");
  if (!button) return;
  button.hidden = false;
  const SIZE = 28, ROW = 46, EDGE = 28, GAP = 34;

  // The text of a cell: a disc becomes a character, small print comes last.
  function text(cell) {
    const copy = cell.cloneNode(true);
    for (const disc of copy.querySelectorAll("svg")) disc.replaceWith(disc.matches(".black, .black *") ? "● " : disc.matches(".white, .white *") ? "○ " : "");
    for (const small of copy.querySelectorAll("small")) small.prepend(" ");
    return copy.textContent.replace(/\s+/g, " ").trim();
  }

  function draw() {
    const table = document.querySelector(button.dataset.of ?? "main table.list");
    const title = document.querySelector("main h1").innerText;
    const rows = [...table.rows].map((row) => [...row.cells].map((cell) => ({ content: text(cell), right: cell.classList.contains("num"), head: cell.tagName === "TH" })));
    const canvas = document.createElement("canvas");
    const pen = canvas.getContext("2d");
    const font = (weight, size) => { pen.font = `${weight} ${size}px ${getComputedStyle(document.body).fontFamily}`; };
    font(600, SIZE);
    const widths = rows[0].map((_, at) => Math.max(...rows.map((row) => pen.measureText(row[at]?.content ?? "").width)));
    font(700, SIZE * 1.3);
    const inner = Math.max(widths.reduce((sum, one) => sum + one + GAP, -GAP), pen.measureText(title).width);
    canvas.width = Math.ceil(inner + 2 * EDGE);
    canvas.height = EDGE * 3 + ROW * (rows.length + 1);
    pen.fillStyle = "#fff";
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.fillStyle = "#14181b";
    font(700, SIZE * 1.3);
    pen.fillText(title, EDGE, EDGE + SIZE);
    rows.forEach((row, number) => {
      const top = EDGE * 2 + ROW * (number + 1);
      if (number % 2 === 0 && number) { pen.fillStyle = "#eef3f1"; pen.fillRect(0, top - ROW * 0.72, canvas.width, ROW); pen.fillStyle = "#14181b"; }
      let left = EDGE;
      row.forEach((cell, at) => {
        font(cell.head ? 600 : 400, SIZE);
        pen.textAlign = cell.right ? "right" : "left";
        pen.fillText(cell.content, cell.right ? left + widths[at] : left, top);
        left += widths[at] + GAP;
      });
    });
    return canvas;
  }

  button.addEventListener("click", () => draw().toBlob(async (blob) => {
    const name = `${document.querySelector("main h1").innerText.trim().replace(/[\\/:*?"<>|\s]+/g, "-")}.png`;
    const file = new File([blob], name, { type: "image/png" });
    if (navigator.canShare?.({ files: [file] })) {
      try { await navigator.share({ files: [file] }); return; } catch (error) { if (error.name === "AbortError") return; }
    }
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }, "image/png"));
})();
