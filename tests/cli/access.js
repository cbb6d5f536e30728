// What somebody with weak eyes, a keyboard or a screen reader would miss: contrast of texts (WCAG 2.2 AA), names of what
// can be pressed or filled in, a title and a language.
(() => {
  const faults = [];
  const colour = (text) => { const n = (text.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number); return n.length < 4 ? [...n, 1] : n; };
  const over = (top, under) => under.map((below, i) => top[i] * top[3] + below * (1 - top[3]));
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const above = (element) => { const all = []; for (let at = element; at; at = at.parentElement) all.unshift(at); return all; };
  const ground = (element) => above(element).reduce((under, at) => over(colour(getComputedStyle(at).backgroundColor), under), dark ? [18, 18, 18] : [255, 255, 255]);
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((v) => (v / 255 <= .04045 ? v / 255 / 12.92 : ((v / 255 + .055) / 1.055) ** 2.4));
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const named = (element) => `<${element.tagName.toLowerCase()} class="${element.getAttribute("class") || ""}"> ` + (element.textContent || "").trim().slice(0, 40);
  for (const element of document.querySelectorAll("body, body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || element.closest(".heard, svg, script, style, noscript, [disabled]") || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const opacity = above(element).reduce((all, at) => all * Number(getComputedStyle(at).opacity), 1);
    const under = ground(element);
    const ink = colour(style.color);
    const shown = over([ink[0], ink[1], ink[2], ink[3] * opacity], under);
    const [high, low] = [luminance(shown), luminance(under)].sort((a, b) => b - a);
    const ratio = (high + .05) / (low + .05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) faults.push(`contrast ${ratio.toFixed(2)}: ${named(element)}`);
  }
  for (const element of document.querySelectorAll("button, input, select, textarea, a[href], summary")) {
    if (!element.checkVisibility()) continue;
    const labels = [...(element.labels || [])].map((label) => label.textContent).join(" ");
    const name = element.getAttribute("aria-label") || labels || element.textContent || element.title;
    if (!name.trim()) faults.push(`without a name: ${named(element)}`);
  }
  if (!document.title) faults.push("no title");
  if (!document.documentElement.lang) faults.push("no language");
  return faults;
})()
