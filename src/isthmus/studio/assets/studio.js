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
  let choosing = false; // other files, in place of those that were looked at

  // ---- speaking with the server

  async function ask(path, options) {
    let answer;
    try {
      answer = await fetch(path, options);
    } catch {
      throw new Error("The studio does not answer: is it still running? What was confirmed is stored.");
    }
    const body = await answer.json().catch(() => ({}));
    if (!answer.ok) throw new Error(body?.error ?? `The studio answered ${answer.status}.`);
    return body;
  }

  const tell = (path, body) =>
    ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body ?? {}) });

  async function attempt(action) {
    if (busy) return;
    busy = true;
    try {
      find("error").hidden = true;
      await action();
    } catch (error) {
      find("error").textContent = error.message;
      find("error").hidden = false;
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

  function draw() {
    const { files, fit, result, labelling } = state;
    find("project").textContent = state.project;
    find("files").hidden = Boolean(files) && !choosing;
    find("found").hidden = !files || choosing || Boolean(result) || fit.running;
    find("working").hidden = !fit.running;
    find("result").hidden = !result;
    find("exports").hidden = !result;
    find("labelling").hidden = !result || !shown;
    if (files) {
      find("pair").textContent = `${files.source} → ${files.target}`;
      const classes = Object.entries(files.classes).map(([label, n]) => `${label} ${n.toLocaleString("en")}`);
      find("sizes").textContent = `${count(files.n_source, "document", "documents")} with labels (${classes.join(", ")}), ${count(files.n_target, "document", "documents")} to label.`;
      for (const list of document.querySelectorAll(".findings")) list.replaceChildren(...files.findings.map((sentence) => make("li", "", sentence)));
      find("found-before").hidden = !files.findings.length;
    }
    if (fit.running) find("progress").textContent = `${fit.number ? "Learning again" : "Learning"}, for ${count(Math.round(fit.seconds), "second", "seconds")} so far. ${fit.number ? "You can go on labelling." : ""}`;
    drawStages(fit);
    if (fit.error) {
      find("error").textContent = `The fit ended without a result: ${fit.error}`;
      find("error").hidden = false;
    }
    if (result) drawResult(result, labelling);
    drawChoices(labelling);
  }

  function drawStages({ done, now, left }) {
    const rows = [...done.map((name) => [name, "done"]), ...(now ? [[now, "running"]] : []), ...left.map((name) => [name, "to come"])];
    find("stages").replaceChildren(...rows.map(([name, how]) => make("li", how === "running" ? "now" : "", name, make("span", "muted small", ` ${how}`))));
  }

  function drawResult(result, labelling) {
    const n = Object.values(result.counts).reduce((sum, own) => sum + own, 0);
    const guessed = result.estimated ? `: an estimated ${percent(result.estimated.value)} are right` : "";
    find("headline").textContent = `${count(n, "document", "documents")} labelled${guessed}`;
    const { measured } = labelling;
    find("measured").textContent = measured
      ? `Measured on the random sample: right so far in ${measured.right} of ${measured.n}, ${percent(measured.value)} (95% interval ${percent(measured.low)} to ${percent(measured.high)}).`
      : "Label a few documents of the random sample, and the accuracy is measured.";
    const moved = result.moved === null ? "" : `${count(result.moved, "label", "labels")} moved since the fit before. `;
    const learned = result.n_labels ? `Learned from ${count(result.n_labels, "label", "labels")} of yours. ` : "";
    find("changed").textContent = `${learned}${moved}It took ${count(result.seconds, "second", "seconds")}.`;
    find("warnings").replaceChildren(...result.warnings.map((sentence) => make("p", "warning", sentence)));
    find("shares").replaceChildren(...Object.entries(result.counts).map(([label, own]) => make("span", "", make("b", "", label), ` ${own.toLocaleString("en")}`)));
    find("candidates").replaceChildren(
      ...result.candidates.map((row) => make("tr", "", make("td", "", row.name), make("td", "", row.seconds === null ? "" : `${row.seconds.toFixed(1)} s`), make("td", "", row.why))),
    );
  }

  function drawChoices({ classes, labelled, skipped, measured, since_fit: fresh }) {
    find("choices").replaceChildren(
      ...classes.map((label, number) => {
        const button = make("button", "choice", ...(number < 9 ? [make("kbd", "", String(number + 1))] : []), label);
        button.type = "button";
        button.addEventListener("click", () => answer("label", label));
        return button;
      }),
    );
    find("tally").textContent = `${count(labelled, "label", "labels")} given${skipped ? `, ${skipped} skipped` : ""}; all are stored.${measured ? ` Of the random ones, the model was right in ${measured.right} of ${measured.n}.` : ""}`;
    find("refit").disabled = !fresh || state.fit.running;
  }

  function drawDocument() {
    find("guess").hidden = true;
    find("other").hidden = true;
    if (!shown) return;
    find("text").textContent = shown.text;
    find("text").scrollTop = 0;
    find("document-id").textContent = shown.id;
    find("kind").textContent = { random: "random: measures", teaching: "teaches" }[shown.kind] ?? shown.kind;
    find("kind").title = { random: "Drawn at random: its label measures the accuracy.", teaching: "The model would learn most from it." }[shown.kind] ?? "";
  }

  // ---- doing

  async function refresh() {
    const fresh = await ask("/api/state");
    if (busy && state) return; // an answer is on its way, and will bring a newer one
    state = fresh;
    if (state.result && (state.fit.number !== seenFit || !shown)) {
      shown = await ask("/api/next");
      seenFit = state.fit.number;
      drawDocument();
    }
    draw();
  }

  const answer = (action, label) =>
    attempt(async () => {
      if (!shown) return;
      state = await tell("/api/answer", { row: shown.row, action, label: label ?? null });
      shown = await ask("/api/next");
      drawDocument();
      draw();
    });

  const undo = () =>
    attempt(async () => {
      await tell("/api/undo");
      state = await ask("/api/state");
      shown = await ask("/api/next");
      drawDocument();
      draw();
    });

  const guess = () =>
    attempt(async () => {
      const chances = Object.entries(await ask(`/api/guess/${shown.row}`)).slice(0, 3);
      find("guess").textContent = `The model says ${chances.map(([label, share]) => `${label} ${share.toFixed(2)}`).join(", ")}.`;
      find("guess").hidden = false;
    });

  const fit = () =>
    attempt(async () => {
      state = await tell("/api/fit");
      draw();
    });

  function askOther() {
    find("other").hidden = false;
    find("other-name").value = "";
    find("other-name").focus();
  }

  const actions = { u: undo, s: () => answer("skip"), n: askOther, g: guess };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.target.matches("input, select, textarea")) return;
    if (find("labelling").hidden) return;
    const label = /^[1-9]$/.test(event.key) ? state.labelling.classes[Number(event.key) - 1] : undefined;
    const action = label === undefined ? actions[event.key.toLowerCase()] : () => answer("label", label);
    if (!action) return;
    event.preventDefault();
    action();
  });
  for (const [id, action] of Object.entries({ undo, skip: actions.s, "not-these": askOther, "show-guess": guess, start: fit, refit: fit, "no-class": () => answer("none") })) {
    find(id).addEventListener("click", action);
  }
  find("other-files").addEventListener("click", () => {
    choosing = true;
    draw();
  });
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
        find("columns").open ||= error.message.includes(" column");
        throw error;
      } finally {
        find("look").disabled = false;
        find("look").textContent = "Look at them";
      }
      draw();
    });
  });
  // Two files dropped anywhere on the form: the first is the source.
  const form = find("upload");
  form.addEventListener("dragover", (event) => {
    event.preventDefault();
    form.classList.add("over");
  });
  form.addEventListener("dragleave", () => form.classList.remove("over"));
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    form.classList.remove("over");
    const files = [...event.dataTransfer.files];
    const fields = files.length === 1 ? [form.source.files.length ? form.target : form.source] : [form.source, form.target];
    fields.forEach((field, place) => {
      const own = new DataTransfer();
      own.items.add(files[place]);
      field.files = own.files;
    });
  });
  history.replaceState(null, "", "/"); // the token is in a cookie by now, and need not be in the address
  refresh().catch((error) => attempt(() => Promise.reject(error)));
  setInterval(() => state?.fit.running && refresh().catch((error) => attempt(() => Promise.reject(error))), 500);
}
