/* The pair page: two configurations in full, with knobs for weights, margin and price. */

const $ = (id) => document.getElementById(id);
/* Characters that could reorder or hide text are shown as such; copied JSON keeps them. */
const printable = (text) => text.replace(/[\p{C}\p{Z}]/gu, (c) => (c === " " ? c : "\ufffd"));
const percent = (x) => `${(100 * x).toFixed(1)} %`;
const scoreText = (x) => (Number.isNaN(x) || x === null ? "–" : x.toFixed(3));
const radiusText = (x) => (x === Infinity ? "∞" : Number.isNaN(x) ? "–" : x.toFixed(3));
const VERDICT_COLOURS = {
  stable: "blue", "target-sensitive": "vermillion", underpowered: "muted",
  "verifier-sensitive": "purple", unsupported: "ink",
};

function element(tag, text, attributes = {}) {
  const made = document.createElement(tag);
  made.textContent = printable(String(text));
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function say(id, text) {
  $(id).textContent = printable(text);
}

function fillFacts(list, facts) {
  list.replaceChildren(...facts.map(([term, value]) => {
    const row = document.createElement("div");
    row.append(element("dt", term), element("dd", value));
    return row;
  }));
}

function setUpPairs(data) {
  const model = makeModel(data.whatif);
  const pairs = decodePairs(data.pairs, model.names);
  const state = {
    i: 0, j: Math.min(1, model.names.length - 1), margin: data.margin, price: 0,
    weights: model.stated.slice(), byTask: model.byTask, moved: false,
  };
  const priced = model.costs !== null;
  const page = { data, model, pairs, state, priced, topPrice: priced ? highestSwitch(model) : 0 };
  setUpChoice(page);
  setUpKnobs(page);
  setUpAllPairs(page);
  showPair(page);
  addEventListener("resize", () => drawPair(page, computeWhatif(page)));
  return page;
}

/* Lines success − λ · cost of everybody who is priced: who is on top as λ grows from 0. */
function priceLines(model, weights, byTask) {
  const of = (layer) => model.names.map((_, i) => layer.score(i, weights, byTask));
  const costs = of(model.costs);
  return { costs, ...envelope(of(model.paid), costs.map((c) => -c), Infinity) };
}

/* A price somewhat above the last one at which another configuration takes the top. */
function highestSwitch(model) {
  const { costs, breaks } = priceLines(model, model.stated, model.byTask);
  const dearest = Math.max(...costs.filter((c) => !Number.isNaN(c)));
  const rough = 1.25 * breaks.at(-2) || (dearest > 0 ? 1 / dearest : 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  return Math.ceil(rough / power) * power;
}

function setUpChoice(page) {
  const { model, state } = page;
  for (const [id, key] of [["pair-a", "i"], ["pair-b", "j"]]) {
    const select = $(id);
    select.append(...model.names.map((name, i) => element("option", name, { value: i })));
    select.value = state[key];
    select.addEventListener("change", () => {
      const other = key === "i" ? "j" : "i";
      if (Number(select.value) === state[other]) state[other] = state[key];
      state[key] = Number(select.value);
      showPair(page);
    });
  }
  $("swap").addEventListener("click", () => {
    [state.i, state.j] = [state.j, state.i];
    showPair(page);
  });
}

function setUpKnobs(page) {
  const { model, state, data } = page;
  $("margin").max = Math.max(20, 200 * data.margin);
  $("margin").value = 100 * data.margin;
  $("margin").addEventListener("input", () => {
    state.margin = Number($("margin").value) / 100;
    showWhatif(page);
  });
  $("price-label").hidden = !page.priced;
  $("price").value = 0;
  $("price").addEventListener("input", () => {
    state.price = (page.topPrice * Number($("price").value)) / 1000;
    showWhatif(page);
  });
  const presets = {
    stated: [model.stated, model.byTask],
    observed: [model.mix, model.mixByTask],
    equal: [model.cells.map(() => 1 / model.K), false],
  };
  for (const [name, [weights, byTask]] of Object.entries(presets)) {
    const button = $(`weights-${name}`);
    button.parentElement.hidden = model.K < 2;
    button.addEventListener("click", () => setWeights(page, weights, byTask, name !== "stated"));
  }
}

function setWeights(page, weights, byTask, moved) {
  Object.assign(page.state, { weights: Array.from(weights), byTask, moved });
  showWhatif(page);
}

/* One cell's weight is set, the others keep their proportions. */
function slideWeight(page, cell, value) {
  const { weights } = page.state;
  const rest = sum(weights.map((w, x) => (x === cell ? 0 : w)));
  const next = weights.map((w, x) =>
    x === cell ? value : rest > DUST ? (w * (1 - value)) / rest : (1 - value) / (weights.length - 1));
  setWeights(page, next, false, true);
}

function showPair(page) {
  const { model, pairs, state } = page;
  $("pair-a").value = state.i;
  $("pair-b").value = state.j;
  state.p = state.i === state.j ? -1 : pairs.find(state.i, state.j);
  const judged = state.p >= 0 ? pairs.comparison(state.p) : null;
  state.sign = judged && judged.a !== model.names[state.i] ? -1 : 1;
  showVerdict(judged);
  say("pair-sentence", judged
    ? judged.sentence
    : "This pair was not judged: the family is that of the pairs of the first configurations by raw score.");
  fillFacts($("pair-facts"), judged ? judgedFacts(page, judged) : []);
  $("pair-flags").replaceChildren(...(judged ? judged.flags : []).map((flag) => {
    const item = element("li", "");
    item.append(element("strong", flag.replace("_", " ")), `: ${page.data.flags[flag] ?? ""}`);
    return item;
  }));
  makeCells(page);
  showWhatif(page);
}

function showVerdict(judged) {
  const line = $("pair-verdict");
  line.replaceChildren();
  if (!judged) return;
  line.append(verdictMark(judged.verdict), judged.verdict,
    judged.winner ? printable(` · winner: ${judged.winner}`) : " · no winner");
}

function verdictMark(verdict) {
  return element("span", MARKS[verdict], { class: `mark ${VERDICT_COLOURS[verdict]}`, "aria-hidden": "true" });
}

/* Members that change sign with the order of the pair, as A − B. */
function oriented(judged, sign) {
  const flip = (v) => (v === null ? NaN : sign * v);
  const ends = (low, high) => (sign > 0 ? [flip(low), flip(high)] : [flip(high), flip(low)]);
  const [low, high] = ends(judged.gap_low, judged.gap_high);
  const [movedLow, movedHigh] = ends(judged.movement_low, judged.movement_high);
  return { gap: flip(judged.gap), low, high, observed: flip(judged.gap_observed),
    standardized: flip(judged.gap_standardized), movement: flip(judged.movement), movedLow, movedHigh };
}

function judgedFacts(page, judged) {
  const { model, state, data } = page;
  const o = oriented(judged, state.sign);
  const scores = [state.i, state.j].map((i) => scoreText(model.score(i, model.stated, model.byTask)));
  const orReason = (key, text) => (judged[key] === null ? judged.reasons[key] ?? "–" : text);
  const level = `${+(100 * data.level).toFixed(4)} %`;
  const bounds = (key, low, high) =>
    judged[key] === null ? "–" : `${pointsText(low)} to ${pointsText(high)}`;
  const facts = [
    ["score A", scores[0]],
    ["score B", scores[1]],
    ["gap A − B", `${pointsText(o.gap)} points`],
    [`${level} interval`, orReason("gap_low", bounds("gap_low", o.low, o.high))],
    ["gap in the observed mix", pointsText(o.observed)],
    ["movement to the target", `${pointsText(o.movement)} (${bounds("movement_low", o.movedLow, o.movedHigh)})`],
    ["standard error, df", `${judged.gap_se === null ? "–" : (100 * judged.gap_se).toFixed(2)}, ${
      judged.df === null ? "–" : judged.df.toFixed(0)}`],
    ["radius (L1) to no lead", orReason("radius", scoreText(judged.radius))],
    ["radius to the margin", orReason("margin_radius", scoreText(judged.margin_radius))],
    ["matched tasks", judged.n_tasks.toLocaleString("en")],
    ["weight inside support", percent(judged.support)],
  ];
  if (Math.abs(o.gap - o.standardized) > DUST) {
    facts.splice(3, 0, ["difference of the two scores", pointsText(o.standardized)]);
  }
  return facts;
}

/* Rows of the cells: sliders are made once a pair, so that they keep the focus while they move. */
function makeCells(page) {
  const { model, state } = page;
  const { n, d } = model.matched(state.i, state.j);
  const most = Math.max(...d.filter((v) => !Number.isNaN(v)).map(Math.abs), 1e-9);
  const kn = (i, x) => {
    const size = model.mass[i * model.K + x];
    const rate = model.rates[i * model.K + x];
    if (!(size > 0)) return "no runs";
    if (model.scale !== "unit") return `${scoreText(rate)} of ${size}`;
    const k = rate * size;
    return `${Math.abs(k - Math.round(k)) < 1e-9 ? Math.round(k) : k.toFixed(2)}/${size} · ${scoreText(rate)}`;
  };
  $("pair-cells").replaceChildren(...model.cells.map((cell, x) => {
    const row = document.createElement("tr");
    row.append(element("th", cell, { scope: "row" }), weightKnob(page, x));
    row.append(...[state.i, state.j].map((i) => element("td", kn(i, x), { class: "number" })));
    row.append(element("td", n[x] > 0 ? pointsText(d[x]) : "–", { class: "number" }));
    const bar = element("td", "");
    bar.append(gapBar(d[x], most));
    row.append(bar, element("td", "", { class: "crossover" }));
    return row;
  }));
}

function weightKnob(page, cell) {
  const td = element("td", "", { class: "knob" });
  const slider = element("input", "", { type: "range", min: 0, max: 1, step: "any",
    "aria-label": printable(`Weight of ${page.model.cells[cell]}`) });
  slider.step = 0.001;
  slider.disabled = page.model.K < 2;
  slider.addEventListener("input", () => slideWeight(page, cell, Number(slider.value)));
  td.append(slider, element("output", ""));
  return td;
}

function computeWhatif(page) {
  const { model, pairs, state } = page;
  const { i, j, weights, byTask, margin, price } = state;
  const found = model.gap(i, j, weights, byTask);
  const sign = found.gap < 0 ? -1 : 1;
  const lead = found.cellGaps.map((d) => sign * d);
  const covered = found.covered > 0;
  const costs = [i, j].map((c) => (page.priced ? model.costs.score(c, weights, byTask) : NaN));
  return {
    scores: [i, j].map((c) => model.score(c, weights, byTask)),
    ...found,
    costs,
    utilityGap: model.utilityGap(i, j, weights, byTask, price),
    paidGap: page.priced ? model.paid.gap(i, j, weights, byTask).gap : NaN,
    costGap: page.priced ? model.costs.gap(i, j, weights, byTask).gap : NaN,
    radius: covered && model.K > 1 ? l1Radius(lead, found.cellWeights, 0) : NaN,
    marginRadius: covered && model.K > 1 ? l1Radius(lead, found.cellWeights, margin) : NaN,
    crossovers: model.cells.map((_, x) =>
      covered ? crossover(found.cellGaps, found.cellWeights, x) : NaN),
    decision: state.moved || price || state.p < 0 ? null : decide(pairs, model, state.p, margin),
  };
}

function showWhatif(page) {
  const { model, state } = page;
  const now = computeWhatif(page);
  $("margin-value").textContent = `${(100 * state.margin).toFixed(1)} points`;
  $("price-value").textContent = state.price.toPrecision(3).replace(/^0\.00$/, "0");
  [...$("pair-cells").rows].forEach((row, x) => {
    const [slider, output] = row.cells[1].children;
    slider.value = state.weights[x];
    slider.setAttribute("aria-valuetext", percent(state.weights[x]));
    output.textContent = percent(state.weights[x]);
    row.cells[6].textContent = crossoverText(now, x);
  });
  fillFacts($("whatif-facts"), whatifFacts(page, now));
  drawPair(page, now);
  say("whatif-top", topText(page));
}

function crossoverText(now, x) {
  const at = now.crossovers[x];
  if (Number.isNaN(at)) return "never";
  const [, end] = sweepGaps(now.cellGaps, now.cellWeights, x);
  return `${percent(at)}, then ${end > 0 ? "A" : end < 0 ? "B" : "level"}`;
}

function whatifFacts(page, now) {
  const { model, state } = page;
  const facts = [
    ["score A", scoreText(now.scores[0])],
    ["score B", scoreText(now.scores[1])],
    ["gap A − B", `${pointsText(now.gap)} points`],
    ["radius (L1) to no lead", model.K > 1 ? radiusText(now.radius) : "no cells to reweight"],
    ["radius to the margin", model.K > 1 ? radiusText(now.marginRadius) : "no cells to reweight"],
  ];
  if (page.priced) {
    const money = (c) => (Number.isNaN(c) ? "unpriced" : `$${c.toPrecision(3)}`);
    const at = now.paidGap / now.costGap;
    facts.push(["cost a task, A and B", now.costs.map(money).join(", ")]);
    facts.push(["gap of success − λ · cost", pointsText(now.utilityGap)]);
    facts.push(["they change places at λ", at > 0 && Number.isFinite(at) ? at.toPrecision(3) : "no λ > 0"]);
  }
  facts.push(["verdict", whatifVerdict(page, now)]);
  return facts;
}

function whatifVerdict(page, now) {
  if (now.decision) {
    const winner = now.decision.winner * page.state.sign;
    const name = winner ? page.model.names[winner > 0 ? page.state.i : page.state.j] : null;
    return `${now.decision.verdict}, ${name ? `winner: ${name}` : "no winner"}`;
  }
  if (page.state.p < 0) return "not judged";
  const value = now.utilityGap;
  if (Number.isNaN(value)) return "no value under these weights";
  const ahead = Math.abs(value) < page.state.margin - DUST ? "within the margin" : value > 0 ? "A ahead" : "B ahead";
  return `open; by the estimate alone: ${ahead}`;
}

function drawPair(page, now) {
  const { pairs, state } = page;
  const lines = [];
  if (state.p >= 0) {
    const judged = pairs.comparison(state.p);
    const o = oriented(judged, state.sign);
    lines.push({ label: "as judged", gap: o.gap, low: o.low, high: o.high,
      colour: VERDICT_COLOURS[judged.verdict] });
    lines.push({ label: "observed mix", gap: o.observed, low: NaN, high: NaN, colour: "muted", hollow: true });
  }
  if (state.moved || state.p < 0) {
    lines.push({ label: "these weights", gap: now.gap, low: NaN, high: NaN, colour: "green", hollow: true });
  }
  if (state.price) {
    lines.push({ label: "success − λ · cost", gap: now.utilityGap, low: NaN, high: NaN, colour: "orange",
      hollow: true });
  }
  const box = $("pair-chart");
  box.replaceChildren(gapChart(lines, state.margin, box.clientWidth));
}

/* Who is on top of everybody now, and at which prices that changes. */
function topOf(page) {
  const { model, state } = page;
  const value = model.names.map((_, i) => model.utility(i, state.weights, state.byTask, state.price));
  const best = Math.max(...value.filter((v) => !Number.isNaN(v)));
  return { value, best, at: value.findIndex((v) => v >= best - DUST) };
}

function topText(page) {
  const { model, state } = page;
  const { best, at } = topOf(page);
  if (at < 0) return "Nobody has a score under these weights.";
  const what = state.price ? "success − λ · cost" : "score";
  const parts = [`On top of all: ${model.names[at]} (${what} ${best.toFixed(3)}).`];
  if (page.priced) {
    const { breaks, winners } = priceLines(model, state.weights, state.byTask);
    const steps = winners.map((w, s) => `${model.names[w]} from ${s ? breaks[s].toPrecision(3) : 0}`);
    if (steps.length) parts.push(`Among the priced, as λ grows: ${steps.join(", ")}.`);
  }
  return parts.join(" ");
}

/* All pairs: sorted and filtered here, drawn a hundred at a time. */
const PAIR_COLUMNS = [
  ["a", "a"], ["b", "b"], ["gap", "gap"], ["gap_low", "low"], ["gap_high", "high"],
  ["gap_observed", "observed"], ["movement", "movement"], ["radius", "radius"], ["verdict", "verdict"],
];
const PAGE_SIZE = 100;

function setUpAllPairs(page) {
  const { pairs } = page;
  page.list = { order: Array.from({ length: pairs.size }, (_, p) => p), shown: PAGE_SIZE };
  const head = $("pairs-head");
  for (const [key, title] of PAIR_COLUMNS) {
    const th = element("th", "", { scope: "col", "data-key": key });
    if (key in pairs.floats) th.className = "number";
    const button = element("button", title, { type: "button" });
    button.addEventListener("click", () => {
      page.list.sort = { key, down: markSorted([...head.cells], th) };
      listPairs(page);
    });
    th.append(button);
    head.append(th);
  }
  const verdicts = page.data.verdicts.filter((v) => page.data.pairs.verdict.values.includes(v));
  $("pairs-verdict").append(...verdicts.map((v) => element("option", v, { value: v })));
  $("pairs-filter").addEventListener("input", () => listPairs(page));
  $("pairs-verdict").addEventListener("change", () => listPairs(page));
  $("pairs-more").addEventListener("click", () => {
    page.list.shown += 5 * PAGE_SIZE;
    drawPairs(page);
  });
  listPairs(page);
}

function pairValue(page, p, key) {
  const value = page.pairs.value(p, key);
  if (value !== null || key !== "radius") return value;
  return (page.pairs.value(p, "reasons").radius ?? "").startsWith("infinite") ? Infinity : null;
}

function listPairs(page) {
  const { pairs, model, list } = page;
  const words = $("pairs-filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  const verdict = $("pairs-verdict").value;
  const lower = model.names.map((name) => name.toLowerCase());
  list.order = Array.from({ length: pairs.size }, (_, p) => p).filter((p) => {
    if (verdict && pairs.verdict(p) !== verdict) return false;
    return words.every((w) => lower[pairs.a[p]].includes(w) || lower[pairs.b[p]].includes(w));
  });
  if (list.sort) {
    const { key, down } = list.sort;
    const keyed = list.order.map((p) => [pairValue(page, p, key), p]);
    keyed.sort(([x, p], [y, q]) => compareValues(x, y, down) || p - q);
    list.order = keyed.map(([, p]) => p);
  }
  list.shown = PAGE_SIZE;
  drawPairs(page);
}

function drawPairs(page) {
  const { list, pairs } = page;
  const shown = list.order.slice(0, list.shown);
  $("pairs-body").replaceChildren(...shown.map((p) => pairRow(page, p)));
  const counted = (n) => n.toLocaleString("en");
  $("pairs-count").textContent =
    `${counted(shown.length)} of ${counted(list.order.length)} pairs shown` +
    (list.order.length < pairs.size ? `, ${counted(pairs.size)} in all` : "");
  $("pairs-more").hidden = list.shown >= list.order.length;
}

function pairRow(page, p) {
  const row = document.createElement("tr");
  for (const [key] of PAIR_COLUMNS) {
    const value = pairValue(page, p, key);
    const text = typeof value === "number"
      ? key === "radius" ? radiusText(value) : pointsText(value) : value ?? "–";
    const td = element("td", text, typeof value === "number" || value === null ? { class: "number" } : {});
    if (key === "verdict") td.prepend(verdictMark(value));
    row.append(td);
  }
  const open = element("button", row.cells[0].textContent, {
    type: "button", class: "link", "aria-label": `Show ${row.cells[0].textContent} against ${row.cells[1].textContent}`,
  });
  open.addEventListener("click", () => {
    Object.assign(page.state, { i: page.pairs.a[p], j: page.pairs.b[p] });
    showPair(page);
    $("pair").scrollIntoView();
    $("pair-a").focus({ preventScroll: true });
  });
  row.cells[0].replaceChildren(open);
  return row;
}
