// What stands on the page in each state. Nothing here sends anything.

// Paragraphs and lists of a plain text: a blank line ends one, a dash begins a point.
function prose(text) {
  const blocks = text.trim().split(/\n\s*\n/).map((block) => block.split("\n").map((line) => line.trim()));
  return blocks.flatMap((lines) => {
    const made = [];
    for (const line of lines) {
      const point = line.match(/^[-*•]\s+(.*)/);
      const last = made.at(-1);
      if (point && last && last.tagName === "UL") last.append(element("li", { dir: "auto" }, point[1]));
      else if (point) made.push(element("ul", {}, element("li", { dir: "auto" }, point[1])));
      else if (last && last.tagName === "P") last.append(` ${line}`);
      else if (last && line) last.lastElementChild.append(` ${line}`);
      else made.push(element("p", { dir: "auto" }, line));
    }
    return made;
  });
}

// What a text is about, which may be folded away; it stays so from task to task.
function context(name, texts, properties = {}, kind = "", shown = []) {
  return foldable(name, true, { class: `context ${kind}` },
    element("summary", {}, name), ...texts.map((text, place) => element("div", { class: "card" }, words(text, properties, shown[place]))));
}

const NAMES = { rating: "text", "post-edit": "text-before", "question-answering": "answer" };

function textCard(task, place, shown, unfold) {
  const several = task.texts.length > 1;
  const name = word(NAMES[task.protocol] || "text-number", { number: place + 1 });
  return element("article", { class: "card text", "aria-label": name },
    element("h2", { "aria-hidden": several ? "true" : null }, ...(several ? [element("b", {}, String(place + 1)), name] : [name])),
    words(task.texts[place], { "data-text": String(place + 1), tabindex: "-1" }, shown),
    element("button", { type: "button", class: "tool unfold", "aria-keyshortcuts": "a", onclick: unfold, hidden: true }, word("show-all"), " ", element("kbd", {}, "a")));
}

// The task itself, without its answers; `unfold` shows long texts whole.
function taskView(task, unfold) {
  const references = task.references || [];
  const shown = task.shown || {};
  return [
    element("h1", { id: "prompt", tabindex: "-1", dir: "auto" }, task.prompt),
    task.source ? context(word(task.protocol === "question-answering" ? "question" : "source"), [task.source], { "data-source": true }, "", [shown.source]) : null,
    task.passage ? context(word("passage"), [task.passage], { "data-passage": true, tabindex: "0", role: "region", "aria-label": word("passage") }, "passage", [shown.passage]) : null,
    references.length ? context(word(references.length > 1 ? "references" : "reference"), references, { "data-reference": true }, "", shown.references) : null,
    task.texts.length ? element("div", { class: "texts" }, ...task.texts.map((_, place) => textCard(task, place, (shown.texts || [])[place], unfold))) : null,
  ].filter(Boolean);
}

const CHOICES = { 1: ["1", "first"], 0: ["tie", "equal"], 2: ["2", "second"], b: ["both bad", "both-bad"], s: ["skip", "skip"] };
const REASONS = ["reason-task", "reason-language", "reason-broken", "reason-private"];

// One answer as a button, with its key.
function answerButton(key, label, give, properties = {}) {
  return element("button", { type: "button", class: "answer", "data-answer": key, "aria-keyshortcuts": key, onclick: give, ...properties },
    element("kbd", {}, key), element("span", {}, ...wording(label)));
}

// The buttons below a task: `give(key, reason)` is called with what is chosen.
function answerBar(task, give) {
  const allowed = (key) => !task.answers || task.answers.includes(CHOICES[key][0]);
  const choice = (key) => answerButton(key, CHOICES[key][1], () => give(key));
  const isPairwise = task.protocol === "pairwise";
  const first = isPairwise ? ["1", "0", "2"].filter(allowed).map(choice)
    : [element("button", { type: "button", class: "main", id: "send", "aria-keyshortcuts": "Enter", onclick: () => give("Enter") }, word("send"), " ", element("kbd", {}, "Enter"))];
  const rest = (isPairwise ? ["b", "s"] : ["s"]).filter(allowed).map(choice);
  const undo = answerButton("u", "undo", () => give("u"), { disabled: !task.undo });
  return [
    element("div", { class: isPairwise ? "answers" : "rest", role: "group", "aria-label": word(isPairwise ? "your-answer" : "send") }, ...first),
    element("div", { class: "rest", role: "group", "aria-label": word("other-answers") }, ...rest, undo),
  ];
}

// A remark that goes with the answer, and reasons that skip at once.
function remarks(task, draft, keepDraft, give) {
  const box = element("textarea", { rows: 2, dir: "auto", id: "comment", maxlength: 4000, oninput: () => keepDraft({ comment: box.value }) });
  box.value = draft.comment || "";
  const chip = (reason) => element("button", { type: "button", class: "tool", onclick: () => give("s", word(reason)) }, word(reason));
  const mayskip = !task.answers || task.answers.includes("skip");
  return element("details", { class: "more", open: Boolean(draft.comment) },
    element("summary", {}, word(mayskip ? "comment-or-skip" : "comment")),
    element("label", { class: "field", for: "comment" }, word("your-comment")), box,
    mayskip ? element("p", { class: "soft" }, word("skip-because")) : null,
    mayskip ? element("div", { class: "chips", role: "group", "aria-label": word("skip-with-reason") }, ...REASONS.map(chip)) : null);
}

const RESTING = { wait: "not-ready", paused: "is-paused", closed: "is-closed", done: "thank-you", feedback: "about-answer" };

// What stands there when there is nothing to answer.
function restingView(state, extra = []) {
  return element("div", { class: "card middle", "data-done": state.state === "done", "data-state": state.state },
    element("h1", { id: "prompt", tabindex: "-1" }, word(RESTING[state.state] || RESTING.wait)),
    state.message ? element("p", { dir: "auto" }, state.message) : null,
    state.code ? element("p", {}, word("code"), element("br"), element("span", { class: "code", "data-code": true }, state.code)) : null,
    ...extra);
}
