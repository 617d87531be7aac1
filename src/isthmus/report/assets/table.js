// The table of documents. Only the rows that can be seen are elements; all others are numbers in `view`.
const table = (() => {
  const data = JSON.parse(document.getElementById("documents").textContent);
  const find = (id) => document.getElementById(id);
  const [form, scroller, rows, found] = ["filters", "scroller", "rows", "found"].map(find);
  const n = data.texts.length;
  const label = Uint16Array.from(data.order, (order) => order[0]);
  const confidence = Uint16Array.from(data.shares, (shares) => shares[0]); // in ten thousandths
  const name = (row) => (data.ids ? data.ids[row] : String(row + 1));
  const keys = { confidence, label }; // what to sort by; the order of ids is found out when it is asked for
  const EXTRA = 4; // rows above and below the window
  const ON_PAPER = 40; // rows to print

  let view = Uint32Array.from({ length: n }, (_, row) => row);
  let sort = { by: "row", down: false };
  let needle = "";
  let open = -1; // the document that is shown in full
  let openHeight = 0;
  let rowHeight = 60;
  let shown = new Map(); // place in the view -> element
  let lower = null; // texts in lower case, for searching
  let printing = false;

  // ---- elements

  function make(tag, className, ...children) {
    const element = document.createElement(tag);
    if (className) element.className = className;
    element.append(...children);
    return element;
  }

  function meter(number, share) {
    const bar = make("i");
    bar.style.width = `${share / 100}%`;
    return make("span", `meter k${number % 10}`, bar);
  }

  function kindCell(row) {
    const cell = make("span", "kind", make("span", `swatch k${label[row] % 10}`), data.classes[label[row]]);
    if (data.truth && data.truth[row] >= 0) {
      const right = data.truth[row] === label[row];
      cell.append(make("small", right ? "" : "wrong", right ? "✓ right" : `✗ ${data.classes[data.truth[row]]}`));
    }
    if (given.labels.has(row)) cell.append(make("small", "", `yours: ${data.classes[given.labels.get(row)]}`));
    return cell;
  }

  // Words that stand alone in a text, lower case in `wanted`, are marked; so is what is searched for.
  function marked(text, wanted) {
    const parts = document.createDocumentFragment();
    const pattern = /[\p{L}\p{N}_]+/gu;
    const hits = [];
    if (wanted) for (const match of text.matchAll(pattern)) if (wanted.has(match[0].toLowerCase())) hits.push([match.index, match[0].length]);
    if (needle) {
      const small = text.toLowerCase();
      if (small.length === text.length) for (let at = small.indexOf(needle); at >= 0; at = small.indexOf(needle, at + needle.length)) hits.push([at, needle.length]);
    }
    let end = 0;
    for (const [at, length] of hits.sort((a, b) => a[0] - b[0])) {
      if (at < end) continue;
      parts.append(text.slice(end, at), make("mark", "", text.slice(at, at + length)));
      end = at + length;
    }
    parts.append(text.slice(end));
    return parts;
  }

  function excerpt(row) {
    const text = data.texts[row];
    const at = needle ? text.toLowerCase().indexOf(needle) : -1;
    const from = at > 80 ? at - 40 : 0;
    const line = text.slice(from, from + 320).replace(/\s+/g, " ").trim();
    return marked((from ? "…" : "") + (line || "(empty)"), null);
  }

  function deciding(row) {
    const pairs = [];
    const flat = data.deciding ? data.deciding[row] : [];
    for (let i = 0; i < flat.length; i += 2) pairs.push([data.words[flat[i]], flat[i + 1]]);
    return pairs;
  }

  function detail(row) {
    const side = make("div", "");
    const chances = make("dl", "");
    data.order[row].forEach((number, i) => {
      chances.append(make("dt", "", data.classes[number]), make("dd", "", (data.shares[row][i] / 10000).toFixed(3)), meter(number, data.shares[row][i]));
    });
    side.append(make("h4", "", "Your label"), choices(row), make("h4", "", "Probabilities"), chances);
    const pairs = deciding(row);
    if (pairs.length) {
      const words = make("dl", "");
      for (const [word, say] of pairs) words.append(make("dt", "", word), make("dd", "", String(Number(say.toPrecision(2)))));
      side.append(make("h4", "", "Deciding words, and how far the log-odds fall without them"), words);
    }
    const text = make("div", "");
    const cut = data.lengths[row] - data.texts[row].length;
    const body = Object.assign(make("p", "text"), { dir: "auto" });
    body.append(marked(data.texts[row], new Set(pairs.map(([word]) => word.toLowerCase()))));
    body.tabIndex = 0;
    text.append(make("h4", "", `Document ${name(row)}`), body);
    if (cut > 0) text.append(make("p", "muted small", `… and ${cut.toLocaleString("en")} more characters`));
    return make("div", "detail", text, side);
  }

  // One button for each class; the keys 1 to 9 do the same.
  function choices(row) {
    const buttons = data.classes.map((kind, number) => {
      const button = make("button", "quiet", ...(number < 9 ? [make("kbd", "", String(number + 1)), " "] : []), kind);
      button.type = "button";
      button.setAttribute("aria-pressed", String(given.labels.get(row) === number));
      button.addEventListener("click", () => giveLabel(row, number));
      return button;
    });
    return make("p", "choices", ...buttons);
  }

  // The next document opens, so that many can be labeled without a mouse.
  function giveLabel(row, number) {
    given.give(row, number);
    const place = view.indexOf(row) + 1;
    toggle(place < view.length ? view[place] : row);
    if (open >= 0) scrollTo(view.indexOf(open));
  }

  function item(place) {
    const row = view[place];
    const opener = make("button", "opener", excerpt(row));
    opener.dir = "auto";
    opener.type = "button";
    opener.setAttribute("aria-expanded", String(row === open));
    const sure = make("span", "sure", (confidence[row] / 10000).toFixed(3), meter(label[row], confidence[row]));
    const cells = [Object.assign(make("span", "id", name(row)), { dir: "auto" }), kindCell(row), sure, make("span", "body", opener)];
    if (data.deciding) cells.push(make("span", "why", ...deciding(row).map(([word]) => make("span", "", word))));
    for (const cell of cells) cell.setAttribute("role", "cell");
    cells[0].title = name(row);
    const line = make("div", "row", ...cells);
    line.setAttribute("role", "row");
    line.setAttribute("aria-rowindex", String(place + 2));
    const element = make("div", "item", line);
    element.dataset.place = String(place);
    if (row === open) element.append(detail(row));
    return element;
  }

  // ---- places

  const openPlace = () => (open < 0 ? -1 : view.indexOf(open));

  function draw() {
    const at = openPlace();
    const extra = at < 0 ? 0 : openHeight;
    const topOf = (place) => place * rowHeight + (at >= 0 && place > at ? extra : 0);
    const placeAt = (y) => {
      if (at < 0 || y < (at + 1) * rowHeight) return Math.floor(y / rowHeight);
      return Math.max(at, Math.floor((y - extra) / rowHeight));
    };
    rows.style.height = `${view.length * rowHeight + extra}px`;
    const top = scroller.scrollTop;
    const first = printing ? 0 : Math.max(0, placeAt(top) - EXTRA);
    const last = printing ? Math.min(view.length, ON_PAPER) - 1 : Math.min(view.length - 1, placeAt(top + scroller.clientHeight) + EXTRA);
    for (const [place, element] of shown) {
      if (place < first || place > last) {
        element.remove();
        shown.delete(place);
      }
    }
    let cursor = rows.firstChild;
    for (let place = first; place <= last; place++) {
      let element = shown.get(place);
      if (!element) {
        element = item(place);
        shown.set(place, element);
      }
      if (element === cursor) cursor = cursor.nextSibling;
      else rows.insertBefore(element, cursor);
      element.style.transform = `translateY(${topOf(place)}px)`;
    }
    if (at >= 0 && shown.has(at)) {
      const height = shown.get(at).offsetHeight - rowHeight;
      if (Math.abs(height - openHeight) > 1 && !printing) {
        openHeight = height;
        draw();
      }
    }
  }

  // Every row anew; the place that had the focus keeps it.
  function redraw() {
    const focused = [...shown].find(([, element]) => element.contains(document.activeElement))?.[0];
    rows.replaceChildren();
    shown = new Map();
    if (!view.length) rows.append(make("p", "none", "No document passes these filters."));
    draw();
    if (focused !== undefined) shown.get(focused)?.querySelector(".opener").focus({ preventScroll: true });
  }

  function toggle(row) {
    open = open === row ? -1 : row;
    openHeight = 0;
    redraw();
  }

  function scrollTo(place) {
    const top = place * rowHeight;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (top + rowHeight > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = top + rowHeight - scroller.clientHeight;
    draw();
  }

  // ---- filters

  // Where each document stands in the order of ids: of numbers where all are numbers, otherwise as people sort names.
  function idRanks() {
    const numbers = data.ids.map((id) => (id.trim() ? Number(id) : NaN));
    const numeric = numbers.every(Number.isFinite);
    const { compare } = new Intl.Collator("en", { numeric: true });
    const before = (a, b) => (numeric && numbers[a] - numbers[b]) || compare(data.ids[a], data.ids[b]);
    const ranks = new Uint32Array(n);
    Uint32Array.from(ranks.keys()).sort(before).forEach((row, rank) => (ranks[row] = rank));
    return ranks;
  }

  const prepare = () => (lower ??= data.texts.map((text) => text.toLowerCase()));

  function update() {
    const field = form.elements;
    needle = field.search.value.trim().toLowerCase();
    if (needle) prepare();
    const wanted = Number(field.label.value);
    const truth = field.truth ? field.truth.value : "any";
    const low = Math.round(Number(field.low.value || 0) * 10000);
    const high = Math.round((field.high.value === "" ? 1 : Number(field.high.value)) * 10000);
    const passes = (row) => {
      if (wanted >= 0 && label[row] !== wanted) return false;
      if (confidence[row] < low || confidence[row] > high) return false;
      if (truth !== "any") {
        const known = data.truth[row];
        if (truth === "right" && known !== label[row]) return false;
        if (truth === "wrong" && (known < 0 || known === label[row])) return false;
        if (truth !== "right" && truth !== "wrong" && known !== Number(truth)) return false;
      }
      return !needle || lower[row].includes(needle) || (data.ids !== null && data.ids[row].toLowerCase().includes(needle));
    };
    const kept = new Uint32Array(n);
    let size = 0;
    for (let row = 0; row < n; row++) if (passes(row)) kept[size++] = row;
    view = kept.subarray(0, size);
    if (sort.by === "id") keys.id ??= idRanks();
    const key = keys[sort.by];
    if (key) view.sort((a, b) => (sort.down ? key[b] - key[a] : key[a] - key[b]) || a - b);
    else if (sort.down) view.reverse();
    if (open >= 0 && !view.includes(open)) open = -1;
    const count = size.toLocaleString("en");
    found.textContent = size === n ? `${count} ${n === 1 ? "document" : "documents"}` : `${count} of ${n.toLocaleString("en")} documents`;
    scroller.scrollTop = 0;
    redraw();
  }

  function setSort(by, down) {
    sort = { by, down };
    for (const button of document.querySelectorAll("[data-sort]")) {
      const state = button.dataset.sort !== by ? null : down ? "descending" : "ascending";
      if (state) button.parentElement.setAttribute("aria-sort", state);
      else button.parentElement.removeAttribute("aria-sort");
    }
    const choice = `${by} ${down ? "down" : "up"}`;
    if ([...form.elements.sort.options].some((option) => option.value === choice)) form.elements.sort.value = choice;
    update();
  }

  // Set some filters, clear the others, and go to the table.
  function filter(values) {
    form.reset();
    for (const [field, value] of Object.entries(values)) form.elements[field].value = value;
    setSort(sort.by, sort.down);
    find("documents-part").scrollIntoView();
  }

  function show(row) {
    filter({});
    reveal(row);
  }

  function reveal(row) {
    if (open !== row) toggle(row);
    scroller.scrollTop = view.indexOf(row) * rowHeight; // at the top: what opens is below it
    draw();
  }

  // ---- events

  const soon = (action) => {
    let waiting = false; // one each: a window turned while it scrolls must be measured too
    return () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        action();
      });
    };
  };
  // A phone resizes its window whenever the address bar comes or goes: rows that still fit stay as they are.
  const measure = () => {
    const before = rowHeight;
    rowHeight = parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--row")) || 60;
    if (rowHeight === before) draw();
    else redraw();
  };
  scroller.addEventListener("scroll", soon(draw), { passive: true });
  form.addEventListener("input", (event) => {
    if (event.target.id !== "sort") return update();
    const [by, way] = event.target.value.split(" ");
    setSort(by, way === "down");
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  // What passes the filters, in the order that is shown.
  find("download").addEventListener("click", () => {
    const listed = Array.from(view, (row) => [name(row), data.classes[label[row]], confidence[row] / 10000, data.texts[row]]);
    given.download("documents.csv", ["id", "label", "confidence", "text"], listed);
  });
  find("download-labels").addEventListener("click", () => given.save(data, name));
  find("undo-label").addEventListener("click", () => {
    const row = given.undo();
    if (row !== undefined) (view.includes(row) ? reveal : show)(row);
  });
  // Keys 1 to 9 label the document that is open, wherever nothing is typed.
  document.addEventListener("keydown", (event) => {
    if (open < 0 || event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.target.matches("input, select")) return;
    const number = /^[1-9]$/.test(event.key) ? Number(event.key) - 1 : -1;
    if (number < 0 || number >= data.classes.length) return;
    event.preventDefault();
    giveLabel(open, number);
  });
  // Of the button alone: `filter` resets the form too, and goes on from there.
  form.querySelector("[type=reset]").addEventListener("click", () => setTimeout(() => setSort("row", false)));
  for (const button of document.querySelectorAll("[data-sort]")) {
    button.addEventListener("click", () => setSort(button.dataset.sort, sort.by === button.dataset.sort && !sort.down));
  }
  rows.addEventListener("click", (event) => {
    const line = event.target.closest(".row");
    if (line && !String(getSelection())) toggle(view[Number(line.parentElement.dataset.place)]);
  });
  rows.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !event.target.matches(".opener")) return;
    const place = Number(event.target.closest(".item").dataset.place) + step;
    if (place < 0 || place >= view.length) return;
    event.preventDefault();
    scrollTo(place);
    shown.get(place).querySelector(".opener").focus({ preventScroll: true });
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-row], button[data-label]");
    if (!button) return;
    const { row, label: number, truth } = button.dataset;
    if (row !== undefined) show(Number(row));
    else filter(truth === undefined ? { label: number } : { label: number, truth });
  });
  const bins = [...document.querySelectorAll(".bin")];
  const choose = (bin) => filter({ low: bin.dataset.low, high: bin.dataset.high });
  for (const bin of bins) {
    bin.addEventListener("click", () => choose(bin));
    bin.addEventListener("pointerenter", () => tip.show(bin.getAttribute("aria-label"), bin.getBoundingClientRect()));
    bin.addEventListener("pointerleave", tip.hide);
    bin.addEventListener("focus", () => tip.show(bin.getAttribute("aria-label"), bin.getBoundingClientRect()));
    bin.addEventListener("blur", tip.hide);
    bin.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        choose(bin);
      }
      const next = neighbor(bins, bin, event.key, (one) => [one.getBoundingClientRect().left, 0]);
      if (!next) return;
      event.preventDefault();
      bin.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    });
  }
  addEventListener("resize", soon(measure));
  addEventListener("beforeprint", () => {
    printing = true;
    redraw();
  });
  addEventListener("afterprint", () => {
    printing = false;
    redraw();
  });
  measure();
  (window.requestIdleCallback ?? setTimeout)(prepare);
  return { data, show, excerpt: (row) => data.texts[row].slice(0, 100).replace(/\s+/g, " ") };
})();
