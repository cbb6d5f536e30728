// One task after the other: shown, answered by a click or a key, acknowledged, gone.
const embedded = JSON.parse(by("embedded").textContent);
const door = embedded ? offline(embedded) : server();
const drafts = `tiebreak:draft:${embedded ? embedded.id : location.pathname}`;
// Seconds until a page that waits asks again; a closed link may be opened again.
const AGAIN = { wait: 5, paused: 5, closed: 30 };

let [present, busy, form, timer, differences] = [null, false, null, null, false];
// What is asked for last is shown, whatever comes back first.
let turn = 0;
// A second click or key press in haste must not answer a task that was not seen yet.
const GUARD = 300;
let guarding = null;

// Trouble with the connection, or its end.
function connection(trouble) {
  const was = by("notice").querySelector("[data-offline]");
  if (!trouble) {
    if (was) { was.remove(); say(word("connected")); }
    return;
  }
  if (was && was.textContent === trouble) return;
  if (was) was.remove();
  by("notice").append(element("p", { class: "callout warn", "data-offline": true }, trouble));
}

const say = (text) => { by("heard").textContent = text; };

function notices(texts) {
  for (const old of by("notice").querySelectorAll(":not([data-offline])")) old.remove();
  by("notice").prepend(...texts.filter(([, text]) => text).map(([kind, text]) => element("p", { class: `callout ${kind}`, dir: "auto" }, text)));
}

// What was begun on a task survives a reload.
const draftOf = (question) => {
  const kept = memory.get(drafts);
  return kept && kept.question === question ? kept : { question };
};
const keepDraft = (more) => memory.set(drafts, { ...draftOf(present.question), ...more, seconds: clock.seconds() });

function progress({ answered, left }) {
  const bar = by("done-so-far");
  const known = left !== null && left !== undefined;
  const values = { answered: element("strong", {}, String(answered)), all: answered + left };
  by("progress").replaceChildren(...wording(known && answered + left ? "answered-of" : "answered", values));
  bar.hidden = !known || answered + left === 0;
  bar.max = known ? Math.max(1, answered + left) : 1;
  bar.value = answered;
}

function instructions(text) {
  const [panel, button] = [by("instructions"), by("show-instructions")];
  button.hidden = !text;
  if (panel.dataset.said === (text || "")) return;
  panel.dataset.said = text || "";
  panel.className = "card";
  panel.replaceChildren(...(text ? [element("h2", {}, word("instructions")), ...prose(text)] : []));
  const read = `tiebreak:read:${location.pathname}`;
  unfold(Boolean(text) && memory.get(read) !== text);
  memory.set(read, text || null);
}

function unfold(open) {
  by("instructions").hidden = !open;
  by("show-instructions").setAttribute("aria-expanded", String(open));
}

// Shows a state; one that shows already is left as it is, with what was filled in.
function show({ state, error }) {
  clearTimeout(timer);
  busy = false;
  const same = present && present.state === state.state && present.question === state.question && !by("actions").querySelector(".chosen");
  const before = present;
  present = state;
  if (state.state !== "earlier") progress(state.progress || { answered: 0, left: null });
  notices([["warn", error && word("not-accepted", { error })]]);
  if (state.feedback) showFeedback(state);
  else if (state.state === "task") showTask(state, same);
  else if (state.state === "earlier") showAnswered(state);
  else showResting(state);
  if (state.state in AGAIN) timer = setTimeout(refresh, 1000 * AGAIN[state.state]);
  if (before && !same) {
    scrollTo(0, 0);
    by("prompt").focus({ preventScroll: true });
  }
}

function showTask(task, same) {
  instructions(task.instructions);
  if (same) {
    const undo = by("actions").querySelector("[data-answer=u]");
    undo.disabled = !task.undo;
    return;
  }
  const draft = draftOf(task.question);
  form = task.protocol === "pairwise" ? null : formOf({ ...task, criteria: task.criteria || [] }, draft, keepDraft, (filled) => send(filled));
  by("view").className = task.texts.length > 1 ? "" : "single";
  by("view").replaceChildren(...taskView(task, unfoldTexts), ...(form ? [form.form] : []), options(task), remarks(task, draft, keepDraft, give));
  by("actions").replaceChildren(...answerBar(task, give));
  by("actions").hidden = false;
  if (form && form.edits) form.edits.addEventListener("input", () => differences && compare());
  if (differences) compare();
  fold(true);
  clock.begin(draft.seconds || 0);
  guard();
  say(word("question-number", { number: task.progress.answered + 1 }));
}

// An earlier answer with its task; the draft of the present task is kept meanwhile.
function showAnswered(task) {
  const { said, number, all, correctable } = task;
  clock.stop();
  instructions(task.instructions);
  const nothing = () => {};
  form = task.protocol === "pairwise" || said.answer && !correctable ? null
    : formOf({ ...task, criteria: task.criteria || [] }, { scores: said.scores || {}, text: said.text === null ? undefined : said.text }, nothing, (filled) => send(filled));
  if (form && !correctable) for (const one of form.form.querySelectorAll("input, textarea, button")) one.disabled = true;
  const chosen = said.answer && Object.values(CHOICES).find(([answer]) => answer === said.answer);
  by("view").className = task.texts.length > 1 ? "" : "single";
  by("view").replaceChildren(
    element("p", { class: "soft" }, word("earlier-number", { number, all })),
    ...taskView(task, unfoldTexts),
    element("div", { class: "card said", "data-said": said.answer || true },
      chosen ? element("p", {}, word("your-answer"), ": ", element("strong", {}, ...wording(chosen[1]))) : null,
      said.comment && !correctable ? element("p", { dir: "auto" }, `“${said.comment}”`) : null,
      task.message ? element("p", { class: "soft", id: "fixed" }, task.message) : correctable ? element("p", { class: "soft" }, word("may-correct")) : null),
    ...(form ? [form.form] : []),
    ...(correctable ? [remarks(task, { comment: said.comment }, nothing, give)] : []),
    element("nav", { class: "chips" },
      element("button", { type: "button", class: "tool", id: "previous", disabled: number <= 1, onclick: () => look(number - 1) }, word("previous")),
      element("button", { type: "button", class: "tool", id: "next", disabled: number >= all, onclick: () => look(number + 1) }, word("next")),
      element("button", { type: "button", class: "tool", id: "back", "aria-keyshortcuts": "e", onclick: back }, word("back"), " ", element("kbd", {}, "e"))));
  by("actions").replaceChildren(...(correctable ? answerBar({ ...task, undo: false }, give) : []));
  by("actions").hidden = !correctable;
  fold(true);
  guard();
}

// Shows an earlier answer, by its number; 0 is the latest.
async function look(number) {
  if (busy) return;
  if (present.state === "task") keepDraft({});
  const mine = ++turn;
  const came = await door.earlier(number);
  if (mine === turn) show(came);
}

function back() {
  present = { ...present, state: "back" };
  refresh();
}

const lookBack = (state) => state.progress && state.progress.answered
  ? element("button", { type: "button", class: "tool", id: "earlier", "aria-keyshortcuts": "e", onclick: () => look(0) }, word("earlier"), " ", element("kbd", {}, "e")) : null;

function guard() {
  const actions = by("actions");
  clearTimeout(guarding);
  actions.dataset.guarded = "";
  guarding = setTimeout(() => delete actions.dataset.guarded, GUARD);
}

// What stands in the place of a task.
function showResting(state, extra = embedded && state.state === "done" ? [saving()] : []) {
  clock.stop();
  form = null;
  unfold(false);
  by("show-instructions").hidden = true;
  const buttons = [state.undo ? answerButton("u", "undo-last", () => give("u")) : null, ["done", "wait"].includes(state.state) ? lookBack(state) : null];
  const undo = buttons.some(Boolean) ? [element("div", { class: "chips" }, ...buttons)] : [];
  by("view").className = "";
  by("view").replaceChildren(restingView(state, [...extra, ...undo]));
  by("actions").replaceChildren();
  by("actions").hidden = true;
  say(`${by("prompt").textContent}. ${state.message || ""}`);
}

// What is said of an answer is read before the next task shows.
function showFeedback(state) {
  const next = element("button", { type: "button", class: "main", id: "continue", "aria-keyshortcuts": "Enter", onclick: goOn }, word("continue"), " ", element("kbd", {}, "Enter"));
  present = { ...state, state: "feedback", message: state.feedback, code: null, after: { ...state, feedback: null } };
  showResting(present, [element("p", {}, next)]);
  guard();
}

function goOn() {
  if (!busy && present.state === "feedback" && by("actions").dataset.guarded === undefined) show({ state: present.after });
}

// Word differences, and whether single keys answer: some people type by voice.
function options(task) {
  const comparable = task.texts.length > 1 || (form && form.edits);
  const toggle = element("button", { type: "button", class: "tool", id: "differences", "aria-pressed": String(differences), "aria-keyshortcuts": "d", onclick: () => compare(!differences) },
    word("differences"), " ", element("kbd", {}, "d"));
  const written = element("button", { type: "button", class: "tool", id: "written", "aria-pressed": String(raw), "aria-keyshortcuts": "r", onclick: showWritten },
    word("as-written"), " ", element("kbd", {}, "r"));
  const keys = element("input", { type: "checkbox", checked: memory.get("tiebreak:keys") !== false, onchange: () => memory.set("tiebreak:keys", keys.checked) });
  return element("div", { class: "options" }, comparable ? toggle : null, task.shown ? written : null, lookBack(task),
    element("label", { class: "keys soft" }, keys, word("shortcuts")));
}

function compare(wanted = differences) {
  differences = wanted;
  const toggle = by("differences");
  if (!toggle) return;
  const shown = [...document.querySelectorAll("[data-text]")];
  const fine = showDifferences(form && form.edits ? [shown[0], form.edits.value] : shown, differences);
  differences = differences && fine;
  toggle.setAttribute("aria-pressed", String(differences));
  if (!fine) say(word("too-long"));
}

// Shows texts as they were written, or as they are rendered again.
function showWritten() {
  raw = !raw;
  by("written").setAttribute("aria-pressed", String(raw));
  document.querySelectorAll(".words").forEach(paint);
  if (differences) compare();
  fold(document.querySelector(".folded") !== null);
  guard();
}

// Shows long texts whole. What moves because of it is not answered in haste.
function unfoldTexts() {
  const first = document.querySelector(".folded .words");
  fold(false);
  first.focus({ preventScroll: true });
  guard();
}

// Takes an answer by its key; what a form lacks is said instead.
function give(key, reason) {
  if (busy || !present || (key !== "u" && by("actions").dataset.guarded !== undefined)) return;
  if (key === "u") {
    if (present.undo) act(() => door.undo(present.question === undefined ? null : present.question), key);
  } else if (present.state !== "task" && !present.correctable) return;
  else if (key === "Enter") {
    const lacks = form && form.submit();
    if (lacks) say(lacks);
  } else if (!present.answers || present.answers.includes(CHOICES[key][0])) send({ answer: CHOICES[key][0], reason }, key);
}

function send(filled, key = "Enter") {
  const comment = by("comment").value.trim();
  const reason = filled.reason || (filled.answer === "skip" && comment) || undefined;
  const given = { question: present.question, corrects: present.correctable, ...filled, seconds: clock.seconds(), comment: comment || undefined, reason };
  act(() => door.send(given), key);
}

// Does what must be acknowledged, with nothing else meanwhile.
async function act(work, key) {
  const mine = ++turn;
  busy = true;
  clock.stop();
  const chosen = document.querySelector(`[data-answer="${key}"]`) || by("send");
  if (chosen) chosen.classList.add("chosen");
  const card = key === "1" || key === "2" ? document.querySelectorAll(".text")[key - 1] : null;
  if (card) card.classList.add("chosen");
  for (const one of document.querySelectorAll("#actions button")) one.disabled = true;
  unfold(false);
  const came = await work();
  if (mine === turn) show(came);
}

async function refresh() {
  if (busy || (present && ["feedback", "earlier"].includes(present.state))) return;
  const mine = ++turn;
  const came = await door.task();
  if (mine === turn) show(came);
}

function rest(begin) {
  clock.broken = begin;
  if (begin) clock.stop();
  by("break").setAttribute("aria-pressed", String(begin));
  by("view").hidden = begin;
  by("actions").hidden = begin || (present.state !== "task" && !present.correctable);
  notices(begin ? [["", word("on-break")]] : []);
  if (!begin) clock.go();
}

// Saving is the end of an offline page; it asks for a name where the page has none.
function saving() {
  const name = element("input", { autocomplete: "name", onchange: () => { door.person = name.value; } });
  name.value = door.person;
  const save = element("button", { type: "button", class: "main", "data-save": true, onclick: () => { if (!door.named) door.person = name.value; door.save(); } }, word("save"));
  return element("div", {}, door.named ? null : element("label", { class: "field" }, word("your-name"), name), element("p", {}, save));
}

const KEYS = { Digit1: "1", Digit2: "2", Digit0: "0", KeyB: "b", KeyS: "s", KeyU: "u", KeyD: "d", KeyI: "i", KeyP: "p", KeyE: "e", KeyR: "r", KeyA: "a" };
const TYPING = "textarea, select, input:not([type=radio]):not([type=checkbox]):not([type=range])";

function pressed(event) {
  if (event.repeat || event.isComposing || event.ctrlKey || event.metaKey || event.altKey || !present) return;
  if (clock.broken) { rest(false); event.preventDefault(); return; }
  const [key, target] = [event.key.length === 1 ? event.key.toLowerCase() : event.key, event.target];
  const isForm = Boolean(form && form.form.contains(target));
  if (key === "Enter" && form && !event.shiftKey && target.tagName !== "BUTTON" && (isForm || target === document.body || target === by("prompt"))) {
    event.preventDefault();
    give("Enter");
    return;
  }
  if (key === "Enter" && present.state === "feedback" && target.tagName !== "BUTTON") {
    event.preventDefault();
    goOn();
    return;
  }
  if (target.matches(TYPING) || memory.get("tiebreak:keys") === false) return;
  if (form && form.digit(key)) return;
  // Other alphabets have other letters on the same keys.
  const meant = /^[a-z0-9]$/.test(key) ? key : KEYS[event.code];
  if (meant === "d" && by("differences")) compare(!differences);
  else if (meant === "r" && by("written")) showWritten();
  else if (meant === "a" && document.querySelector(".folded")) unfoldTexts();
  else if (meant === "i" && !by("show-instructions").hidden) unfold(by("instructions").hidden);
  else if (meant === "p") rest(true);
  else if (meant === "e" && by("back")) back();
  else if (meant === "e" && by("earlier")) look(0);
  else if (meant === "u" || (meant in CHOICES && (meant === "s" || !form))) give(meant);
  else return;
  event.preventDefault();
}

addEventListener("keydown", pressed);
by("show-instructions").addEventListener("click", () => unfold(by("instructions").hidden));
by("break").addEventListener("click", () => rest(!clock.broken));
// Another window may have answered; a page from the browser's memory is an old one.
document.addEventListener("visibilitychange", () => { if (!document.hidden && !embedded) refresh(); });
addEventListener("pageshow", (event) => { if (event.persisted) refresh(); });
addEventListener("pagehide", () => { if (present && present.state === "task" && !busy) keepDraft({}); });
setInterval(() => {
  const isIdle = clock.isIdle() && present && present.state === "task";
  by("idle").textContent = isIdle ? word("idle", { seconds: IDLE }) : "";
}, 1000);
by("save").append(...wording("save"));
if (embedded) {
  by("save").hidden = false;
  by("save").addEventListener("click", () => door.save());
}
refresh();
