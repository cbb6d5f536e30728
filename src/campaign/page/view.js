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

const NAMES = { pairwise: ["Text 1", "Text 2"], rating: ["Text"], "post-edit": ["Text as it was"], "question-answering": ["Answer"] };

function textCard(task, place, shown, unfold) {
  const several = task.texts.length > 1;
  const name = (NAMES[task.protocol] || [])[place] || `Text ${place + 1}`;
  return element("article", { class: "card text", "aria-label": name },
    element("h2", { "aria-hidden": several ? "true" : null }, ...(several ? [element("b", {}, String(place + 1)), name] : [name])),
    words(task.texts[place], { "data-text": String(place + 1), tabindex: "-1" }, shown),
    element("button", { type: "button", class: "tool unfold", "aria-keyshortcuts": "a", onclick: unfold, hidden: true }, "Show all ", element("kbd", {}, "a")));
}

// The task itself, without its answers; `unfold` shows long texts whole.
function taskView(task, unfold) {
  const references = task.references || [];
  const shown = task.shown || {};
  return [
    element("h1", { id: "prompt", tabindex: "-1", dir: "auto" }, task.prompt),
    task.source ? context(task.protocol === "question-answering" ? "Question" : "Source", [task.source], { "data-source": true }, "", [shown.source]) : null,
    task.passage ? context("Passage", [task.passage], { "data-passage": true, tabindex: "0", role: "region", "aria-label": "Passage" }, "passage", [shown.passage]) : null,
    references.length ? context(references.length > 1 ? "References" : "Reference", references, { "data-reference": true }, "", shown.references) : null,
    task.texts.length ? element("div", { class: "texts" }, ...task.texts.map((_, place) => textCard(task, place, (shown.texts || [])[place], unfold))) : null,
  ].filter(Boolean);
}

const CHOICES = {
  1: ["1", "First", " is better"], 0: ["tie", "Equal", "ly good"], 2: ["2", "Second", " is better"],
  b: ["both bad", "Both bad"], s: ["skip", "Skip"],
};
const REASONS = ["I do not understand the task", "I do not know the language", "A text is broken or missing", "The text is offensive or private"];

// One answer as a button, with its key.
function answerButton(key, [label, more], give, properties = {}) {
  return element("button", { type: "button", class: "answer", "data-answer": key, "aria-keyshortcuts": key, onclick: give, ...properties },
    element("kbd", {}, key), element("span", {}, label, more ? element("span", { class: "long" }, more) : null));
}

// The buttons below a task: `give(key, reason)` is called with what is chosen.
function answerBar(task, give) {
  const allowed = (key) => !task.answers || task.answers.includes(CHOICES[key][0]);
  const choice = (key) => answerButton(key, CHOICES[key].slice(1), () => give(key));
  const isPairwise = task.protocol === "pairwise";
  const first = isPairwise ? ["1", "0", "2"].filter(allowed).map(choice)
    : [element("button", { type: "button", class: "main", id: "send", "aria-keyshortcuts": "Enter", onclick: () => give("Enter") }, "Send ", element("kbd", {}, "Enter"))];
  const rest = (isPairwise ? ["b", "s"] : ["s"]).filter(allowed).map(choice);
  const undo = answerButton("u", ["Undo"], () => give("u"), { disabled: !task.undo });
  return [
    element("div", { class: isPairwise ? "answers" : "rest", role: "group", "aria-label": isPairwise ? "Your answer" : "Send" }, ...first),
    element("div", { class: "rest", role: "group", "aria-label": "Other answers" }, ...rest, undo),
  ];
}

// A remark that goes with the answer, and reasons that skip at once.
function remarks(task, draft, keepDraft, give) {
  const box = element("textarea", { rows: 2, dir: "auto", id: "comment", maxlength: 4000, oninput: () => keepDraft({ comment: box.value }) });
  box.value = draft.comment || "";
  const chip = (reason) => element("button", { type: "button", class: "tool", onclick: () => give("s", reason) }, reason);
  const mayskip = !task.answers || task.answers.includes("skip");
  return element("details", { class: "more", open: Boolean(draft.comment) },
    element("summary", {}, mayskip ? "Comment, or skip with a reason" : "Comment"),
    element("label", { class: "field", for: "comment" }, "Your comment, sent with your answer"), box,
    mayskip ? element("p", { class: "soft" }, "Skip this question because:") : null,
    mayskip ? element("div", { class: "chips", role: "group", "aria-label": "Skip with a reason" }, ...REASONS.map(chip)) : null);
}

const RESTING = {
  wait: ["The next question is not ready yet", "This page goes on by itself."],
  paused: ["The campaign is paused", "This page goes on by itself when the campaign is resumed. You may close it: your link stays the same."],
  closed: ["This link is closed", "The person who sent it can open it again."],
  done: ["Thank you, you are done", "You may close this page."],
  feedback: ["About your answer", ""],
};

// What stands there when there is nothing to answer.
function restingView(state, extra = []) {
  const [title, otherwise] = RESTING[state.state] || RESTING.wait;
  return element("div", { class: "card middle", "data-done": state.state === "done", "data-state": state.state },
    element("h1", { id: "prompt", tabindex: "-1" }, title),
    element("p", { dir: "auto" }, state.message || otherwise),
    state.code ? element("p", {}, "Your completion code: ", element("br"), element("span", { class: "code", "data-code": true }, state.code)) : null,
    ...extra);
}
