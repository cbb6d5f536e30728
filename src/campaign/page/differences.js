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

// The parts of an element whose words are compared: its texts, and each formula as one.
function leaves(shown) {
  const kind = (node) => node.parentElement.closest("math") ? NodeFilter.FILTER_REJECT
    : node.nodeName === "math" || node.nodeType === Node.TEXT_NODE ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_SKIP;
  const walker = document.createTreeWalker(shown, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, kind);
  const found = [];
  while (walker.nextNode()) found.push(walker.currentNode);
  return found;
}

const tokensOf = (leaf) => leaf.nodeName === "math" ? [leaf.textContent] : tokens(leaf.data);

// Marks in a leaf what is not common; blanks alone are no difference.
function mark(leaf, list, isCommon) {
  if (leaf.nodeName === "math") {
    if (isCommon[0]) return;
    const made = element("mark");
    leaf.before(made);
    made.append(leaf);
    return;
  }
  const parts = [];
  list.forEach((token, place) => {
    const plain = isCommon[place] || !token.trim();
    const last = parts.at(-1);
    if (last && last.plain === plain) last.text += token;
    else parts.push({ plain, text: token });
  });
  leaf.replaceWith(...parts.map(({ plain, text }) => plain ? text : element("mark", {}, text)));
}

// Puts marks on the elements among two sides, which are elements or texts, or takes them away; false where they are too
// long to compare.
function showDifferences(sides, show) {
  const isShown = (side) => side instanceof Element;
  sides.filter(isShown).forEach(paint);
  if (!show) return true;
  const found = sides.map((side) => isShown(side) ? leaves(side) : [document.createTextNode(side)]);
  const lists = found.map((side) => side.map(tokensOf));
  const both = common(...lists.map((side) => side.flat()));
  if (!both) return false;
  found.forEach((side, which) => {
    let from = 0;
    side.forEach((leaf, place) => {
      const list = lists[which][place];
      if (leaf.parentNode) mark(leaf, list, both[which].slice(from, from + list.length));
      from += list.length;
    });
  });
  return true;
}
