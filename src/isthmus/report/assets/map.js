// Two maps of the same documents. Source: rings. Target: dots. Pointing at one shows it in both.
{
  const points = JSON.parse(document.getElementById("points").textContent);
  const maps = ["before", "after"].map((id) => ({ canvas: document.getElementById(id), places: points[id] }));
  const shows = ["show-source", "show-target"].map((id) => document.getElementById(id));
  const n = points.domain.length;
  const MARGIN = 12;
  const RADIUS = n > 1500 ? 2.5 : 3.5;
  let lit = -1;
  let colors = [];
  document.getElementById("sampled").hidden = !points.sampled;

  const place = (map, i) => {
    const { clientWidth: width, clientHeight: height } = map.canvas;
    return [
      MARGIN + (map.places[2 * i] / 1000) * (width - 2 * MARGIN),
      height - MARGIN - (map.places[2 * i + 1] / 1000) * (height - 2 * MARGIN),
    ];
  };

  function readColors() {
    const probe = document.body.appendChild(document.createElement("span"));
    colors = Array.from({ length: 10 }, (_, number) => {
      probe.className = `swatch k${number}`;
      return getComputedStyle(probe).backgroundColor;
    });
    probe.remove();
  }

  function draw(map) {
    const { canvas } = map;
    const scale = devicePixelRatio || 1;
    canvas.width = canvas.clientWidth * scale;
    canvas.height = canvas.clientHeight * scale;
    const pen = canvas.getContext("2d");
    pen.scale(scale, scale);
    pen.lineWidth = 1.2;
    pen.globalAlpha = 0.7;
    for (let i = 0; i < n; i++) {
      if (!shows[points.domain[i]].checked) continue;
      pen.beginPath();
      pen.arc(...place(map, i), RADIUS, 0, 2 * Math.PI);
      if (points.domain[i]) {
        pen.fillStyle = colors[points.class[i] % 10];
        pen.fill();
      } else {
        pen.strokeStyle = colors[points.class[i] % 10];
        pen.stroke();
      }
    }
    if (lit >= 0) {
      pen.globalAlpha = 1;
      pen.lineWidth = 2.5;
      pen.strokeStyle = getComputedStyle(document.body).color;
      pen.beginPath();
      pen.arc(...place(map, lit), RADIUS + 4, 0, 2 * Math.PI);
      pen.stroke();
    }
  }

  const drawAll = () => maps.forEach(draw);

  function nearest(map, x, y) {
    let best = -1;
    let least = 14 ** 2;
    for (let i = 0; i < n; i++) {
      if (!shows[points.domain[i]].checked) continue;
      const [px, py] = place(map, i);
      const distance = (px - x) ** 2 + (py - y) ** 2;
      if (distance < least) {
        least = distance;
        best = i;
      }
    }
    return best;
  }

  function light(map, i) {
    if (i !== lit) {
      lit = i;
      drawAll();
    }
    if (i < 0) return tip.hide();
    const box = map.canvas.getBoundingClientRect();
    const [x, y] = place(map, i);
    const text = points.domain[i] ? table.excerpt(points.row[i]) : points.texts[i];
    const kind = `${points.domain[i] ? "Target" : "Source"}, ${table.data.classes[points.class[i]]}`;
    tip.show(`${kind}: ${text}`, { left: box.left + x, width: 0, top: box.top + y - 6, bottom: box.top + y + 6 });
  }

  for (const map of maps) {
    const at = (event) => nearest(map, event.offsetX, event.offsetY);
    map.canvas.addEventListener("pointermove", (event) => light(map, at(event)));
    map.canvas.addEventListener("pointerleave", () => light(map, -1));
    map.canvas.addEventListener("click", (event) => {
      const i = at(event);
      // A finger's first tap shows the document, a second one opens it.
      if (i >= 0 && i === lit && points.domain[i]) table.show(points.row[i]);
    });
  }
  const refresh = () => {
    readColors();
    drawAll();
  };
  for (const box of shows) box.addEventListener("input", drawAll);
  document.addEventListener("theme", refresh);
  new ResizeObserver(drawAll).observe(maps[0].canvas);
  refresh();
}
