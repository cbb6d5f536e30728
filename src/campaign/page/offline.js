// Without a server: the questions are in the page, the answers in the browser until they are saved as a file.
function offline(sheet) {
  const kept = `tiebreak:sheet:${sheet.id}`;
  const stored = memory.get(kept);
  const answers = new Map((stored ? stored.answers : []).map((one) => [one.question, one]));
  let person = sheet.annotator || (stored && stored.annotator) || "";
  let [saved, lasting] = [true, true];

  const keep = () => {
    saved = false;
    lasting = memory.set(kept, { annotator: person, answers: [...answers.values()] });
    connection(lasting ? null : word("stores-nothing"));
  };
  const state = () => {
    const left = sheet.states.filter((one) => !answers.has(one.question));
    const shared = { progress: { answered: answers.size, left: left.length }, undo: answers.size > 0 };
    return left.length ? { ...left[0], ...shared } : { state: "done", message: word("save-and-send"), ...shared };
  };
  addEventListener("beforeunload", (event) => { if (!saved && !lasting) event.preventDefault(); });

  return {
    async task() { return { state: state() }; },
    async send(answer) {
      answers.set(answer.question, { ...answer, corrects: undefined });
      keep();
      return { state: state() };
    },
    // Everything may be corrected until it is saved: all questions were drawn beforehand.
    async earlier(number) {
      const all = [...answers.values()];
      const at = Math.min(number || all.length, all.length);
      const said = all[at - 1];
      const asked = said && sheet.states.find((one) => one.question === said.question);
      return { state: asked ? { ...asked, state: "earlier", undo: false, correctable: true, said, number: at, all: all.length } : state() };
    },
    async undo() {
      const last = [...answers.keys()].at(-1);
      answers.delete(last);
      keep();
      // First again, whatever else is open.
      sheet.states.sort((a, b) => (b.question === last) - (a.question === last));
      return { state: state() };
    },
    // Who answers, where the page does not know it.
    named: Boolean(sheet.annotator),
    get person() { return person; },
    set person(name) { person = name.trim(); keep(); },
    save() {
      const file = { tiebreak: 1, sheet: sheet.sheet, annotator: person || null, answers: [...answers.values()] };
      const url = URL.createObjectURL(new Blob([JSON.stringify(file, null, 1)], { type: "application/json" }));
      const name = [sheet.sheet, person].filter(Boolean).join("-").replace(/[^\p{L}\p{N}_-]+/gu, "-") || "answers";
      element("a", { href: url, download: `${name}.json` }).click();
      setTimeout(() => URL.revokeObjectURL(url), 60000);
      saved = true;
    },
  };
}
