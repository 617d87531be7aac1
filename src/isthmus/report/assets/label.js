// Labels that the reader gives. They are in this page alone until they are downloaded, for `isthmus fit --labels`.
const given = (() => {
  const labels = new Map(); // row -> class number, in the order in which they were given
  const find = (id) => document.getElementById(id);
  let saved = true;

  function show() {
    const n = labels.size;
    find("given").hidden = !n;
    find("given-count").textContent = `${n.toLocaleString("en")} ${n === 1 ? "label" : "labels"} given here`;
  }

  function give(row, number) {
    labels.delete(row); // so that it is the last one
    labels.set(row, number);
    saved = false;
    show();
  }

  function undo() {
    const last = [...labels.keys()].at(-1);
    if (last !== undefined) labels.delete(last);
    show();
    return last;
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

  function save(data, name) {
    const rows = [...labels].map(([row, number]) => [name(row), data.classes[number], data.classes[data.order[row][0]], data.texts[row]]);
    download("labels.csv", ["id", "label", "guess", "text"], rows);
    saved = true;
  }

  addEventListener("beforeunload", (event) => {
    if (!saved && labels.size) event.preventDefault();
  });
  return { labels, give, undo, save, download };
})();
