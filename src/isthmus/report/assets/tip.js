// A line of text beside whatever is pointed at. Text only: what it says is never read as HTML.
const tip = (() => {
  const box = document.getElementById("tip");
  return {
    show(text, rect) {
      box.textContent = text;
      box.hidden = false;
      const { width, height } = box.getBoundingClientRect();
      const room = document.documentElement.clientWidth;
      const left = Math.max(8, Math.min(rect.left + rect.width / 2 - width / 2, room - width - 8));
      const above = rect.top - height - 8;
      box.style.left = `${left + scrollX}px`;
      box.style.top = `${(above > 8 ? above : rect.bottom + 8) + scrollY}px`;
    },
    hide() {
      box.hidden = true;
    },
  };
})();
addEventListener("keydown", (event) => event.key === "Escape" && tip.hide());

// The next of several elements in the direction of an arrow key; `place` says where an element stands.
function neighbor(elements, from, key, place) {
  const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  if (!step) return null;
  const [x, y] = place(from);
  let best = null;
  let least = Infinity;
  for (const element of elements) {
    const [dx, dy] = [place(element)[0] - x, place(element)[1] - y];
    const along = dx * step[0] + dy * step[1];
    const across = Math.abs(dx * step[1]) + Math.abs(dy * step[0]);
    if (along > 1 && along + 3 * across < least) {
      least = along + 3 * across;
      best = element;
    }
  }
  return best;
}
