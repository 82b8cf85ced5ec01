// Taps correct what was read; what differs from the table's boards is marked and named. Nothing is sent before "keep".
const taken = document.getElementById("taken");
if (taken) {
  const cells = [...taken.dataset.cells];
  const squares = [...taken.querySelectorAll("button")];
  const kinds = { X: "black", O: "white", "-": "", "?": "unread" };
  const next = { X: "O", O: "-", "-": "?", "?": "X" };
  const show = () => {
    const last = taken.dataset.board;
    squares.forEach((square, at) => {
      square.className = kinds[cells[at]];
      square.classList.toggle("differs", Boolean(last) && last[at] !== cells[at]);
    });
    document.getElementById("cells").value = cells.join("");
    for (const [name, cell] of [["black", "X"], ["white", "O"], ["unread", "?"]])
      document.getElementById(name).textContent = cells.filter((one) => one === cell).length;
    for (const line of document.querySelectorAll(".compared")) {
      const board = taken.dataset[line.dataset.kind];
      const away = squares.filter((_, at) => board[at] !== cells[at]).map((square) => square.getAttribute("aria-label"));
      line.querySelector("b").textContent = away.length ? away.join(" ") : "–";
    }
  };
  squares.forEach((square, at) => square.addEventListener("click", () => { cells[at] = next[cells[at]]; show(); }));
  show();
}
