// Photograph of a board: taps correct the recognised discs; differences from the table's boards are marked and listed.
// Nothing is sent before "keep". If no board was found, four points are moved by finger, mouse or arrow keys.
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
const scene = document.getElementById("scene");
if (scene) {
  const points = [...scene.querySelectorAll("button")];
  const at = points.map((point) => [Number(point.dataset.x), Number(point.dataset.y)]);
  const draw = () => {
    points.forEach((point, index) => { point.style.left = `${100 * at[index][0]}%`; point.style.top = `${100 * at[index][1]}%`; });
    scene.querySelector("path").setAttribute("d", `M${at.join("L")}Z`);
    document.getElementById("corners").value = at.flat().map((share) => share.toFixed(5)).join(" ");
  };
  const move = (index, x, y) => { at[index] = [x, y].map((share) => Math.min(Math.max(share, 0), 1)); draw(); };
  points.forEach((point, index) => {
    let from = null;
    point.addEventListener("pointerdown", (event) => { point.setPointerCapture(event.pointerId); from = [event.clientX, event.clientY, ...at[index]]; });
    point.addEventListener("pointermove", (event) => {
      if (!from) return;
      const box = scene.getBoundingClientRect();
      move(index, from[2] + (event.clientX - from[0]) / box.width, from[3] + (event.clientY - from[1]) / box.height);
    });
    for (const end of ["pointerup", "pointercancel"]) point.addEventListener(end, () => { from = null; });
    point.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (!way) return;
      event.preventDefault();
      move(index, at[index][0] + way[0] / 400, at[index][1] + way[1] / 400);
    });
  });
  draw();
}
