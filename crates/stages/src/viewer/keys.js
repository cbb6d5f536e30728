// Keys: j and k go through items or rows, / searches, u goes back to the list. Texts that are searched are marked.
const rows = [...document.querySelectorAll(".items > [data-item] h2 a")];
const search = document.querySelector("input[name=q]");
const wanted = (new URLSearchParams(location.search).get("q") || "").toLowerCase();

function follow(rel) {
  const link = document.querySelector(`a[rel=${rel}]`);
  if (link) link.click();
}

function step(by) {
  const next = rows[rows.indexOf(document.activeElement) + by];
  if (next) next.focus();
  else follow(by === 1 ? "next" : "prev");
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("input:not([type=checkbox]), select, textarea")) return;
  if (event.key === "j") step(1);
  else if (event.key === "k") step(-1);
  else if (event.key === "u") follow("up");
  else if (event.key !== "/") return;
  else if (search) { search.focus(); search.select(); } else follow("up");
  event.preventDefault();
});

function mark() {
  const found = new Highlight();
  for (const part of document.querySelectorAll("[data-output], [data-source], [data-reference], .source, .note")) {
    const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode;
      const lower = text.data.toLowerCase();
      if (lower.length !== text.length) continue;
      for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, at + wanted.length)) {
        const range = new Range();
        range.setStart(text, at);
        range.setEnd(text, at + wanted.length);
        found.add(range);
      }
    }
  }
  CSS.highlights.set("found", found);
}

if (wanted) if (CSS.highlights) mark();
