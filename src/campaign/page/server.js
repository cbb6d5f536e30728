// Answers go to a server and stand here until it has them on disk: a lost network, a server started again or a closed
// window loses nothing. Sent twice, an answer counts once.
function server() {
  const base = location.pathname.replace(/\/$/, "");
  const kept = `tiebreak:${base}`;
  const LONGEST = 15;
  let wake = null;
  const rest = (seconds) => new Promise((go) => {
    const timer = setTimeout(go, 1000 * seconds);
    wake = () => { clearTimeout(timer); go(); };
  });
  addEventListener("online", () => wake && wake());

  // Tries for ever; what the server refuses comes back with its words.
  async function call(path, body) {
    const isAnswer = body && (body.answer || body.scores || body.text !== undefined);
    const trouble = (text) => connection(`${text} ${word(isAnswer ? "kept" : "tries-again")}`);
    for (let pause = 1; ; pause = Math.min(2 * pause, LONGEST)) {
      let wait = pause;
      try {
        const asked = body === undefined ? {} : {
          method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" },
        };
        const answer = await fetch(base + path, { ...asked, cache: "no-store", signal: AbortSignal.timeout(20000) });
        if (answer.ok) {
          const state = await answer.json();
          connection(null);
          return { state };
        }
        if (answer.status === 404) {
          connection(word("not-known"));
          wait = LONGEST;
        } else if (answer.status === 429 || answer.status >= 500) {
          wait = Number(answer.headers.get("Retry-After")) || pause;
          trouble(answer.status === 429 ? word("busy") : word("trouble", { status: answer.status }));
        } else {
          const { error, state } = await answer.json().catch(() => ({}));
          connection(null);
          return { state, error: error || answer.status };
        }
      } catch {
        trouble(word("no-connection"));
      }
      await rest(wait);
    }
  }

  return {
    async task() {
      const left = memory.get(kept);
      return left ? this.send(left) : call("/task");
    },
    async send(answer) {
      memory.set(kept, answer);
      const came = await call("/answer", answer);
      const left = memory.get(kept);
      // Another window may have an answer of its own on its way.
      if (left && left.question === answer.question) memory.set(kept, null);
      return came.state ? came : { ...(await call("/task")), error: came.error };
    },
    async earlier(number) { return call(`/earlier/${number}`); },
    async undo(question) {
      const came = await call("/undo", { question });
      return came.state ? came : { ...(await call("/task")), error: came.error };
    },
  };
}
