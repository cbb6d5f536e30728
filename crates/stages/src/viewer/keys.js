// Keys: j and k go through items or rows, / searches, u goes back to the list.
const rows = [...document.querySelectorAll(".items > [data-item] h2 a")];
const search = document.querySelector("input[name=q]");

function step(by) {
  if (!rows.length) {
    const turn = document.querySelector(by === 1 ? "a[rel=next]" : "a[rel=prev]");
    if (turn) turn.click();
    return;
  }
  const place = rows.indexOf(document.activeElement);
  const next = rows[place === -1 ? 0 : place + by];
  const turn = document.querySelector(by === 1 ? "a[rel=next]" : "a[rel=prev]");
  if (next) next.focus();
  else if (turn) turn.click();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("input:not([type=checkbox]), select, textarea")) return;
  const up = document.querySelector("a[rel=up]");
  if (event.key === "j") step(1);
  else if (event.key === "k") step(-1);
  else if (event.key === "u") { if (up) up.click(); }
  else if (event.key === "/") { if (search) { search.focus(); search.select(); } else if (up) up.click(); }
  else return;
  event.preventDefault();
});
