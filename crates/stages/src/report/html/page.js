// Buttons that save charts and copy tables. Without this script the page lacks nothing else.
"use strict";
(() => {
  const title = document.title.replace(/[^\p{L}\p{N}._-]+/gu, "-");
  const make = (name, text, within) => {
    const made = document.createElement(name);
    made.textContent = text;
    if (within) within.append(made);
    return made;
  };
  const save = (blob, file) => {
    const link = make("a", "");
    link.href = URL.createObjectURL(blob);
    link.download = file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
  const button = (within, label, act) => {
    const made = make("button", label, within);
    made.type = "button";
    made.addEventListener("click", () => act(made));
  };
  const bar = (after) => {
    const made = make("div", "");
    made.className = "buttons";
    after.after(made);
    return made;
  };

  // Charts: the drawing with its title above and its legend below, on white.
  const space = "http://www.w3.org/2000/svg";
  const text = (parent, words, x, y, size) => {
    const made = document.createElementNS(space, "text");
    made.textContent = words;
    made.setAttribute("x", x);
    made.setAttribute("y", y);
    made.setAttribute("font-size", size);
    parent.append(made);
  };
  const box = (parent, x, y, width, height, colour) => {
    const made = document.createElementNS(space, "rect");
    const all = { x, y, width, height, fill: colour };
    for (const key in all) made.setAttribute(key, all[key]);
    parent.append(made);
  };
  const chart = (figure) => {
    const drawn = figure.querySelector("svg");
    const { width, height } = drawn.viewBox.baseVal;
    const names = [...figure.querySelectorAll(".legend li")];
    const whole = document.createElementNS(space, "svg");
    const size = [width, height + 32 + 20 * names.length];
    whole.setAttribute("xmlns", space);
    whole.setAttribute("viewBox", `0 -32 ${size[0]} ${size[1]}`);
    whole.setAttribute("width", size[0]);
    whole.setAttribute("height", size[1]);
    whole.setAttribute("font-family", "system-ui, sans-serif");
    whole.setAttribute("fill", "#242424");
    box(whole, 0, -32, ...size, "#ffffff");
    text(whole, figure.querySelector("figcaption strong").textContent, 14, -10, 16);
    const inner = drawn.cloneNode(true);
    inner.setAttribute("width", width);
    inner.setAttribute("height", height);
    whole.append(inner);
    names.forEach((one, place) => {
      const y = height + 20 * place;
      box(whole, 14, y + 4, 16, 5, one.firstChild.style.backgroundColor);
      text(whole, one.textContent, 38, y + 11, 13);
    });
    return { source: new XMLSerializer().serializeToString(whole), size };
  };
  const png = ({ source, size }, file) => {
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = size.map((side) => 3 * side);
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => save(blob, file));
    };
    image.src = "data:image/svg+xml," + encodeURIComponent(source);
  };
  document.querySelectorAll("figure").forEach((figure, place) => {
    const file = `${title}-${place + 1}`;
    const buttons = bar(figure.lastElementChild);
    button(buttons, "Save as SVG", () => {
      save(new Blob([chart(figure).source], { type: "image/svg+xml" }), `${file}.svg`);
    });
    button(buttons, "Save as PNG", () => png(chart(figure), `${file}.png`));
  });

  // Tables: the words that are seen, without what is drawn.
  const words = (cell) => {
    const copy = cell.cloneNode(true);
    copy.querySelectorAll("[aria-hidden]").forEach((drawn) => drawn.remove());
    copy.querySelectorAll(".under").forEach((under) => under.prepend(" "));
    return copy.textContent.replace(/\s+/g, " ").trim();
  };
  // A column whose heading has a second line is two columns.
  const rows = (table) => {
    const twofold = [...table.tHead.rows[0].cells].map((cell) => cell.querySelector(".under"));
    const cells = (cell, column) => {
      if (!twofold[column]) return [words(cell)];
      const under = cell.querySelector(".under");
      const upper = cell.cloneNode(true);
      upper.querySelectorAll(".under").forEach((one) => one.remove());
      return [words(upper), under ? words(under) : ""];
    };
    const all = [...table.querySelectorAll("thead tr, tbody tr")];
    return all.map((row) => [...row.cells].flatMap(cells));
  };
  const csv = (all) => {
    const cell = (one) => (/[",\n]/.test(one) ? `"${one.replace(/"/g, '""')}"` : one);
    return all.map((row) => row.map(cell).join(",")).join("\n") + "\n";
  };
  const and = "\x26";
  const marks = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "–": "--" };
  const latex = (all, table) => {
    const special = new RegExp(`[\\\\~^–${and}%$#_{}]`, "g");
    const cell = (one) => one.replace(special, (mark) => marks[mark] || "\\" + mark);
    const line = (row) => "  " + row.map(cell).join(` ${and} `) + " \\\\";
    const side = (one) => (one.className == "number" ? "r" : "l").repeat(one.querySelector(".under") ? 2 : 1);
    const sides = [...table.tHead.rows[0].cells].map(side);
    const [head, ...body] = all.map(line);
    const begin = `\\begin{tabular}{${sides.join("")}}`;
    return [begin, "  \\hline", head, "  \\hline", ...body, "  \\hline", "\\end{tabular}", ""].join("\n");
  };
  const copy = (made, content, file) => {
    const done = () => {
      const label = made.textContent;
      made.textContent = "Copied";
      setTimeout(() => (made.textContent = label), 1500);
    };
    const instead = () => save(new Blob([content], { type: "text/plain" }), file);
    if (navigator.clipboard) navigator.clipboard.writeText(content).then(done, instead);
    else instead();
  };
  document.querySelectorAll("table").forEach((table, place) => {
    const file = `${title}-table-${place + 1}`;
    const buttons = bar(table.closest(".scroll") || table);
    button(buttons, "Copy CSV", (made) => copy(made, csv(rows(table)), `${file}.csv`));
    button(buttons, "Copy LaTeX", (made) => copy(made, latex(rows(table), table), `${file}.tex`));
  });
})();
