// What is filled in rather than chosen: ratings by criterion, an edited text, an answer about a passage.

const steps = ({ low, high, step }) => step ? Math.round((high - low) / step) + 1 : Infinity;

// So many points are a row of buttons; more are a slider.
const BUTTONS = 11;

function likert(criterion, given, changed) {
  const count = steps(criterion);
  const points = Array.from({ length: count }, (_, place) => criterion.low + place * criterion.step);
  const labels = criterion.labels || [];
  const named = (place) => labels.length === count ? labels[place]
    : place === 0 ? labels[0] : place === count - 1 ? labels.at(-1) : null;
  const point = (value, place) => element("label", {},
    element("input", {
      type: "radio", name: `criterion-${criterion.name}`, value, checked: given === value, onchange: () => changed(value),
    }),
    element("b", {}, String(value)), named(place) ? element("bdi", {}, named(place)) : null);
  return element("div", { class: "likert" }, ...points.map(point));
}

function slider(criterion, given, changed) {
  const { low, high, step, labels } = criterion;
  const shown = element("output", {}, given === undefined ? "–" : String(given));
  const touch = (event) => {
    input.classList.remove("untouched");
    shown.textContent = input.value;
    if (event.type !== "input") input.setAttribute("aria-valuetext", input.value);
    changed(Number(input.value));
  };
  const input = element("input", {
    type: "range", min: low, max: high, step: step || "any", value: given === undefined ? (low + high) / 2 : given,
    class: given === undefined ? "untouched" : null, "aria-label": criterion.label, oninput: touch, onclick: touch,
    "aria-valuetext": given === undefined ? word("not-answered") : null,
  });
  const ends = [labels && labels[0], labels && labels.at(-1)];
  return element("div", { class: "slider" }, input, shown,
    element("p", { class: "ends soft" }, element("bdi", {}, ends[0] || String(low)), element("bdi", {}, ends[1] || String(high))));
}

// Where there is no scale.
function anyNumber(criterion, given, changed) {
  const input = element("input", {
    type: "number", step: "any", inputmode: "decimal", value: given === undefined ? "" : given, "aria-label": criterion.label,
    oninput: () => changed(input.value === "" || !Number.isFinite(input.valueAsNumber) ? undefined : input.valueAsNumber),
  });
  return element("div", { class: "number" }, input);
}

// Fields of a task, with what was filled in before the page was loaded again; `send` gets what is filled in.
function formOf(task, draft, keepDraft, send) {
  const scores = { ...draft.scores };
  const groups = new Map();
  const group = (criterion) => {
    const changed = (value) => {
      scores[criterion.name] = value;
      groups.get(criterion.name).classList.remove("missing");
      keep();
    };
    const kind = typeof criterion.low !== "number" ? anyNumber : steps(criterion) <= BUTTONS ? likert : slider;
    const field = kind(criterion, scores[criterion.name], changed);
    const made = element("fieldset", {}, element("legend", { "data-missing": word("please-answer") }, element("bdi", {}, criterion.label)), field);
    groups.set(criterion.name, made);
    return made;
  };
  const [box, needed] = textBox(task, draft, () => keep());
  const keep = () => keepDraft({ scores, text: box ? box.value : undefined });
  const submit = () => {
    const open = task.criteria.filter((one) => scores[one.name] === undefined).map((one) => groups.get(one.name));
    if (needed && !box.value.trim()) open.push(box.parentElement);
    for (const one of open) one.classList.add("missing");
    if (open.length) {
      open[0].querySelector("input, textarea").focus();
      return word("please-answer-number", { number: open.length });
    }
    send({ ...(task.criteria.length ? { scores } : {}), ...(box ? { text: box.value } : {}) });
    return null;
  };
  const form = element("form", { class: "card", novalidate: true, autocomplete: "off" },
    ...task.criteria.map(group), box && box.parentElement);
  form.addEventListener("submit", (event) => event.preventDefault());
  // A digit is the answer to the first criterion that has none.
  const digit = (key) => {
    const open = task.criteria.find((one) => scores[one.name] === undefined && steps(one) <= BUTTONS);
    const input = open && groups.get(open.name).querySelector(`input[value="${CSS.escape(key)}"]`);
    if (input) { input.click(); input.focus(); }
    return Boolean(input);
  };
  return { form, submit, digit, edits: box && task.protocol === "post-edit" ? box : null };
}

// The box for a text and whether it must be filled; nothing where none is asked for.
function textBox(task, draft, keep) {
  const isEdit = task.protocol === "post-edit";
  if (!isEdit && task.protocol !== "question-answering") return [null, false];
  const isFree = !isEdit && task.texts.length === 0;
  const label = word(isEdit ? "your-edit" : isFree ? "your-answer" : "evidence");
  const box = element("textarea", { dir: "auto", rows: isEdit ? 6 : 3, spellcheck: "true", oninput: keep, id: "text-box" });
  box.value = draft.text !== undefined ? draft.text : isEdit ? task.texts[0] : "";
  const again = element("button", { type: "button", class: "tool", onclick: () => { box.value = task.texts[0]; keep(); box.focus(); } }, word("begin-again"));
  const quote = element("button", { type: "button", class: "tool", onclick: () => {
    const chosen = String(getSelection()).trim();
    if (chosen) { box.value = [box.value.trim(), chosen].filter(Boolean).join("\n"); keep(); }
  } }, word("take-selected"));
  const field = element("div", {}, element("label", { class: "field", for: "text-box", "data-missing": word("please-answer") }, label), box,
    element("div", { class: "options" }, isEdit ? again : task.passage ? quote : null,
      element("span", { class: "soft" }, word("enter-sends"))));
  return [field.querySelector("textarea"), isFree];
}
