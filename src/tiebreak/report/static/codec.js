"use strict";
/* Decodes what report/codec.py packs: numbers to the bit, words by code, sentences whole. */

function bytesOf(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

function decodeFloats(packed) {
  if ("f64" in packed) {
    const view = new DataView(bytesOf(packed.f64).buffer);
    return Float64Array.from({ length: packed.n }, (_, i) => view.getFloat64(8 * i, true));
  }
  return new Float64Array(packed.n).fill(packed.all === null ? NaN : packed.all);
}

function decodeWhole(packed) {
  const [kind, size] = [["u8", 1], ["u16", 2], ["u32", 4]].find(([name]) => name in packed);
  const view = new DataView(bytesOf(packed[kind]).buffer);
  const read = { 1: "getUint8", 2: "getUint16", 4: "getUint32" }[size];
  return Uint32Array.from({ length: packed.n }, (_, i) => view[read](size * i, true));
}

function decodeCodes(packed) {
  const codes = decodeWhole(packed.codes);
  return (i) => packed.values[codes[i]];
}

/* Members of a comparison in the order of its JSON. */
const COMPARISON = [
  "a", "b", "gap", "gap_low", "gap_high", "gap_se", "df", "gap_observed", "gap_matched",
  "gap_standardized", "movement", "movement_low", "movement_high", "margin", "radius",
  "margin_radius", "n_tasks", "support", "flags", "verdict", "winner", "sentence", "reasons",
];
const [NAME_A, NAME_B] = ["\ue001", "\ue002"];

function decodePairs(packed, names) {
  const floats = {};
  for (const key of COMPARISON) {
    if (packed[key] && ("f64" in packed[key] || "all" in packed[key])) {
      floats[key] = decodeFloats(packed[key]);
    }
  }
  const [a, b, tasks] = ["a", "b", "n_tasks"].map((key) => decodeWhole(packed[key]));
  const words = {};
  for (const key of ["flags", "verdict", "winner", "reasons", "templates"]) {
    words[key] = decodeCodes(packed[key]);
  }
  const numbers = packed.numbers.split("\n");
  const place = new Map();
  for (let p = 0; p < a.length; p++) place.set(a[p] * names.length + b[p], p);

  const sentence = (p) => {
    const template = words.templates(p);
    if (Array.isArray(template)) return template[0];
    const values = numbers[p].split("|");
    let taken = 0;
    return template.replace(/[\ue001\ue002\ue003]/g, (mark) =>
      mark === NAME_A ? names[a[p]] : mark === NAME_B ? names[b[p]] : values[taken++]);
  };
  const special = {
    a: (p) => names[a[p]],
    b: (p) => names[b[p]],
    n_tasks: (p) => tasks[p],
    winner: (p) => ({ a: names[a[p]], b: names[b[p]] })[words.winner(p)] ?? null,
    flags: (p) => words.flags(p),
    verdict: (p) => words.verdict(p),
    reasons: (p) => words.reasons(p),
    sentence,
  };
  const value = (p, key) => {
    if (key in special) return special[key](p);
    const number = floats[key][p];
    return Number.isNaN(number) ? null : number;
  };
  const comparison = (p) => Object.fromEntries(COMPARISON.map((key) => [key, value(p, key)]));
  const find = (i, j) => {
    const p = place.get(i * names.length + j) ?? place.get(j * names.length + i);
    return p === undefined ? -1 : p;
  };
  return { size: a.length, a, b, floats, value, comparison, find, verdict: words.verdict };
}
