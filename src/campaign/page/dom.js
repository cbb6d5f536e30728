// The page is made of elements and texts, never of markup from outside.
"use strict";
const by = (id) => document.getElementById(id);

function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// An element that may be folded; it stays as it was left.
function foldable(name, isOpen, properties, ...children) {
  const kept = `tiebreak:fold:${name}`;
  const was = memory.get(kept);
  const made = element("details", { ...properties, open: was === null ? isOpen : was }, ...children);
  made.addEventListener("toggle", () => memory.set(kept, made.open));
  return made;
}

// Some browsers keep nothing, and say so only when asked.
const memory = {
  get(key) { try { return JSON.parse(localStorage.getItem(key)); } catch { return null; } },
  set(key, value) {
    try {
      if (value === null) localStorage.removeItem(key);
      else localStorage.setItem(key, JSON.stringify(value));
      return true;
    } catch { return false; }
  },
};
