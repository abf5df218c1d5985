/* The page: theme, copying, tables, pairs. Everything it shows is in the file. */

const DATA = JSON.parse(document.getElementById("data").textContent);
let PAIRS = null;

function setUpTheme() {
  const button = $("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => {
    const chosen = document.documentElement.dataset.theme;
    return chosen === "auto" ? system.matches : chosen === "dark";
  };
  const name = () => { button.textContent = isDark() ? "Light" : "Dark"; };
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    name();
  });
  system.addEventListener("change", name);
  name();
}

/* A section as the command line gives it: the coded pairs are put back in their place. */
function sectionJson(name) {
  const found = DATA.sections[name === "pairs" ? "board" : name];
  if (!PAIRS || found.comparisons !== null) return found;
  const all = Array.from({ length: PAIRS.pairs.size }, (_, p) => PAIRS.pairs.comparison(p));
  return { ...found, comparisons: all };
}

function whatifJson(page) {
  const { state, model } = page;
  const now = computeWhatif(page);
  const json = (x) => (Number.isFinite(x) ? x : null);
  return {
    a: model.names[state.i], b: model.names[state.j],
    as_judged: state.p < 0 ? null : page.pairs.comparison(state.p),
    what_if: {
      weights: Object.fromEntries(model.cells.map((cell, x) => [cell, state.weights[x]])),
      margin: state.margin, lambda: state.price,
      score_a: json(now.scores[0]), score_b: json(now.scores[1]), gap: json(now.gap),
      utility_gap: json(now.utilityGap), radius: json(now.radius), margin_radius: json(now.marginRadius),
      crossovers: Object.fromEntries(model.cells.map((cell, x) => [cell, json(now.crossovers[x])])),
      top: model.names[topOf(page).at] ?? null,
    },
  };
}

const COPIES = {
  section: (button) => sectionJson(button.dataset.name),
  table: (button) => tableJson(button.closest(".table")),
  pair: () => whatifJson(PAIRS),
  pairs: () => PAIRS.list.order.map((p) => PAIRS.pairs.comparison(p)),
};

function setUpCopies() {
  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.addEventListener("click", () =>
      copyText(JSON.stringify(COPIES[button.dataset.copy](button), null, 1), button));
  }
}

setUpTheme();
setUpTables();
if (DATA.whatif && document.getElementById("pair")) PAIRS = setUpPairs(DATA);
setUpCopies();
