// What somebody who looks at the page would miss: text that is cut or stands outside, a page that scrolls
// sideways, a table that does and does not say so.
(() => {
  const faults = [];
  const page = document.documentElement;
  if (page.scrollWidth > page.clientWidth) faults.push(`the page is ${page.scrollWidth} wide, of ${page.clientWidth}`);
  const named = (element) => `<${element.tagName.toLowerCase()} class="${element.getAttribute("class") || ""}"> ` +
    (element.textContent || "").trim().slice(0, 50);
  for (const element of document.querySelectorAll("body *")) {
    if (element.closest("svg, .heard") || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const region = element.closest("[role=region]");
    if (element === region) {
      if (element.tabIndex < 0 || !element.getAttribute("aria-label")) faults.push(`no name or focus: ${named(element)}`);
      continue;
    }
    if (region) continue;
    const box = element.getBoundingClientRect();
    if (box.right > page.clientWidth + 1 || box.left < -1) faults.push(`outside: ${named(element)}`);
    if (style.display === "inline") continue;
    // On a telephone intervals are drawn across the whole row.
    if (element.querySelector(":scope > .drawn")) continue;
    if (element.scrollWidth > element.clientWidth + 1) faults.push(`wider than its box: ${named(element)}`);
    if (style.overflowY !== "visible" && element.scrollHeight > element.clientHeight + 1) faults.push(`cut: ${named(element)}`);
  }
  for (const text of document.querySelectorAll("svg text")) {
    const [box, of] = [text.getBoundingClientRect(), text.ownerSVGElement.getBoundingClientRect()];
    if (box.width === 0) continue;
    const out = box.left < of.left - 1 || box.right > of.right + 1 || box.top < of.top - 1 || box.bottom > of.bottom + 1;
    if (out) faults.push(`cut in a plot: ${text.textContent.trim()}`);
  }
  return faults;
})()
