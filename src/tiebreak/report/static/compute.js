/* Scores, gaps, radii, crossovers, winners and verdicts at other weights, margins and prices:
   the arithmetic of tiebreak's panel, contrasts, kernels and decision, held to them by tests. */

const DUST = 1e-12;
const snap = (x) => (Math.abs(x) <= DUST ? 0 : x);
const sum = (xs) => { let total = 0; for (const x of xs) total += x; return total; };

/* n_x / n; NaN where there is nothing at all. */
function shares(n) {
  const total = sum(n);
  return Array.from(n, (k) => (total > 0 ? k / total : NaN));
}

/* Weighted mean over the cells that have weight; NaN where one of them has no value. */
function contrast(values, weights) {
  let total = 0;
  for (let x = 0; x < weights.length; x++) if (weights[x] !== 0) total += values[x] * weights[x];
  return Math.abs(total) < DUST ? 0 : total;
}

function makeModel(packed) {
  const tasks = packed.task_cells ? decodeWhole(packed.task_cells) : null;
  const common = {
    K: packed.cells.length, allRan: packed.all_ran, taskCells: tasks,
    ran: packed.ran ? decodeWhole(packed.ran) : null,
  };
  const layer = (part) => (part ? makeLayer(part, common) : null);
  const [scores, paid, costs] = [packed.scores, packed.paid, packed.costs].map(layer);
  /* success − λ · cost, on the trials that have a price once it counts. */
  const utility = (i, weights, byTask, price) => price
    ? paid.score(i, weights, byTask) - price * costs.score(i, weights, byTask)
    : scores.score(i, weights, byTask);
  const utilityGap = (i, j, weights, byTask, price) => price
    ? paid.gap(i, j, weights, byTask).gap - price * costs.gap(i, j, weights, byTask).gap
    : scores.gap(i, j, weights, byTask).gap;
  return {
    names: packed.configurations, cells: packed.cells, unit: packed.unit, scale: packed.scale, K: common.K,
    stated: Array.from(decodeFloats(packed.weights)), byTask: packed.by_task,
    mix: Array.from(decodeFloats(packed.observed)), mixByTask: packed.observed_by_task,
    ...scores, paid, costs, utility, utilityGap, disagreeBelow: decodeFloats(packed.disagree_below),
  };
}

/* One quantity: its score, its matched gaps, under any weights. */
function makeLayer(packed, { K, allRan, taskCells, ran }) {
  const rates = decodeFloats(packed.rates);
  const mass = decodeFloats(packed.mass);
  const values = packed.values ? decodeValues(packed.values) : null;
  const row = (array, i) => array.subarray(i * K, (i + 1) * K);
  /* Weights of one configuration, or null where the target is not supported by its trials. */
  const own = (i, weights, byTask) => {
    const n = row(mass, i);
    if (byTask) return allRan[i] && sum(n) > 0 ? shares(n) : null;
    for (let x = 0; x < K; x++) if (n[x] === 0 && weights[x] !== 0) return null;
    return weights;
  };
  const score = (i, weights, byTask) => {
    const w = own(i, weights, byTask);
    return w ? contrast(row(rates, i), w) : NaN;
  };
  const observed = (i) => contrast(row(rates, i), shares(row(mass, i)));
  /* Number of matched tasks and mean difference on them, per cell; share of tasks both ran. */
  const matched = (i, j) => {
    if (values) return matchedTasks(values, ran, taskCells, i, j, K);
    const [a, b, n, m] = [row(rates, i), row(rates, j), row(mass, i), row(mass, j)];
    const shared = Array.from(n, (k, x) => (k > 0 && m[x] > 0 ? Math.min(k, m[x]) : 0));
    return { n: shared, d: shared.map((k, x) => (k > 0 ? a[x] - b[x] : NaN)), both: 1 };
  };
  const gap = (i, j, weights, byTask) => {
    const { n, d, both } = matched(i, j);
    let covered = both;
    let w = shares(n);
    if (!byTask) {
      const kept = weights.map((v, x) => (n[x] > 0 ? v : 0));
      covered = sum(kept);
      w = kept.map((v) => (covered > 0 ? v / covered : NaN));
    }
    if (w.some(Number.isNaN)) covered = 0;
    const value = covered > 0 ? contrast(d, w) : NaN;
    return { gap: value, covered, cellGaps: d, cellWeights: w, n };
  };
  return { rates, mass, row, score, observed, matched, gap };
}

function decodeValues(packed) {
  const levels = decodeFloats(packed.levels);
  return packed.codes ? Float64Array.from(decodeWhole(packed.codes), (c) => levels[c]) : levels;
}

function matchedTasks(values, ran, cells, i, j, K) {
  const [n, total] = [new Array(K).fill(0), new Array(K).fill(0)];
  const T = cells.length;
  let both = 0;
  for (let t = 0; t < T; t++) {
    const [p, q] = [i * T + t, j * T + t];
    both += ran[p] * ran[q];
    const d = values[p] - values[q];
    if (!Number.isNaN(d)) { n[cells[t]] += 1; total[cells[t]] += d; }
  }
  return { n, d: n.map((k, x) => (k > 0 ? total[x] / k : NaN)), both: both / T };
}

/* Least L1 change of the weights that brings the leader's lead down to the level. */
function l1Radius(gaps, weights, level) {
  const kept = gaps.map((d, x) => [d, weights[x]]).filter(([d]) => !Number.isNaN(d));
  if (!kept.length) return NaN;
  const least = Math.min(...kept.map(([d]) => d));
  const excess = sum(kept.map(([d, w]) => d * w)) - level;
  if (excess <= DUST) return 0;
  if (least > level + DUST) return Infinity;
  let [left, moved] = [excess, 0];
  for (const [d, w] of kept.slice().sort((p, q) => q[0] - p[0])) {
    const gain = d - least;
    if (gain <= 0 || left <= DUST) break;
    const drop = Math.min(gain * w, left);
    moved += drop / gain;
    left -= drop;
  }
  return 2 * moved;
}

/* Weight of a cell, the rest in proportion, at which the gap is 0; NaN where there is none. */
function crossover(gaps, weights, cell) {
  const [start, end] = sweepGaps(gaps, weights, cell);
  const [first, last] = [snap(start), snap(end)];
  if (!(first * last <= 0) || !(Math.abs(first - last) > DUST)) return NaN;
  return first / (first - last);
}

function sweepGaps(gaps, weights, cell) {
  const rest = sum(weights.map((w, x) => (x === cell ? 0 : w)));
  let start = 0;
  gaps.forEach((d, x) => { if (x !== cell && weights[x] !== 0) start += (weights[x] / rest) * d; });
  return [rest > 0 ? start : NaN, gaps[cell]];
}

/* Who is on top of lines start + slope·at as at goes from 0 to the limit. */
function envelope(start, slope, limit) {
  const rows = start.map((_, i) => i).filter((i) => !Number.isNaN(start[i] + slope[i]));
  if (!rows.length) return { breaks: [0, limit], winners: [] };
  const leader = (among, scores) => {
    const top = Math.max(...among.map((i) => scores(i)));
    const tied = among.filter((i) => scores(i) >= top - DUST);
    const steep = Math.max(...tied.map((i) => slope[i]));
    return tied.find((i) => slope[i] >= steep - DUST);
  };
  const breaks = [0];
  const winners = [leader(rows, (i) => start[i])];
  for (;;) {
    const top = winners.at(-1);
    const later = rows
      .filter((i) => slope[i] > slope[top] + DUST)
      .map((i) => [i, snap(start[top] - start[i]) / (slope[i] - slope[top])]);
    const at = Math.min(...later.map(([, at]) => at).filter((at) => at > breaks.at(-1)));
    if (!(at < limit - DUST)) return { breaks: [...breaks, limit], winners };
    breaks.push(at);
    const rivals = later.filter(([, own]) => own >= at).map(([i]) => i);
    winners.push(leader(rivals, (i) => start[i] + at * slope[i]));
  }
}

function practicalWinner(gap, low, high, margin) {
  return Number(low > 0 && gap >= margin - DUST) - Number(high < 0 && gap <= -margin + DUST);
}

/* Winner and verdict of pair p at another margin; its interval does not depend on the margin. */
function decide(pairs, model, p, margin) {
  const at = (key) => pairs.floats[key][p];
  const [gap, low, high] = [at("gap"), at("gap_low"), at("gap_high")];
  const unsupported = at("support") < 1 - 1e-9;
  const winner = unsupported ? 0 : practicalWinner(gap, low, high, margin);
  const grouped = Number.isNaN(low) && Number.isNaN(high);
  const leader = grouped && Math.abs(gap) >= margin - DUST ? Math.sign(gap) : winner;
  const raw = snap(model.observed(pairs.a[p]) - model.observed(pairs.b[p]));
  const order = Number.isNaN(raw) ? 0 : Math.sign(raw);
  const moved = Math.max(at("movement_low"), -at("movement_high"));
  const flags = {
    unsupported,
    "verifier-sensitive": !unsupported && model.disagreeBelow[p] >= margin - DUST,
    underpowered: !unsupported && ((low <= 0 && high >= 0) || Math.abs(gap) < margin - DUST),
    "target-sensitive": !unsupported && (leader * order < 0 || moved > margin),
  };
  const verdict = Object.keys(flags).find((name) => flags[name]) ?? "stable";
  return { winner, verdict, flags };
}
