// The state of the campaign, asked for every few seconds. The server words the verdict.
const base = location.pathname.replace(/\/$/, "");
const EVERY = 4;
// A longer answer is set in smaller type, in characters.
const LONG = 160;
// A longer list of systems is folded after so many.
const FOLDED = 20;
let shown = null;

for (const [id, file] of [["report", "report.html"], ["answers", "answers.csv"], ["journal", "journal.jsonl"]]) by(id).href = `${base}/${file}`;

// As texts and reports round: a half away from zero, also where the nearest binary number lies just below it.
const decimals = (value, digits) => (value * (1 + 8 * Number.EPSILON)).toFixed(digits);
const known = (value) => value !== null && value !== undefined;
function number(value) {
  if (!known(value)) return "–";
  if (Number.isInteger(value)) return String(value);
  return decimals(value, Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(Math.abs(value))))));
}
const section = (title, properties, ...inside) => element("section", { class: "card", ...properties, "aria-label": title }, element("h2", {}, title), ...inside);

function took(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 90) return `${seconds < 10 ? Math.round(10 * seconds) / 10 : decimals(seconds, 0)} s`;
  return seconds < 5400 ? `${decimals(seconds / 60, 0)} min` : `${decimals(seconds / 3600, 1)} h`;
}

function ago(when) {
  const seconds = (Date.now() - new Date(typeof when === "number" ? 1000 * when : when)) / 1000;
  return when === null || when === undefined || Number.isNaN(seconds) ? "never" : seconds < 20 ? "now" : `${took(seconds)} ago`;
}

function verdict(status) {
  const claimed = status.claim ? status.claim.kind !== "undecided" : Boolean(status.target && status.target.reached);
  const [answer, ...rest] = status.verdict_lines || [status.verdict];
  const folds = Boolean(status.estimates) || claimed;
  const soft = (text) => element("p", { class: "soft" }, text);
  const title = status.estimates ? "Result so far" : claimed ? "Verdict" : "Verdict so far";
  return section(title, { class: `card verdict${claimed ? " claimed" : ""}` },
    element("p", { class: answer.length > LONG ? "long" : null }, answer),
    ...(folds ? [] : rest.map(soft)),
    ...[!claimed && status.leader && "A leader is a guess; only a verdict is proved.", status.next && `Next: ${status.next}.`, status.notice].filter(Boolean).map(soft),
    folds && rest.length ? folded("What this is based on and assumes", unmarked(rest)) : null);
}

// The server's lines are for terminals too: a heading, and dashes before what it lists.
const unmarked = (lines) => lines.filter((line) => line !== "Assumptions:").map((line) => line.replace(/^- /, ""));

// Short lines under a heading that may be unfolded; it stays so when the board is drawn again.
function folded(title, lines) {
  return foldable(title, false, {}, element("summary", { class: "soft", "data-key": title }, title),
    element("ul", { class: "soft" }, ...lines.map((line) => element("li", {}, line))));
}

const counted = (n, thing) => `${n} ${thing}${n === 1 ? "" : "s"}`;

function figure(name, value, more) {
  return element("div", {}, element("dt", {}, name), element("dd", {}, value, more ? element("span", {}, more) : null));
}

function figures(status) {
  const { questions, agreement, budget, cost, left } = status;
  const parts = [
    figure("Answers", String(questions.answered), [
      `${questions.open} open, ${questions.skipped} skipped`, questions.lost ? `${questions.lost} of annotators who are no longer listed` : null, questions.second || questions.second_open ? `${counted(questions.second, "second opinion")} (${questions.second_open} open)` : null, questions.second_skipped ? `${counted(questions.second_skipped, "second opinion")} skipped` : null,
      status.held ? `${status.held} can still be taken back` : null,
    ].filter(Boolean).join(", ")),
    left && known(left.questions)
      ? status.estimates ? figure("Still to be rated", String(left.questions), `of ${status.planned - status.alike} outputs`) : figure("Answers still needed", `about ${left.questions}`, "an estimate") : null,
    budget && known(budget.questions) ? figure("Questions left", String(budget.questions_left), `of a budget of ${budget.questions}`) : null,
    budget && known(budget.hours) ? figure("Hours left", number(budget.hours_left), `of a budget of ${number(budget.hours)}`) : null,
    cost && known(cost.seconds_left) ? figure("Time still needed", took(cost.seconds_left), "an estimate") : null,
    cost ? figure("Annotators’ time", took(cost.seconds), cost.words) : null,
    agreement ? figure("Agreement", number(agreement.value), agreement.words) : null,
    status.model_answers ? figure("Answered without people", String(status.model_answers)) : null,
  ];
  const raised = ((budget && budget.raised) || []).map((text) => element("p", { class: "soft" }, `The budget was ${text}.`));
  return section("So far", {}, element("dl", { class: "figures" }, ...parts.filter(Boolean)), ...raised);
}

function bar(name, share, words) {
  const fill = element("div", { class: "fill" });
  fill.style.width = `${100 * Math.min(1, share)}%`;
  return element("li", { class: words === "enough" ? "enough" : null },
    element("span", {}, name), element("div", { class: "track", "aria-hidden": "true" }, fill),
    element("span", { class: "share" }, words));
}

function rivals(status) {
  const sorted = [...(status.rivals || [])].sort((a, b) => b.evidence - a.evidence || a.system.localeCompare(b.system));
  // Without a leader there is no evidence.
  if (!sorted.length || !status.leader) return null;
  return section(`Evidence against each rival of ${status.leader} (a verdict needs 100 %)`, { class: "card half" },
    ...bars(sorted.map(({ system, evidence, words }) => bar(system, evidence, words))),
    element("p", { class: "soft" }, "Evidence counts only what is proved so far. A probability near 100 % is still a guess until the evidence reaches 100 %."));
}

// A long list, the first ones before a fold that has the rest.
function listed(all, first, rest = first) {
  if (all.length <= FOLDED) return [first(all)];
  const title = `Show all ${all.length}`;
  return [first(all.slice(0, FOLDED)), foldable(title, false, {}, element("summary", { class: "soft", "data-key": title }, title), rest(all.slice(FOLDED)))];
}

const bars = (all) => listed(all, (some) => element("ul", { class: "rivals" }, ...some));

function probabilities(status) {
  const chances = status.chances || [];
  if (!chances.length) return null;
  const row = ({ name, probability, words }) => bar(name, probability, words);
  return section("Probability of beating all others (a guess by the bandit’s model, not a proof)", { class: "card half" },
    element("ul", { class: "rivals" }, ...chances.map(row)));
}

// A table that scrolls where it is too wide.
const scrollable = (label, heads, rows) => element("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": label },
  element("table", {}, element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows)));

// Each system's mean on the scale of all of its criterion.
function means(status) {
  const all = status.estimates || [];
  if (!all.length) return null;
  const row = (one) => element("tr", {},
    element("th", { scope: "row" }, one.system), element("td", { class: "left" }, one.criterion),
    element("td", {}, String(one.n)), element("td", {}, number(one.estimate)),
    element("td", {}, !known(one.lower) || !known(one.upper) ? "–" : `[${number(one.lower)}, ${number(one.upper)}]`));
  const head = (name, place) => element("th", { scope: "col", class: place < 2 ? "left" : null }, name);
  const heads = ["System", "Criterion", "Ratings", "Mean", "Interval"];
  const table = (some, label) => scrollable(label, heads.map(head), some.map(row));
  return section("How good each system is", {}, ...listed(all, (some) => table(some, "Means"), (some) => table(some, "Further means")),
    ...(status.meaning || []).map((text) => element("p", { class: "soft" }, text)));
}

function copied(button, text) {
  const field = element("input", { value: text, "aria-label": "Link", readonly: true });
  const done = () => { button.textContent = "Copied"; setTimeout(() => { button.textContent = "Copy link"; }, 2000); };
  // Without TLS browsers give pages no clipboard, but let people copy.
  if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, () => {});
  else {
    document.body.append(field);
    field.select();
    if (document.execCommand("copy")) done();
    field.remove();
    button.focus();
  }
}

function copyOf(name, at) {
  const url = at && new URL(at, location.href).href;
  const copy = url && element("button", { type: "button", class: "tool", "data-key": `copy ${name}` }, "Copy link");
  if (copy) copy.addEventListener("click", () => copied(copy, url));
  return copy;
}

// The link that is open to all, and how many came by it.
function visitors({ visitors: open }) {
  if (!open) return null;
  return section("Visitors", {},
    element("p", {}, `Visitors so far: ${open.admitted} of ${open.places}; ${counted(open.questions, "question")} for each.`),
    element("div", { class: "chips" }, copyOf("open link", open.url), element("a", { class: "tool", href: `${base}/codes.csv`, download: "codes.csv" }, "Completion codes (CSV)")));
}

function person(one, withFlags, withCodes) {
  const copy = copyOf(one.name, one.url);
  const close = element("button", {
    type: "button", class: "tool", "data-key": `close ${one.name}`, onclick: () => tell("/close", { annotator: one.name, closed: !one.closed }),
  }, one.closed ? "Open again" : "Close");
  return element("tr", { class: one.closed ? "closed" : null },
    element("th", { scope: "row" }, one.name), withCodes ? element("td", { class: "left" }, element("code", {}, one.code)) : null,
    element("td", {}, String(one.answered)), element("td", {}, String(one.open)), element("td", {}, String(one.skipped)),
    element("td", {}, took(one.seconds_median)), element("td", {}, known(one.answers_per_hour) ? decimals(one.answers_per_hour, 0) : "–"),
    element("td", {}, number(one.agreement)), element("td", {}, one.closed ? "closed" : ago(one.last_seen)),
    withFlags ? element("td", { class: "left" }, ...(one.flags || []).map((flag) => element("span", { class: "flag" }, flag))) : null,
    element("td", {}, one.listed ? element("div", { class: "chips" }, copy, close) : "no longer listed"));
}

function people(status) {
  const list = (status.annotators || []).filter((one) => typeof one === "object");
  if (!list.length) return null;
  const withFlags = list.some((one) => (one.flags || []).length);
  const withCodes = list.some((one) => one.code);
  const heads = ["Annotator", withCodes && "Code", "Answers", "Open", "Skipped", "Median time", "Per hour", "Same answers", "Last seen", withFlags && "What stands out", "Link"];
  const head = (name) => element("th", { scope: "col", class: ["Annotator", "Code", "What stands out"].includes(name) ? "left" : null }, name);
  return section("Annotators", {}, scrollable("All annotators", heads.filter(Boolean).map(head), list.map((one) => person(one, withFlags, withCodes))));
}

// Where nothing is left to ask, whoever answers.
const isAtRest = ({ state, stopped }) => ["over", "used-up", "exhausted"].includes(state) || Boolean(state === "lost" && stopped);

function board(status) {
  shown = status;
  const at = document.activeElement && document.activeElement.dataset.key;
  const wide = () => [...document.querySelectorAll(".scroll")];
  const scrolled = new Map(wide().map((one) => [one.ariaLabel, one.scrollLeft]));
  if (status.name) {
    by("name").textContent = status.name;
    document.title = status.name;
  }
  if (by("heard").textContent !== status.verdict) by("heard").textContent = status.verdict;
  by("pulse").className = `pulse${status.paused ? " paused" : ""}`;
  const rest = isAtRest(status);
  by("pulse").textContent = status.state === "over" ? "Over" : rest ? "Nothing left to ask" : status.paused ? "Paused: no questions are asked" : "Running";
  trouble(status.trouble);
  by("pause").hidden = rest && !status.paused;
  by("pause").textContent = status.paused ? "Resume" : "Pause";
  by("board").replaceChildren(...[verdict, figures, rivals, probabilities, means, visitors, people, remarks].map((part) => part(status)).filter(Boolean));
  by("board").removeAttribute("aria-busy");
  if (at) for (const one of document.querySelectorAll("[data-key]")) if (one.dataset.key === at) one.focus();
  for (const one of wide()) one.scrollLeft = scrolled.get(one.ariaLabel) || 0;
}

// The latest comments, and skips with a reason.
function remarks(status) {
  const list = status.remarks || [];
  if (!list.length) return null;
  const row = (one) => element("tr", {},
    element("th", { scope: "row" }, one.annotator), element("td", { class: "left" }, one.item),
    element("td", { class: "left" }, one.answered ? "answer" : "skip"),
    element("td", { class: "left", dir: "auto" }, one.text));
  const head = (name) => element("th", { scope: "col", class: "left" }, name);
  const more = known(status.remarks_all) && status.remarks_all > list.length
    ? element("p", { class: "soft" }, `The latest ${list.length} of ${status.remarks_all}; all of them are in the answers (CSV).`) : null;
  return section("Comments, and reasons for skips", {}, scrollable("Comments", ["Annotator", "Item", "On", "Text"].map(head), list.map(row)), more);
}

// Said once, for as long as it lasts.
function trouble(text) {
  by("trouble").hidden = !text;
  if (by("trouble").textContent !== (text || "")) by("trouble").textContent = text || "";
}

function lost(text) {
  by("pulse").className = "pulse lost";
  by("pulse").textContent = text;
}

// What the server says of a request that it did not grant.
const reasonOf = async (answer) => (await answer.json().catch(() => ({}))).error;

async function look() {
  try {
    const answer = await fetch(`${base}/status`, { cache: "no-store", signal: AbortSignal.timeout(20000) });
    if (answer.ok) board(await answer.json());
    else {
      lost(answer.status === 404 ? "The server does not know this link." : `The server has trouble (${answer.status}); this page tries again.`);
      trouble(await reasonOf(answer));
    }
  } catch {
    lost("No connection to the server; this page tries again.");
  }
}

async function tell(path, body) {
  try {
    const answer = await fetch(base + path, { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } });
    if (answer.ok) await look();
    else {
      lost(`The server refused this (${answer.status}).`);
      trouble(await reasonOf(answer));
    }
  } catch {
    lost("No connection to the server: nothing was changed.");
  }
}

by("pause").addEventListener("click", () => shown && tell("/pause", { paused: !shown.paused }));
async function forever() {
  if (!document.hidden || !shown) await look();
  setTimeout(forever, 1000 * EVERY);
}
document.addEventListener("visibilitychange", () => { if (!document.hidden) look(); });
forever();
