// The texts of the page in the language of the task.
const TEXTS = JSON.parse(by("words").textContent);

// A text as its parts, with values filled in: texts or elements. What stands in brackets is left out on narrow screens.
function wording(key, values = {}) {
  const filled = (text) => text.split(/\{(\w+)\}/).map((part, place) => place % 2 ? values[part] : part);
  return TEXTS[key].split(/\[(.*?)\]/).flatMap((text, place) => place % 2 ? element("span", { class: "long" }, ...filled(text)) : filled(text));
}

// The whole text as one string.
const word = (key, values) => wording(key, values).map((part) => part.textContent ?? part).join("");
