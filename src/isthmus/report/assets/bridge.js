// Words of the bridge answer to the pointer, to taps and to arrow keys. One word at a time can be reached by Tab.
for (const bridge of document.querySelectorAll(".bridge")) {
  const words = [...bridge.querySelectorAll(".word")];
  let current = null;

  const pick = (word) => {
    if (current) {
      current.classList.remove("on");
      current.closest(".pier").classList.remove("lit");
    }
    current = word;
    bridge.classList.toggle("picked", Boolean(word));
    if (!word) return tip.hide();
    word.classList.add("on");
    word.closest(".pier").classList.add("lit");
    tip.show(word.getAttribute("aria-label"), word.querySelector("text").getBoundingClientRect());
  };
  const place = (word) => {
    const text = word.querySelector("text");
    return [text.x.baseVal[0].value, text.y.baseVal[0].value];
  };
  const wordOf = (event) => event.target.closest(".word");

  if (words.length) words[0].tabIndex = 0;
  bridge.addEventListener("pointerover", (event) => pick(wordOf(event)));
  bridge.addEventListener("pointerleave", () => pick(null));
  bridge.addEventListener("click", (event) => pick(wordOf(event)));
  bridge.addEventListener("focusin", (event) => pick(wordOf(event)));
  bridge.addEventListener("focusout", () => pick(null));
  bridge.addEventListener("keydown", (event) => {
    const from = wordOf(event);
    const next = from && neighbor(words, from, event.key, place);
    if (!next) return;
    event.preventDefault();
    from.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
}
