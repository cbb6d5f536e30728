// Texts that somebody or something wrote: rendered by the server where they are Markdown or code, or as they are.
let raw = false;

// A text taller than so many windows shows its beginning first.
const TALL = 1.5;

function words(text, properties = {}, html = null) {
  const made = element("div", { class: "words", dir: "auto", "data-empty": word("empty"), ...properties });
  Object.assign(made, { written: text, html });
  paint(made);
  return made;
}

// Puts the text into its element. What the server rendered holds nothing that loads or runs.
function paint(one) {
  const isRendered = Boolean(one.html) && !raw;
  const children = isRendered ? new DOMParser().parseFromString(one.html, "text/html").body.childNodes : [one.written];
  one.classList.toggle("rendered", isRendered);
  one.classList.toggle("nothing", !one.written.trim());
  one.replaceChildren(...children);
}

// Folds long texts, or shows them whole.
function fold(folded) {
  for (const card of document.querySelectorAll(".text")) {
    card.classList.remove("folded");
    const isLong = folded && card.querySelector(".words").scrollHeight > TALL * innerHeight;
    card.classList.toggle("folded", isLong);
    card.querySelector(".unfold").hidden = !isLong;
  }
}
