// Which words of two texts are not in a longest common subsequence of them.
const MOST = 6e6;

function tokens(text) {
  if (window.Intl && Intl.Segmenter) {
    return Array.from(new Intl.Segmenter(undefined, { granularity: "word" }).segment(text), (one) => one.segment);
  }
  return text.match(/\p{L}[\p{L}\p{M}\p{N}'’]*|\p{N}+|\s+|./gsu) || [];
}

// For each of two lists whether its tokens are common; null where they are too long to compare.
function common(a, b) {
  let [start, ends] = [0, 0];
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  while (ends < a.length - start && ends < b.length - start && a[a.length - 1 - ends] === b[b.length - 1 - ends]) ends++;
  const [n, m] = [a.length - start - ends, b.length - start - ends];
  if (n * m > MOST) return null;
  const length = new Uint16Array((n + 1) * (m + 1));
  const at = (i, j) => i * (m + 1) + j;
  for (let i = n - 1; i >= 0; i--) {
    for (let j = m - 1; j >= 0; j--) {
      length[at(i, j)] = a[start + i] === b[start + j]
        ? length[at(i + 1, j + 1)] + 1 : Math.max(length[at(i + 1, j)], length[at(i, j + 1)]);
    }
  }
  const edge = (place, of) => place < start || place >= of.length - ends;
  const both = [a.map((_, place) => edge(place, a)), b.map((_, place) => edge(place, b))];
  for (let i = 0, j = 0; i < n && j < m;) {
    if (a[start + i] === b[start + j]) {
      both[0][start + i++] = true;
      both[1][start + j++] = true;
    } else if (length[at(i + 1, j)] >= length[at(i, j + 1)]) i++;
    else j++;
  }
  return both;
}

// The text again, with marks on what is not common; blanks alone are no difference.
function marked(list, isCommon) {
  const parts = [];
  list.forEach((token, place) => {
    const plain = isCommon[place] || !token.trim();
    const last = parts.at(-1);
    if (last && last.plain === plain) last.text += token;
    else parts.push({ plain, text: token });
  });
  return parts.map(({ plain, text }) => plain ? text : element("mark", {}, text));
}

// Puts marks on two elements, or takes them away; false where the texts are too long.
function showDifferences(elements, texts, show) {
  const lists = texts.map(tokens);
  const both = show ? common(...lists) : null;
  elements.forEach((one, side) => one.replaceChildren(...(both ? marked(lists[side], both[side]) : [texts[side]])));
  return !show || both !== null;
}
