/* Small pictures of the chosen pair, drawn from its numbers. */

const SVG = "http://www.w3.org/2000/svg";
const MARKS = {
  stable: "●", "target-sensitive": "▲", underpowered: "■", "verifier-sensitive": "◆", unsupported: "✕",
};

function svgElement(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

const pointsText = (x) =>
  Number.isNaN(x) || x === null ? "–" : `${x >= 0 ? "+" : "−"}${Math.abs(100 * x).toFixed(1)}`;

/* Round steps of an axis over [low, high]. */
function ticks(low, high, most) {
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9; k++) found.push(k * step);
  return found;
}

/* The gap with its interval over the margin band; lines holds {label, gap, low, high, kind}. */
function gapChart(lines, margin, room) {
  const width = Math.max(300, Math.min(760, room));
  const [left, right, rowHeight] = [width < 600 ? 112 : 150, 16, 30];
  const height = rowHeight * lines.length + 48;
  const all = lines.flatMap((l) => [l.gap, l.low, l.high]).filter(Number.isFinite);
  const most = Math.max(...all.map(Math.abs), margin, 0.01) * 1.08;
  const x = (v) => left + ((v + most) / (2 * most)) * (width - left - right);
  const svg = svgElement("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "aria-label": lines.map((l) => `${l.label}: ${pointsText(l.gap)} points`).join("; ") });
  const bottom = height - 40;
  svg.append(svgElement("rect", { x: x(-margin), y: 4, width: x(margin) - x(-margin), height: bottom - 4,
    fill: "var(--band)" }));
  for (const t of ticks(-most, most, width < 600 ? 4 : 8)) {
    svg.append(svgElement("line", { x1: x(t), x2: x(t), y1: 4, y2: bottom, stroke: "var(--grid)" }));
    svg.append(svgElement("text", { x: x(t), y: bottom + 16, "text-anchor": "middle", class: "tick" },
      t === 0 ? "0" : pointsText(t).replace(/\.0$/, "")));
  }
  svg.append(svgElement("line", { x1: x(0), x2: x(0), y1: 4, y2: bottom, stroke: "var(--ink)" }));
  svg.append(svgElement("text", { x: x(0), y: height - 6, "text-anchor": "middle", class: "axis" },
    width < 600 ? "← B ahead · points · A ahead →" : "← B ahead · gap A − B, points (band: margin) · A ahead →"));
  lines.forEach((l, k) => gapLine(svg, l, 4 + rowHeight * (k + 0.5), x, left));
  return svg;
}

function gapLine(svg, l, y, x, left) {
  svg.append(svgElement("text", { x: left - 12, y: y + 4, "text-anchor": "end", class: "label" }, l.label));
  if (Number.isNaN(l.gap)) return;
  const colour = `var(--${l.colour})`;
  if (Number.isFinite(l.low) && Number.isFinite(l.high)) {
    svg.append(svgElement("line", { x1: x(l.low), x2: x(l.high), y1: y, y2: y, stroke: colour,
      "stroke-width": 2.5 }));
    for (const end of [l.low, l.high]) {
      svg.append(svgElement("line", { x1: x(end), x2: x(end), y1: y - 5, y2: y + 5, stroke: colour,
        "stroke-width": 2.5 }));
    }
  }
  const hollow = { fill: "var(--paper)", stroke: colour, "stroke-width": 2 };
  svg.append(svgElement("circle", { cx: x(l.gap), cy: y, r: 6, ...(l.hollow ? hollow : { fill: colour }) }));
}

/* A bar from the middle towards whoever is ahead in a cell. */
function gapBar(d, most) {
  const svg = svgElement("svg", { viewBox: "0 0 120 14", width: 120, height: 14, "aria-hidden": "true" });
  svg.append(svgElement("line", { x1: 60, x2: 60, y1: 0, y2: 14, stroke: "var(--muted)" }));
  if (Number.isNaN(d)) return svg;
  const size = (56 * Math.abs(d)) / most;
  svg.append(svgElement("rect", { x: d > 0 ? 60 : 60 - size, y: 3, width: size, height: 8,
    fill: d > 0 ? "var(--blue)" : "var(--vermillion)" }));
  return svg;
}
