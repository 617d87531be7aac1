// The studio's page: state comes from the server, keys and buttons go to it. Texts are never markup.
"use strict";
{
  const find = (id) => document.getElementById(id);
  const count = (n, one, many) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
  const percent = (share) => `${Math.round(100 * share)}%`;
  let state = null;
  let shown = null; // the document that is asked about
  let busy = false; // an answer is on its way: a second key press must not give the next document the same label
  let seenFit = -1;
  let doubted = null; // a new class that the server took for a slip: said once more, it is meant
  let choosing = false; // other files, in place of those that were looked at

  // ---- speaking with the server

  async function ask(path, options) {
    let answer;
    try {
      answer = await fetch(path, options);
    } catch {
      throw new Error(
        options?.body instanceof FormData
          ? "The files did not arrive: if they were changed or moved, choose them again."
          : "The studio does not answer: is it still running? What was confirmed is stored.",
      );
    }
    const text = await answer.text();
    let body = null;
    try {
      body = JSON.parse(text);
    } catch {
      // a sentence, most of the time
    }
    if (!answer.ok) {
      const said = body === null && answer.headers.get("content-type")?.startsWith("text/plain") ? text : body?.error;
      throw Object.assign(new Error(said || `The studio answered ${answer.status}.`), { doubtful: body?.doubtful });
    }
    return body;
  }

  const tell = (path, body) =>
    ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body ?? {}) });

  function complain(error) {
    find("error").textContent = error.message;
    find("error").hidden = false;
  }

  async function attempt(action) {
    if (busy) return;
    busy = true;
    try {
      find("error").hidden = true;
      await action();
    } catch (error) {
      complain(error);
    } finally {
      busy = false;
    }
  }

  // ---- drawing

  function make(tag, className, ...children) {
    const element = document.createElement(tag);
    if (className) element.className = className;
    element.append(...children);
    return element;
  }

  /** What is read out, where it is another than before. */
  function write(id, text) {
    if (find(id).textContent !== text) find(id).textContent = text;
  }

  /** A name that somebody else chose, in its own direction. */
  const named = (tag, name) => Object.assign(make(tag, "", name), { dir: "auto" });

  function draw() {
    const { files, fit, result, labeling } = state;
    find("project").textContent = state.project;
    find("files").hidden = Boolean(files) && !choosing;
    find("keep-files").hidden = !files;
    find("found").hidden = !files || choosing || Boolean(result) || fit.running;
    find("working").hidden = !fit.running;
    find("result").hidden = !result;
    find("exports").hidden = !result;
    find("labeling").hidden = !result;
    find("asking").hidden = !shown;
    find("all-answered").hidden = Boolean(shown);
    if (files) {
      find("pair").textContent = `${files.source} → ${files.target}`;
      drawClasses(files);
      for (const list of document.querySelectorAll(".findings")) list.replaceChildren(...files.findings.map((sentence) => make("li", "", sentence)));
      find("found-before").hidden = !files.findings.length;
    }
    if (fit.running) {
      write("learning", fit.number ? "Learning again. You can go on labeling." : "Learning …");
      find("progress").textContent = `${count(Math.round(fit.seconds), "second", "seconds")} so far.`;
    }
    drawStages(fit);
    if (fit.error) complain(new Error(`The fit ended without a result: ${fit.error}`));
    if (result) drawResult(result, labeling);
    drawChoices(labeling);
  }

  function drawClasses({ n_source: nSource, n_target: nTarget, classes }) {
    const sizes = Object.entries(classes);
    const first = sizes.slice(0, 12).map(([label, n]) => `${label} ${n.toLocaleString("en")}`);
    const rest = sizes.length > first.length ? ` and ${sizes.length - first.length} more classes` : "";
    find("sizes").textContent = `${count(nSource, "document", "documents")} with labels (${first.join(", ")}${rest}), ${count(nTarget, "document", "documents")} to label.`;
  }

  function drawStages({ done, now, left }) {
    const rows = [...done.map((name) => [name, "done"]), ...(now ? [[now, "running"]] : []), ...left.map((name) => [name, "to come"])];
    find("stages").replaceChildren(...rows.map(([name, how]) => make("li", how === "running" ? "now" : "", name, make("span", "muted small", ` ${how}`))));
  }

  function drawResult(result, labeling) {
    const n = Object.values(result.counts).reduce((sum, own) => sum + own, 0);
    const { estimated } = result;
    const guessed = estimated ? `: an estimated ${percent(estimated.value)} are right (90% interval ${percent(estimated.low)} to ${percent(estimated.high)})` : "";
    write("headline", `${count(n, "document", "documents")} labeled${guessed}`);
    const { measured } = labeling;
    find("measured").textContent = measured
      ? `Measured on the random sample: the labels that were suggested are right so far in ${measured.right} of ${measured.n}, ${percent(measured.value)} (95% interval ${percent(measured.low)} to ${percent(measured.high)}).`
      : "Label a few documents of the random sample, and the accuracy is measured.";
    const moved = result.moved === null ? "" : `${count(result.moved, "label", "labels")} moved since the fit before. `;
    const learned = result.n_labels ? `Learned from ${count(result.n_labels, "label", "labels")} of yours. ` : "";
    find("changed").textContent = `${learned}${moved}It took ${count(result.seconds, "second", "seconds")}.`;
    find("warnings").replaceChildren(...result.warnings.map((sentence) => make("p", "warning", sentence)));
    find("shares").replaceChildren(...Object.entries(result.counts).map(([label, own]) => make("span", "", named("b", label), ` ${own.toLocaleString("en")}`)));
    find("candidates").replaceChildren(
      ...result.candidates.map((row) => make("tr", "", make("td", "", row.name), make("td", "", row.seconds === null ? "" : `${row.seconds.toFixed(1)} s`), make("td", "", row.why))),
    );
  }

  let drawn = ""; // the classes that there are buttons for: while they stay, so do the buttons, and the focus
  function drawChoices({ classes, labeled, skipped, measured, since_fit: fresh }) {
    if (drawn !== JSON.stringify(classes)) {
      find("choices").replaceChildren(...classes.map(choice));
      drawn = JSON.stringify(classes);
    }
    find("tally").textContent = `${count(labeled, "label", "labels")} given${skipped ? `, ${skipped} skipped` : ""}; all are stored.${measured ? ` Of the random ones, the model was right in ${measured.right} of ${measured.n}.` : ""}`;
    find("refit").disabled = !fresh || state.fit.running;
  }

  function choice(label, number) {
    const key = number < 10 ? [make("kbd", "", String((number + 1) % 10))] : [];
    const button = make("button", "choice", ...key, named("span", label));
    button.type = "button";
    button.addEventListener("click", () => answer("label", label));
    return button;
  }

  function drawDocument() {
    find("guess").hidden = true;
    closeOther();
    if (!shown) return;
    find("text").textContent = shown.text;
    find("text").scrollTop = 0;
    find("document-id").textContent = shown.id;
    find("kind").textContent = { random: "random: measures", teaching: "teaches" }[shown.kind] ?? shown.kind;
    find("kind").title = { random: "Drawn at random: its label measures the accuracy.", teaching: "The model would learn most from it." }[shown.kind] ?? "";
  }

  // ---- doing

  /** The document to ask about. While it is the same, what somebody reads or types stays as it is. */
  async function next() {
    const before = shown;
    shown = await ask("/api/next");
    if (shown?.row !== before?.row || shown?.id !== before?.id) drawDocument();
  }

  async function refresh() {
    const fresh = await ask("/api/state");
    if (busy && state) return; // an answer is on its way, and will bring a newer one
    if (fresh.files?.id !== state?.files?.id) shown = null; // other documents
    state = fresh;
    if (state.result && (state.fit.number !== seenFit || !shown)) {
      await next();
      seenFit = state.fit.number;
    }
    draw();
  }

  const answer = (action, label = null) =>
    attempt(async () => {
      if (!shown) return;
      const said = { row: shown.row, of: state.files.id, action, label, is_meant: label !== null && label === doubted };
      try {
        state = await tell("/api/answer", said);
      } catch (error) {
        doubted = error.doubtful ? label : null;
        throw error;
      }
      await next();
      draw();
    });

  const undo = () =>
    attempt(async () => {
      await tell("/api/undo");
      state = await ask("/api/state");
      await next();
      draw();
    });

  const guess = () =>
    attempt(async () => {
      if (!shown) return;
      const chances = Object.entries(await ask(`/api/guess/${shown.row}`)); // classes that are numbers come first
      chances.sort((one, other) => other[1] - one[1]);
      find("guess").textContent = `The model says ${chances.slice(0, 3).map(([label, share]) => `${label} ${share.toFixed(2)}`).join(", ")}.`;
      find("guess").hidden = false;
    });

  const fit = () =>
    attempt(async () => {
      try {
        state = await tell("/api/fit");
      } catch (error) {
        state = await ask("/api/state"); // another tab may have begun
        draw();
        throw error;
      }
      draw();
    });

  function askOther() {
    if (!shown) return;
    find("other").hidden = false;
    find("other-name").value = "";
    find("other-name").focus();
  }

  function closeOther() {
    doubted = null;
    if (find("other").hidden) return;
    find("other").hidden = true;
    find("not-these").focus({ preventScroll: true });
  }

  const actions = { u: undo, s: () => answer("skip"), n: askOther, g: guess };
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") closeOther();
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.target.matches("input, select, textarea")) return;
    if (find("labeling").hidden) return;
    const label = /^\d$/.test(event.key) ? state.labeling.classes[(Number(event.key) + 9) % 10] : undefined;
    const action = label === undefined ? actions[event.key.toLowerCase()] : () => answer("label", label);
    if (!action) return;
    event.preventDefault();
    action();
  });
  const buttons = { undo, skip: actions.s, "not-these": askOther, "show-guess": guess, start: fit, refit: fit };
  for (const [id, action] of Object.entries({ ...buttons, "no-class": () => answer("none"), "close-other": closeOther })) {
    find(id).addEventListener("click", action);
  }
  for (const [id, other] of Object.entries({ "other-files": true, "keep-files": false })) {
    find(id).addEventListener("click", () => {
      choosing = other;
      draw();
    });
  }
  find("other").addEventListener("submit", (event) => {
    event.preventDefault();
    const name = find("other-name").value.trim();
    if (name) answer("label", name);
  });
  find("upload").addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(async () => {
      find("look").disabled = true;
      find("look").textContent = "Looking …";
      try {
        state = await ask("/api/files", { method: "POST", body: new FormData(event.target) });
        choosing = false;
      } catch (error) {
        find("columns").open ||= / column|encoding|“/i.test(error.message);
        throw error;
      } finally {
        find("look").disabled = false;
        find("look").textContent = "Look at them";
      }
      draw();
    });
  });
  // Two files dropped anywhere on the form: the first is the source. Elsewhere, a browser would leave the page.
  const form = find("upload");
  for (const kind of ["dragover", "drop"]) document.addEventListener(kind, (event) => event.preventDefault());
  form.addEventListener("dragover", () => form.classList.add("over"));
  form.addEventListener("dragleave", () => form.classList.remove("over"));
  form.addEventListener("drop", (event) => {
    form.classList.remove("over");
    const files = [...event.dataTransfer.files];
    const fields = files.length === 1 ? [form.source.files.length ? form.target : form.source] : [form.source, form.target];
    if (files.length > 2) complain(new Error(`${files.length} files were dropped: drop two, or one at a time.`));
    if (!files.length || files.length > 2) return;
    fields.forEach((field, place) => {
      const own = new DataTransfer();
      own.items.add(files[place]);
      field.files = own.files;
    });
  });
  history.replaceState(null, "", "/"); // the token is in a cookie by now, and need not be in the address
  refresh().catch(complain);
  setInterval(() => state?.fit.running && refresh().catch(complain), 500);
}
