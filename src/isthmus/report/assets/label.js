// Labels that the reader gives. They are in this page alone until they are downloaded, for `isthmus fit --labels`.
const given = (() => {
  const labels = new Map(); // row -> class number, in the order in which they were given
  const before = []; // what each of these replaced: [row, class number or undefined]
  const find = (id) => document.getElementById(id);
  let saved = true;

  function show() {
    const n = labels.size;
    find("given").hidden = !n;
    find("given-count").textContent = `${n.toLocaleString("en")} ${n === 1 ? "label" : "labels"} given here`;
  }

  function give(row, number) {
    before.push([row, labels.get(row)]);
    labels.delete(row); // so that it is the last one
    labels.set(row, number);
    saved = false;
    show();
  }

  function undo() {
    const [row, number] = before.pop() ?? [];
    if (row !== undefined) labels.delete(row);
    if (number !== undefined) labels.set(row, number);
    show();
    return row;
  }

  const quoted = (value) => `"${String(value).replaceAll('"', '""')}"`;

  // A file of rows, as a download.
  function download(file, head, rows) {
    const lines = [head, ...rows].map((row) => row.map(quoted).join(","));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([lines.join("\n") + "\n"], { type: "text/csv" }));
    link.download = file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  // Those that are drawn at random measure how good the labels were: the others were chosen.
  function save(data, name) {
    const kinds = new Map([...document.querySelectorAll("[data-kind]")].map((one) => [Number(one.dataset.row), one.dataset.kind]));
    const rows = [...labels].map(([row, number]) => [name(row), data.classes[number], data.classes[data.order[row][0]], kinds.get(row) ?? "chosen", data.texts[row]]);
    download("labels.csv", ["id", "label", "guess", "kind", "text"], rows);
    saved = true;
  }

  addEventListener("beforeunload", (event) => {
    if (!saved && labels.size) event.preventDefault();
  });
  return { labels, give, undo, save, download };
})();
