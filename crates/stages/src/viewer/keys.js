// Keys: j and k go through items or pages, / searches, u goes back to the list. Texts that are searched are marked.
const rows = [...document.querySelectorAll("[data-item] h2 a[href]")];
const search = document.querySelector("input[name=q]");
const wanted = (new URLSearchParams(location.search).get("q") || "").trim().toLowerCase();

const follow = (rel) => document.querySelector(`a[rel=${rel}]`)?.click();

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

const marks = new Highlight();
const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
while (wanted && texts.nextNode()) {
  const [text, lower] = [texts.currentNode, texts.currentNode.data.toLowerCase()];
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, at + 1)) {
    const [from, to] = [at, at + wanted.length];
    marks.add(new StaticRange({ startContainer: text, startOffset: from, endContainer: text, endOffset: to }));
  }
}
CSS.highlights.set("found", marks);
