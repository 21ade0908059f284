// SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
// SPDX-License-Identifier: Apache-2.0
//
// The page that browses the symbol history. Its data is history-data.js; it needs no server.
"use strict";

(() => {
  const root = document.getElementById("history-browser");
  const history = window.SYMBOL_HISTORY;
  if (!root || !history) return;

  const make = (tag, attributes = {}, ...children) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  };
  const number = (version) => {
    const [major, minor] = version.split(".").map(Number);
    return major * 100 + minor;
  };
  const plain = (family) => family.versions.filter((version) => !version.stream);
  // What a major means by the name of a family; undefined where it does not have it.
  const meant = (family, major) =>
    family.elsewhere[major] ?? plain(family).find((version) => version.majors.includes(major))?.name;
  const moves = (family, from, to) => {
    const [before, after] = [meant(family, from), meant(family, to)];
    return before && after && before !== after;
  };

  // -- the axis: CUDA versions that brought something, a step each

  const steps = [...new Set(history.families.flatMap((f) => f.versions.map((v) => v.introduced)))].sort(
    (a, b) => number(a) - number(b));
  const place = (version) => (100 * steps.findIndex((step) => number(step) >= number(version))) / steps.length;
  const placeOfMajor = (major) => {
    const at = place(`${major}.0`);
    return at < 0 ? 100 : at;
  };

  const svg = (tag, attributes) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    return node;
  };
  const bar = (version) => {
    const picture = svg("svg", { role: "img", "aria-label": `since CUDA ${version.introduced}, meant by ${version.majors.join(", ") || "no major"}` });
    const start = place(version.introduced);
    picture.append(svg("rect", { class: "there", x: `${start}%`, y: "35%", width: `${100 - start}%`, height: "30%" }));
    for (const major of version.majors) {
      const from = Math.max(start, placeOfMajor(major));
      const to = history.majors.includes(major + 1) ? placeOfMajor(major + 1) : 100;
      picture.append(svg("rect", { class: "meant", x: `${from}%`, y: "20%", width: `${Math.max(0, to - from)}%`, height: "60%" }));
    }
    return picture;
  };
  const axis = () => {
    const picture = svg("svg", { "aria-hidden": "true" });
    for (const major of history.majors) {
      const text = svg("text", { x: `${placeOfMajor(major)}%`, y: "80%" });
      text.textContent = String(major);
      picture.append(text);
    }
    return picture;
  };
  const drivers = (version) => {
    const known = history.libraries.map(([name]) => name);
    if (!version.libraries.length) return `none up to ${known.at(-1)}`;
    const first = known.indexOf(version.libraries[0]);
    return known.length - first === version.libraries.length ? `${version.libraries[0]} and newer` : version.libraries.join(", ");
  };

  const life = (family) => {
    const head = make("tr", {}, make("th", {}, "permanent name"), make("th", {}, "CUDA"), make("th", {}, "meant by"), make("th", {}, "seen in drivers"));
    const cell = make("th", { class: "bar", "aria-label": "CUDA majors" });
    cell.append(axis());
    head.append(cell);
    const rows = family.versions.map((version) => {
      const last = make("td", { class: "bar" });
      last.append(bar(version));
      const per = version.stream && version.majors.length ? " (per-thread)" : "";
      return make("tr", {}, make("td", {}, make("code", {}, version.name)), make("td", {}, version.introduced),
        make("td", {}, (version.majors.join(", ") || "–") + per), make("td", {}, drivers(version)), last);
    });
    const box = make("div", { class: "life" }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)));
    for (const [major, name] of Object.entries(family.elsewhere))
      box.append(make("p", {}, `CUDA ${major} means `, make("code", {}, name), " by this name."));
    box.append(make("p", {}, make("a", { href: `_generated/reference/${family.base}.html` }, "Signatures")));
    return box;
  };

  const row = (family) => {
    const text = make("span", { class: "meant" });
    const names = history.majors.map((major) => meant(family, major) ?? "–");
    const short = (name) => (name.startsWith(`${family.base}_`) ? name.slice(family.base.length) : name === family.base ? "plain" : name);
    const without = history.majors.filter((major, i) => names[i] === "–");
    if (new Set(names.filter((name) => name !== "–")).size > 1) {
      text.append(history.majors.map((major, i) => `${major}: ${short(names[i])}`).join(" · "));
      text.classList.add("moved");
    } else if (without.length && without.length < names.length) {
      text.append(`not in CUDA ${without.join(", ")}`);
    } else if (plain(family).length > 1) text.append(`${names[0] === "–" ? "no major" : short(names[0])}, of ${plain(family).length}`);
    const details = make("details", { id: family.base }, make("summary", {}, make("code", {}, family.base), text));
    details.addEventListener("toggle", () => {
      if (details.open && details.childElementCount === 1) details.append(life(family));
    });
    return make("li", {}, details);
  };

  // -- filters

  const option = (value, text) => make("option", { value }, text);
  const search = make("input", { type: "search", placeholder: "cuCtxCreate, graph, …", autocomplete: "off", spellcheck: "false" });
  const several = make("input", { type: "checkbox" });
  const moved = make("select", {}, option("", "any"));
  for (const major of history.majors.slice(1)) moved.append(option(major, `changed with CUDA ${major}`));
  const lacking = make("select", {}, option("", "any"));
  for (const [version, cuda] of history.libraries) lacking.append(option(version, `lacking in ${version} (CUDA ${cuda})`));
  const header = make("select", {}, option("", "any"));
  for (const name of [...new Set(history.families.map((f) => f.header))].sort()) header.append(option(name, name || "none"));
  const labelled = (text, field, kind = "") => make("label", { class: kind }, ...(kind ? [field, text] : [text, field]));

  const list = make("ol");
  const count = make("p", { class: "count", role: "status" });
  const none = make("p", { class: "none", hidden: "" }, "No name like that.");
  const rows = history.families.map((family) => ({ family, node: row(family) }));
  list.append(...rows.map(({ node }) => node));

  const shown = (family) => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const text = `${family.base} ${family.versions.map((version) => version.name).join(" ")}`.toLowerCase();
    if (!words.every((word) => text.includes(word))) return false;
    if (several.checked && plain(family).length < 2) return false;
    if (moved.value && !moves(family, Number(moved.value) - 1, Number(moved.value))) return false;
    if (header.value && family.header !== header.value) return false;
    return !lacking.value || plain(family).some((version) => !version.libraries.includes(lacking.value));
  };
  const apply = () => {
    let visible = 0;
    for (const { family, node } of rows) {
      node.hidden = !shown(family);
      visible += node.hidden ? 0 : 1;
    }
    count.textContent = `${visible} of ${rows.length} functions`;
    none.hidden = visible > 0;
  };
  for (const field of [search, several, moved, lacking, header]) field.addEventListener("input", apply);

  root.replaceChildren(
    make("div", { class: "filters" }, labelled("Name", search), labelled("Meaning", moved), labelled("Driver", lacking),
      labelled("Header", header), labelled("several versions", several, "check")),
    count, list, none);
  apply();

  const open = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target instanceof HTMLDetailsElement && root.contains(target)) {
      target.open = true;
      target.scrollIntoView();
    }
  };
  window.addEventListener("hashchange", open);
  open();
})();
