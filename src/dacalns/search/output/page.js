"use strict";
// The data are in this page, and nothing is asked for from anywhere. Names come from users and strangers: they are only
// ever set as text, never as markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const by = (id) => document.getElementById(id);
  const root = document.documentElement;
  const frames = data.frames, pool = data.pool, last = frames.length - 1;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const LIGHT = ["#0072b2", "#d98c00", "#332288", "#009e73", "#d55e00", "#882255", "#cc79a7", "#7a4b1e", "#56b4e9"];
  const DARK = ["#4aa8e0", "#f0b429", "#a79bff", "#2fd3a0", "#ff8a4c", "#ef7fb0", "#e0a3cb", "#c99a6b", "#9ad7ff"];
  const DASHES = [[], [7, 3], [2, 3]];
  let theme = {}, frame = last, selected = null, near = null;

  // Words and numbers.

  const number = (value) => {
    if (value === null || value === undefined) return "–";
    const size = Math.abs(value);
    if (size >= 1e10) return value.toExponential(4);
    const text = size > 0 && size < 1 ? String(Number(value.toPrecision(4))) : String(Number(value.toFixed(2)));
    const [whole, rest] = text.split(".");
    const grouped = /^-?\d{5,}$/.test(whole) ? whole.replace(/\B(?=(\d{3})+$)/g, ",") : whole;
    return rest ? `${grouped}.${rest}` : grouped;
  };
  const count = (many, what) => `${many.toLocaleString("en")} ${what}${many === 1 ? "" : "s"}`;
  const UNITS = { s: 1, min: 60, h: 3600 };
  const clock = (time) => {
    if (!data.unit) return number(time);
    const grain = data.fine ? 1 : 60, whole = grain * Math.round((time * UNITS[data.unit]) / grain);
    const sign = whole < 0 ? "-" : "", size = Math.abs(whole);
    const two = (value) => String(value).padStart(2, "0");
    const text = `${sign}${two(Math.floor(size / 3600))}:${two(Math.floor(size / 60) % 60)}`;
    return data.fine ? `${text}:${two(size % 60)}` : text;
  };
  const span = (time) => {
    if (time === null || time === undefined) return "unlimited";
    if (!data.unit) return number(time);
    const exact = time * UNITS[data.unit], grain = data.fine || exact < 60 ? 1 : 60, whole = grain * Math.round(exact / grain);
    const hours = Math.floor(whole / 3600), minutes = Math.floor(whole / 60) % 60;
    const parts = [hours && `${hours} h`, minutes && `${minutes} min`, whole % 60 && `${whole % 60} s`];
    return parts.filter(Boolean).join(" ") || "0 min";
  };
  const amounts = (loads) => loads.map(number).join(", ");
  const name = (node) => data.names[node] || (node < data.depots ? `depot ${node}` : String(node));
  const windows = (node) => (data.windows ? data.windows[node] : []);
  const windowText = (node) =>
    windows(node).map(([opens, closes]) => (closes === null ? `from ${clock(opens)}` : `${clock(opens)}–${clock(closes)}`)).join(", ");
  const make = (tag, text, kind) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (kind) made.className = kind;
    return made;
  };
  const gap = (cost) => (data.best_known === null ? "" : `gap ${((100 * (cost - data.best_known)) / data.best_known).toFixed(2)} %`);

  // Stops of a route, from its short form.

  const stopsOf = (route) => {
    if (route.list) return route.list;
    let travelled = 0;
    const least = route.open[0] ? 1 : 0;
    route.list = route.s.map((node, at) => {
      const start = (route.b || route.a)[at], ends = at === route.s.length - 1 && node < data.depots;
      travelled += route.m[at];
      return {
        node, route, at: at + least, arrival: route.a[at], start, departure: start + (ends ? 0 : data.service[node]),
        slack: route.k ? route.k[at] : null, load: data.dimensions === 1 ? [route.l[at]] : route.l[at],
        leg: route.m[at], travelled, kind: kindOf(route, at, node),
      };
    });
    return route.list;
  };
  const kindOf = (route, at, node) => {
    if (node >= data.depots) return data.pair[node] || "";
    if (at === 0) return "start";
    return at === route.s.length - 1 ? "end" : "reload";
  };
  const routesOf = (which) => frames[which].r.map((index) => pool[index]);
  const customersOf = (route) => route.s.filter((node) => node >= data.depots);

  // Colours: those of the last solution by angle, so that neighbours differ; a route of an earlier one has the colour of
  // the last route that has most of its customers.

  const colourOf = new Map();
  const colourRoutes = () => {
    const xy = data.xy, routes = routesOf(last), places = new Map();
    const order = routes.map((_, at) => at);
    if (xy) {
      const middle = [0, 1].map((axis) => xy.slice(0, data.depots).reduce((sum, each) => sum + each[axis], 0) / data.depots);
      const angle = (route) => {
        const own = customersOf(route);
        const mean = [0, 1].map((axis) => own.reduce((sum, node) => sum + xy[node][axis], 0) / Math.max(1, own.length));
        return Math.atan2(mean[1] - middle[1], mean[0] - middle[0]);
      };
      const angles = routes.map(angle);
      order.sort((one, other) => angles[one] - angles[other]);
    }
    order.forEach((at, place) => customersOf(routes[at]).forEach((node) => places.set(node, place)));
    for (const route of pool) {
      const votes = new Map();
      for (const node of customersOf(route)) {
        const place = places.get(node);
        if (place !== undefined) votes.set(place, (votes.get(place) || 0) + 1);
      }
      let best = 0, most = 0;
      for (const [place, many] of votes) if (many > most) [best, most] = [place, many];
      colourOf.set(route, best);
    }
  };
  const colour = (route) => theme.colours[colourOf.get(route) % theme.colours.length];
  const dash = (route) => DASHES[Math.floor(colourOf.get(route) / theme.colours.length) % DASHES.length];
  const readTheme = () => {
    const style = getComputedStyle(root), value = (key) => style.getPropertyValue(`--${key}`).trim();
    theme = Object.fromEntries(["ink", "muted", "faint", "panel", "soft", "accent", "alarm", "window", "heat"].map((key) => [key, value(key)]));
    theme.colours = dark.matches ? DARK : LIGHT;
    theme.font = getComputedStyle(document.body).fontFamily;
  };

  // A canvas that is as sharp as the screen.

  const fitted = (canvas, height) => {
    const ratio = Math.min(window.devicePixelRatio || 1, 3), wide = canvas.clientWidth, high = height || canvas.clientHeight;
    if (canvas.width !== Math.round(wide * ratio) || canvas.height !== Math.round(high * ratio)) {
      canvas.width = Math.round(wide * ratio);
      canvas.height = Math.round(high * ratio);
    }
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, wide, high);
    return [pen, wide, high];
  };

  // The map.

  const map = by("map");
  const view = { k: 1, x: 0, y: 0, fit: 1, set: false };
  const toScreen = ([x, y]) => [(x - view.x) * view.k + map.clientWidth / 2, (view.y - y) * view.k + map.clientHeight / 2];
  const showAll = () => {
    const xs = data.xy.map((each) => each[0]), ys = data.xy.map((each) => each[1]);
    const limits = (values) => values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
    const [[left, right], [low, high]] = [limits(xs), limits(ys)];
    const wide = Math.max(map.clientWidth - 64, 40), tall = Math.max(map.clientHeight - 48, 40);
    const k = Math.min(wide / (right - left || 1e-9), tall / (high - low || 1e-9));
    view.fit = view.k = Number.isFinite(k) && k < 1e9 ? k : 1;
    view.x = (left + right) / 2;
    view.y = (low + high) / 2;
    view.set = true;
  };
  const zoom = (factor, at) => {
    const [sx, sy] = at || [map.clientWidth / 2, map.clientHeight / 2];
    const x = view.x + (sx - map.clientWidth / 2) / view.k, y = view.y - (sy - map.clientHeight / 2) / view.k;
    view.k = Math.min(Math.max(view.k * factor, view.fit / 3), view.fit * 2000);
    view.x = x - (sx - map.clientWidth / 2) / view.k;
    view.y = y + (sy - map.clientHeight / 2) / view.k;
    draw();
  };
  const isInside = ([x, y], edge = 20) => x > -edge && y > -edge && x < map.clientWidth + edge && y < map.clientHeight + edge;

  const drawMap = () => {
    if (!data.xy) return;
    if (!view.set) showAll();
    const [pen, wide, high] = fitted(map);
    const screen = data.xy.map(toScreen), routes = routesOf(frame), strong = near && near.route ? near.route : selected;
    const growth = Math.min(Math.max(Math.sqrt(view.k / view.fit), 0.8), 2.2);
    const radius = Math.min(Math.max(22 / Math.pow(data.names.length, 0.34), 1.8), 6) * growth;
    const width = Math.min(Math.max(3.2 / Math.pow(data.names.length, 0.12), 1), 2.4);
    pen.lineJoin = "round";
    const draws = [...routes].sort((one, other) => (one === strong) - (other === strong));
    for (const route of draws) {
      const faded = strong && strong !== route;
      pen.strokeStyle = colour(route);
      pen.globalAlpha = faded ? 0.16 : 1;
      const legs = [[], []];
      for (let at = 1; at < route.s.length; at++) {
        const depot = Math.min(route.s[at - 1], route.s[at]) < data.depots;
        legs[depot ? 1 : 0].push([screen[route.s[at - 1]], screen[route.s[at]]]);
      }
      [[legs[0], width, 1, dash(route)], [legs[1], width * 0.7, strong === route ? 0.8 : 0.4, []]].forEach(([lines, thick, alpha, dashes]) => {
        pen.globalAlpha = (faded ? 0.16 : 1) * alpha;
        pen.lineWidth = strong === route ? thick * 1.7 : thick;
        pen.setLineDash(dashes);
        pen.beginPath();
        for (const [from, to] of lines) {
          pen.moveTo(...from);
          pen.lineTo(...to);
        }
        pen.stroke();
      });
      pen.setLineDash([]);
      if (strong === route) drawArrows(pen, route, screen);
    }
    const visited = new Set();
    for (const route of draws) {
      pen.fillStyle = colour(route);
      pen.globalAlpha = strong && strong !== route ? 0.3 : 1;
      pen.strokeStyle = theme.panel;
      pen.lineWidth = 1;
      for (const node of route.s) {
        visited.add(node);
        if (node < data.depots || !isInside(screen[node])) continue;
        pen.beginPath();
        pen.arc(...screen[node], strong === route ? radius * 1.3 : radius, 0, 7);
        pen.fill();
        if (radius > 2.5) pen.stroke();
      }
    }
    pen.globalAlpha = 1;
    drawUnvisited(pen, screen, visited, radius);
    pen.fillStyle = theme.ink;
    pen.strokeStyle = theme.panel;
    pen.lineWidth = 1.5;
    const half = Math.max(radius * 1.2, 5.5);
    for (let node = 0; node < data.depots; node++) {
      const [x, y] = screen[node];
      pen.fillRect(x - half, y - half, 2 * half, 2 * half);
      pen.strokeRect(x - half, y - half, 2 * half, 2 * half);
    }
    if (near && near.node !== undefined) {
      pen.strokeStyle = theme.ink;
      pen.lineWidth = 2;
      pen.beginPath();
      pen.arc(...screen[near.node], radius + 5, 0, 7);
      pen.stroke();
    }
    drawLabels(pen, screen, radius, wide, high, strong);
    map.dataset.view = [view.k, view.x, view.y].join(" ");
    map.style.touchAction = view.k > view.fit * 1.05 ? "none" : "pan-y";
  };
  const drawArrows = (pen, route, screen) => {
    pen.fillStyle = colour(route);
    pen.globalAlpha = 1;
    for (let at = 1; at < route.s.length; at++) {
      const [[x1, y1], [x2, y2]] = [screen[route.s[at - 1]], screen[route.s[at]]];
      const length = Math.hypot(x2 - x1, y2 - y1);
      if (length < 26) continue;
      const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length], [x, y] = [(x1 + x2) / 2, (y1 + y2) / 2];
      pen.beginPath();
      pen.moveTo(x + 7 * ux, y + 7 * uy);
      pen.lineTo(x - 4 * ux - 5 * uy, y - 4 * uy + 5 * ux);
      pen.lineTo(x - 4 * ux + 5 * uy, y - 4 * uy - 5 * ux);
      pen.fill();
    }
  };
  const states = new Map();
  data.unserved.forEach((node) => states.set(node, "unserved"));
  data.left_out.forEach((node) => states.set(node, "left out"));
  const drawUnvisited = (pen, screen, visited, radius) => {
    for (let node = data.depots; node < data.names.length; node++) {
      if (visited.has(node) || !isInside(screen[node])) continue;
      const [x, y] = screen[node], state = frame === last ? states.get(node) : "unvisited";
      const size = Math.max(radius, 4);
      pen.lineWidth = 2.5;
      pen.beginPath();
      if (state === "unserved") {
        pen.strokeStyle = theme.alarm;
        pen.moveTo(x - size, y - size);
        pen.lineTo(x + size, y + size);
        pen.moveTo(x - size, y + size);
        pen.lineTo(x + size, y - size);
      } else {
        pen.lineWidth = 1.3;
        pen.strokeStyle = state ? theme.ink : theme.muted;
        pen.arc(x, y, state ? size : size * 0.6, 0, 7);
      }
      pen.stroke();
    }
  };
  const drawLabels = (pen, screen, radius, wide, high, strong) => {
    const wanted = new Set(strong ? strong.s : []);
    let nodes = [];
    for (let node = 0; node < screen.length; node++) if (isInside(screen[node], 0)) nodes.push(node);
    if (nodes.length > 160) nodes = nodes.filter((node) => node < data.depots || wanted.has(node));
    if (nodes.length > 400) return;
    nodes.sort((one, other) => (other < data.depots) - (one < data.depots) || wanted.has(other) - wanted.has(one));
    const taken = [];
    pen.font = `11.5px ${theme.font}`;
    pen.textBaseline = "middle";
    pen.lineWidth = 3;
    for (const node of nodes) {
      const text = name(node).length > 22 ? `${name(node).slice(0, 21)}…` : name(node);
      const [x, y] = screen[node], length = pen.measureText(text).width, left = x + radius + 4;
      const box = [left - 2, y - 7, left + length + 2, y + 7];
      if (box[2] > wide || taken.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) continue;
      taken.push(box);
      pen.globalAlpha = strong && !wanted.has(node) ? 0.35 : 1;
      pen.strokeStyle = theme.panel;
      pen.strokeText(text, left, y);
      pen.fillStyle = node < data.depots ? theme.ink : theme.muted;
      pen.fillText(text, left, y);
    }
    pen.globalAlpha = 1;
  };

  // What is under the pointer: a stop, else a leg.

  const visitsOf = (node) => routesOf(frame).flatMap((route) => stopsOf(route).filter((stop) => stop.node === node));
  const under = ([px, py], reach) => {
    let best = null, least = reach;
    for (let node = 0; node < data.xy.length; node++) {
      const [x, y] = toScreen(data.xy[node]), away = Math.hypot(x - px, y - py);
      if (away < least) [best, least] = [{ node }, away];
    }
    if (best) {
      if (best.node >= data.depots) best.route = routesOf(frame).find((route) => route.s.includes(best.node)) || null;
      return best;
    }
    least = reach / 2;
    for (const route of routesOf(frame)) {
      for (let at = 1; at < route.s.length; at++) {
        const [x1, y1] = toScreen(data.xy[route.s[at - 1]]), [x2, y2] = toScreen(data.xy[route.s[at]]);
        const square = (x2 - x1) ** 2 + (y2 - y1) ** 2;
        const part = square ? Math.min(1, Math.max(0, ((px - x1) * (x2 - x1) + (py - y1) * (y2 - y1)) / square)) : 0;
        const away = Math.hypot(x1 + part * (x2 - x1) - px, y1 + part * (y2 - y1) - py);
        if (away < least) [best, least] = [{ route }, away];
      }
    }
    return best;
  };
  const routeNumber = (route) => frames[frame].r.indexOf(pool.indexOf(route)) + 1;
  const vehicleText = (route) => {
    if (data.types < 2) return "";
    return `, ${data.vehicles[route.t] || `vehicle type ${route.t}`}`;
  };
  const loadText = (route) => {
    const loads = data.dimensions === 1 ? [route.load] : route.load, most = data.capacities[route.t];
    return loads.map((load, at) => (most[at] === null ? number(load) : `${number(load)} of ${number(most[at])}`)).join(", ");
  };
  const tipOf = (what) => {
    const rows = [];
    let title = "";
    if (what.stop || what.node !== undefined) {
      const node = what.stop ? what.stop.node : what.node, visits = what.stop ? [what.stop] : visitsOf(node);
      title = name(node);
      if (node < data.depots && !what.stop) {
        rows.push(["depot", count(new Set(visits.map((stop) => stop.route)).size, "route")]);
      } else if (!visits.length) {
        const state = frame === last ? states.get(node) || "another one of the group is visited" : "not visited yet";
        rows.push(["", state === "unserved" ? "not served" : state]);
      } else {
        const stop = visits[0];
        rows.push(["route", `${routeNumber(stop.route)}, stop ${stop.at}${stop.kind ? ` (${stop.kind})` : ""}`]);
        rows.push(["arrival", clock(stop.arrival)]);
        if (stop.start - stop.arrival > 1e-9) rows.push(["waiting", span(stop.start - stop.arrival)]);
        rows.push(["start", clock(stop.start)], ["departure", clock(stop.departure)]);
        if (data.loaded) rows.push(["load after", amounts(stop.load)]);
        if (stop.slack !== null) rows.push(["slack", span(stop.slack)]);
      }
      if (windowText(node)) rows.push(["window", windowText(node)]);
    } else {
      const route = what.route;
      title = `Route ${routeNumber(route)}${vehicleText(route)}`;
      rows.push(["customers", String(customersOf(route).length)]);
      if (data.loaded) rows.push(["load", loadText(route)]);
      rows.push(["distance", number(route.distance)], ["time", `${clock(route.start)}–${clock(route.end)}`], ["cost", number(route.cost)]);
    }
    return [title, rows];
  };
  const tip = by("tip");
  const showTip = (what, x, y) => {
    if (!what) {
      tip.hidden = true;
      delete root.dataset.hover;
      return;
    }
    const [title, rows] = tipOf(what);
    tip.replaceChildren(make("b", title), ...rows.map(([label, value]) => {
      const line = make("div");
      line.append(make("span", label), make("span", value));
      return line;
    }));
    tip.hidden = false;
    root.dataset.hover = title;
    const wide = tip.offsetWidth, high = tip.offsetHeight;
    tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - wide - 8))}px`;
    tip.style.top = `${y + 18 + high > innerHeight ? Math.max(4, y - high - 12) : y + 18}px`;
  };

  // Pointers on the map: one moves it, two pinch, and a tap selects.

  const pointers = new Map();
  let moved = 0;
  const spot = (event) => {
    const box = map.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const hover = (event) => {
    const found = under(spot(event), event.pointerType === "touch" ? 24 : 13);
    const changed = JSON.stringify([found && found.node, found && found.route && routeNumber(found.route)]);
    if (changed !== map.dataset.near) {
      map.dataset.near = changed;
      near = found;
      draw();
    }
    showTip(found, event.clientX, event.clientY);
    return found;
  };
  const listenToMap = () => {
    map.addEventListener("pointerdown", (event) => {
      pointers.set(event.pointerId, spot(event));
      moved = 0;
      map.setPointerCapture(event.pointerId);
    });
    map.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) return void hover(event);
      const now = spot(event), others = [...pointers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
      moved += Math.hypot(now[0] - before[0], now[1] - before[1]);
      pointers.set(event.pointerId, now);
      if (others.length) {
        const [other] = others, apart = (place) => Math.hypot(place[0] - other[0], place[1] - other[1]);
        zoom(apart(now) / Math.max(1, apart(before)), [(now[0] + other[0]) / 2, (now[1] + other[1]) / 2]);
      }
      const share = others.length ? 2 : 1;
      if (moved > 3) {
        view.x -= (now[0] - before[0]) / view.k / share;
        view.y += (now[1] - before[1]) / view.k / share;
        showTip(null);
        draw();
      }
    });
    const lift = (event) => {
      const tapped = pointers.delete(event.pointerId) && moved <= 3 && event.type === "pointerup";
      if (!tapped) return;
      const found = hover(event);
      if (found && found.route) select(found.route === selected ? null : found.route);
      else if (!found) select(null);
    };
    map.addEventListener("pointerup", lift);
    map.addEventListener("pointercancel", lift);
    map.addEventListener("pointerleave", () => {
      near = null;
      delete map.dataset.near;
      showTip(null);
      draw();
    });
    map.addEventListener("wheel", (event) => {
      event.preventDefault();
      zoom(Math.exp(-Math.max(-80, Math.min(80, event.deltaY)) / 220), spot(event));
    }, { passive: false });
    map.addEventListener("dblclick", (event) => zoom(2, spot(event)));
    map.addEventListener("keydown", (event) => {
      const step = 60 / view.k, moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
      if (moves[event.key]) {
        view.x += moves[event.key][0];
        view.y += moves[event.key][1];
        draw();
      } else if (event.key === "+" || event.key === "=") zoom(1.4);
      else if (event.key === "-") zoom(1 / 1.4);
      else if (event.key === "0") { showAll(); draw(); }
      else return;
      event.preventDefault();
    });
    by("closer").addEventListener("click", () => zoom(1.5));
    by("further").addEventListener("click", () => zoom(1 / 1.5));
    by("all").addEventListener("click", () => { showAll(); draw(); });
  };

  // The legend.

  const legend = by("legend");
  const fillLegend = () => {
    const routes = routesOf(frame);
    by("legend-title").textContent = count(routes.length, "route");
    legend.replaceChildren(...routes.map((route, at) => {
      const button = make("button"), text = make("span"), item = make("li"), swatch = make("canvas");
      button.type = "button";
      button.setAttribute("aria-pressed", String(route === selected));
      swatch.width = 52;
      swatch.height = 20;
      text.append(make("span", `${at + 1}${vehicleText(route)}: ${count(customersOf(route).length, "customer")}`));
      const facts = [data.loaded && `load ${loadText(route)}`, `length ${number(route.distance)}`, data.timed && `${clock(route.start)}–${clock(route.end)}`];
      text.append(make("small", facts.filter(Boolean).join(" · ")));
      const most = data.capacities[route.t][0], load = data.dimensions === 1 ? route.load : route.load[0];
      if (data.loaded && most) {
        const bar = make("div", undefined, "bar"), full = make("i");
        full.style.width = `${Math.min(100, (100 * load) / most)}%`;
        full.style.background = colour(route);
        bar.append(full);
        text.append(bar);
      }
      const pen = swatch.getContext("2d");
      pen.strokeStyle = colour(route);
      pen.lineWidth = 5;
      pen.setLineDash(dash(route).map((length) => 2 * length));
      pen.beginPath();
      pen.moveTo(2, 10);
      pen.lineTo(50, 10);
      pen.stroke();
      button.append(swatch, text);
      button.addEventListener("click", () => select(route === selected ? null : route));
      button.addEventListener("pointerenter", () => { near = { route }; draw(); });
      button.addEventListener("pointerleave", () => { near = null; draw(); });
      item.append(button);
      return item;
    }));
  };
  const markLegend = () => routesOf(frame).forEach((route, at) => {
    const button = legend.children[at].firstChild;
    button.setAttribute("aria-pressed", String(route === selected));
    button.classList.toggle("near", Boolean(near && near.route === route));
  });

  // The stops of the selected route.

  const fillStops = () => {
    by("stops-part").hidden = !selected;
    if (!selected) return;
    by("stops-title").textContent = `Route ${routeNumber(selected)}${vehicleText(selected)}, stop by stop`;
    const columns = [
      ["stop", (stop) => String(stop.at), 1], ["name", (stop) => name(stop.node), 0], ["", (stop) => stop.kind, 0],
      ["arrival", (stop) => clock(stop.arrival), 1], ["waiting", (stop) => (stop.start - stop.arrival > 1e-9 ? span(stop.start - stop.arrival) : ""), 1],
      ["start", (stop) => clock(stop.start), 1], ["departure", (stop) => clock(stop.departure), 1],
    ];
    if (data.windows) columns.push(["window", (stop) => windowText(stop.node), 0]);
    if (selected.k) columns.push(["slack", (stop) => span(stop.slack), 1]);
    if (data.loaded) columns.push(["load after", (stop) => amounts(stop.load), 1]);
    columns.push(["distance", (stop) => number(stop.leg), 1], ["in all", (stop) => number(stop.travelled), 1]);
    const head = make("thead"), body = make("tbody"), line = make("tr");
    columns.forEach(([title, , right]) => line.append(make("th", title, right ? "number" : "")));
    head.append(line);
    stopsOf(selected).forEach((stop) => {
      const row = make("tr");
      columns.forEach(([title, value, right]) => row.append(make("td", value(stop), right ? "number" : title === "name" ? "name" : "")));
      body.append(row);
    });
    by("stops").replaceChildren(head, body);
  };

  // Times: a row for each route; the selected one opens into a row for each stop, with its windows.

  const ROW = 26, SMALL = 20, AXIS = 26;
  const gantt = by("gantt"), ganttBox = by("gantt-box");
  let allOpen = false;
  const isOpen = (route) => allOpen || route === selected || frames[frame].r.length === 1;
  const ganttRows = () => routesOf(frame).flatMap((route) => {
    const rows = [{ route, high: ROW }];
    if (isOpen(route)) stopsOf(route).forEach((stop) => rows.push({ route, stop, high: SMALL }));
    return rows;
  });
  const steps = (low, high, many) => {
    const unit = data.unit ? UNITS[data.unit] : 1, rough = ((high - low) * unit) / many || 1;
    const clocks = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
    const power = 10 ** Math.floor(Math.log10(rough));
    const wanted = data.unit ? clocks.find((step) => step >= rough) || 86400 * Math.ceil(rough / 86400) : [1, 2, 5, 10].find((times) => times * power >= rough) * power;
    const step = wanted / unit, ticks = [];
    for (let tick = Math.ceil(low / step - 1e-9) * step; tick <= high + step * 1e-9 && ticks.length < 60; tick += step) ticks.push(Math.abs(tick) < step * 1e-9 ? 0 : tick);
    return ticks;
  };
  let ganttScale = null;
  const drawGantt = () => {
    const routes = routesOf(frame), rows = ganttRows();
    const total = AXIS + rows.reduce((sum, row) => sum + row.high, 0) + 6;
    by("gantt-space").style.height = `${total}px`;
    const high = Math.min(total, Math.round(innerHeight * 0.6));
    gantt.style.height = `${high}px`;
    const [pen, wide] = fitted(gantt, high), top = ganttBox.scrollTop;
    const label = wide < 520 ? 84 : 150;
    let [low, until] = [Infinity, -Infinity];
    for (const route of routes) [low, until] = [Math.min(low, route.start), Math.max(until, route.end)];
    // Windows of customers fit in, too, unless they are far longer than the routes.
    const [early, late] = [low - (until - low) / 2, until + (until - low) / 2];
    for (const route of routes) for (const node of isOpen(route) ? customersOf(route) : []) {
      for (const [opens, closes] of windows(node)) {
        low = Math.min(low, Math.max(opens, early));
        if (closes !== null) until = Math.max(until, Math.min(closes, late));
      }
    }
    if (!routes.length) [low, until] = [0, 1];
    if (!(until > low)) until = low + 1;
    const x = (time) => label + ((time - low) / (until - low)) * (wide - label - 10);
    ganttScale = { rows, label, x };
    pen.font = `12px ${theme.font}`;
    pen.textBaseline = "middle";
    let y = AXIS - top;
    const ticks = steps(low, until, Math.max(2, (wide - label) / 85));
    pen.strokeStyle = theme.faint;
    pen.lineWidth = 1;
    for (const tick of ticks) {
      pen.beginPath();
      pen.moveTo(x(tick), AXIS - 4);
      pen.lineTo(x(tick), high);
      pen.stroke();
    }
    for (const row of rows) {
      if (y > -row.high && y < high) (row.stop ? drawStopRow : drawRouteRow)(pen, row, y, x, label, wide);
      y += row.high;
    }
    pen.fillStyle = theme.panel;
    pen.fillRect(0, 0, wide, AXIS - 5);
    pen.fillStyle = theme.muted;
    pen.textAlign = "center";
    for (const tick of ticks) if (x(tick) < wide - 12) pen.fillText(clock(tick), x(tick), 10);
    pen.textAlign = "left";
  };
  const clipped = (pen, text, most) => {
    let shown = text;
    while (shown.length > 1 && pen.measureText(shown).width > most) shown = `${shown.slice(0, -2)}…`;
    return shown;
  };
  const drawWork = (pen, stop, y, high, x) => {
    if (stop.start - stop.arrival > 1e-9) {
      pen.setLineDash([3, 2]);
      pen.lineWidth = 1;
      pen.strokeRect(x(stop.arrival), y + 0.5, x(stop.start) - x(stop.arrival), high - 1);
      pen.setLineDash([]);
    }
    pen.fillRect(x(stop.start) - 0.75, y, Math.max(1.5, x(stop.departure) - x(stop.start)), high);
  };
  const drawRouteRow = (pen, row, y, x, label, wide) => {
    const { route } = row, strong = near && near.route ? near.route === route : selected === route;
    if (strong) {
      pen.fillStyle = theme.soft;
      pen.fillRect(0, y, wide, ROW);
    }
    pen.fillStyle = theme.ink;
    const arrow = isOpen(route) ? "▾ " : "▸ ";
    pen.fillText(clipped(pen, `${arrow}Route ${routeNumber(route)}`, label - 8), 2, y + ROW / 2);
    pen.strokeStyle = pen.fillStyle = colour(route);
    pen.lineWidth = 2;
    pen.beginPath();
    pen.moveTo(x(route.start), y + ROW / 2);
    pen.lineTo(x(route.end), y + ROW / 2);
    pen.stroke();
    for (const stop of stopsOf(route)) if (stop.node >= data.depots || stop.departure > stop.arrival) {
      // Where the vehicle waits or serves, it does not drive.
      const [from, to] = [x(stop.arrival), x(stop.departure)], paint = pen.fillStyle;
      pen.fillStyle = strong ? theme.soft : theme.panel;
      pen.fillRect(from, y + ROW / 2 - 2, to - from, 4);
      pen.fillStyle = paint;
      drawWork(pen, stop, y + ROW / 2 - 6, 12, x);
    }
  };
  const drawStopRow = (pen, row, y, x, label, wide) => {
    const { stop } = row;
    pen.fillStyle = theme.muted;
    pen.fillText(clipped(pen, name(stop.node), label - 24), 16, y + SMALL / 2);
    pen.save();
    pen.beginPath();
    pen.rect(label, y, wide - label, SMALL);
    pen.clip();
    pen.fillStyle = theme.window;
    for (const [opens, closes] of windows(stop.node)) {
      const [from, to] = [x(opens), closes === null ? wide : x(closes)];
      pen.fillRect(from, y + 3, Math.max(1.5, to - from), SMALL - 6);
    }
    pen.strokeStyle = pen.fillStyle = colour(stop.route);
    drawWork(pen, stop, y + 5, SMALL - 10, x);
    pen.restore();
  };
  const rowAt = (event) => {
    const box = gantt.getBoundingClientRect();
    let y = event.clientY - box.top + ganttBox.scrollTop - AXIS;
    if (y < 0 || event.clientY - box.top < AXIS - 5) return null;
    for (const row of ganttScale.rows) {
      if (y < row.high) return { row, px: event.clientX - box.left };
      y -= row.high;
    }
    return null;
  };
  const listenToGantt = () => {
    by("open-all").addEventListener("click", () => {
      allOpen = !allOpen;
      by("open-all").setAttribute("aria-pressed", String(allOpen));
      draw();
    });
    ganttBox.addEventListener("scroll", drawGantt, { passive: true });
    gantt.addEventListener("pointermove", (event) => {
      const found = rowAt(event);
      let what = null;
      if (found) {
        const { row, px } = found;
        const close = (stop) => px >= ganttScale.x(stop.arrival) - 3 && px <= ganttScale.x(stop.departure) + 3;
        const stop = row.stop || stopsOf(row.route).find((each) => each.node >= data.depots && close(each));
        what = stop ? { stop, route: row.route, node: stop.node } : { route: row.route };
      }
      near = what && { route: what.route, ...(what.stop ? { node: what.node } : {}) };
      showTip(what, event.clientX, event.clientY);
      draw();
    });
    gantt.addEventListener("pointerleave", () => { near = null; showTip(null); draw(); });
    gantt.addEventListener("click", (event) => {
      const found = rowAt(event);
      if (found && !found.row.stop) select(found.row.route === selected ? null : found.row.route);
    });
  };

  // The cost over time.

  const cost = by("cost");
  let costScale = null;
  const drawCost = () => {
    const [pen, wide, high] = fitted(cost), events = data.history, left = 62, right = 12, foot = 24, top = 10;
    const end = Math.max(data.seconds, events[events.length - 1][0], 1e-6);
    const times = events.map((event) => event[0]).filter((time) => time > 0), middle = [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)];
    const log = times.length >= 3 && middle < 0.15 * end, first = log ? Math.max(times[0] * 0.7, 1e-6) : 0;
    const served = events.filter((event) => !event[2]), about = served.length ? served : events;
    let low = Math.min(...about.map((event) => event[1])), most = Math.max(...about.map((event) => event[1]));
    if (data.best_known !== null) low = Math.min(low, data.best_known);
    const pad = (most - low || Math.abs(most) || 1) * 0.08;
    [low, most] = [low - pad, most + pad];
    const x = (time) => left + (log ? Math.log(Math.max(time, first) / first) / Math.log(end / first) : time / end) * (wide - left - right);
    const y = (value) => top + ((most - value) / (most - low)) * (high - top - foot);
    costScale = x;
    pen.font = `12px ${theme.font}`;
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    pen.lineWidth = 1;
    const power = 10 ** Math.floor(Math.log10((most - low) / 4)), step = [1, 2, 5, 10].find((times) => times * power >= (most - low) / 5) * power;
    for (let tick = Math.ceil(low / step) * step; tick <= most; tick += step) {
      pen.strokeStyle = theme.faint;
      pen.beginPath();
      pen.moveTo(left, y(tick));
      pen.lineTo(wide - right, y(tick));
      pen.stroke();
      pen.fillStyle = theme.muted;
      pen.fillText(number(Number(tick.toPrecision(12))), left - 6, y(tick));
    }
    pen.textAlign = "center";
    const seconds = (time) => (time < 1 ? `${number(1000 * time)} ms` : `${number(time)} s`);
    const marks = [];
    if (log) for (let power10 = Math.ceil(Math.log10(first)); 10 ** power10 <= end; power10++) marks.push(10 ** power10);
    else {
      const size = 10 ** Math.floor(Math.log10(end / 5)), every = [1, 2, 5, 10].find((times) => times * size >= end / 5) * size;
      for (let mark = 0; mark <= end * 1.0001; mark += every) marks.push(Number(mark.toPrecision(6)));
    }
    let free = -Infinity;
    for (const mark of marks) {
      const text = seconds(mark), half = pen.measureText(text).width / 2, at = Math.min(Math.max(x(mark), left + half), wide - half);
      if (at - half < free + 8) continue;
      pen.fillText(text, at, high - 9);
      free = at + half;
    }
    if (data.best_known !== null) {
      pen.strokeStyle = pen.fillStyle = theme.alarm;
      pen.setLineDash([5, 4]);
      pen.beginPath();
      pen.moveTo(left, y(data.best_known));
      pen.lineTo(wide - right, y(data.best_known));
      pen.stroke();
      pen.setLineDash([]);
      pen.textAlign = "right";
      pen.fillText(`${data.best_word} ${number(data.best_known)}`, wide - right, y(data.best_known) - 9);
    }
    pen.save();
    pen.beginPath();
    pen.rect(left, 0, wide - left, high - foot + 4);
    pen.clip();
    events.forEach(([time, value, missing], at) => {
      const next = events[at + 1];
      pen.strokeStyle = missing ? theme.muted : theme.accent;
      pen.setLineDash(missing ? [4, 3] : []);
      pen.lineWidth = 2;
      pen.beginPath();
      pen.moveTo(x(time), y(value));
      pen.lineTo(x(next ? next[0] : end), y(value));
      if (next) pen.lineTo(x(next[0]), y(next[1]));
      pen.stroke();
    });
    pen.setLineDash([]);
    const now = frames[frame];
    if (now.seconds !== null) {
      pen.fillStyle = theme.accent;
      pen.beginPath();
      pen.arc(x(now.seconds), y(now.cost), 5, 0, 7);
      pen.fill();
    }
    pen.restore();
    pen.textAlign = "left";
  };
  const listenToCost = () => cost.addEventListener("click", (event) => {
    const px = event.clientX - cost.getBoundingClientRect().left;
    let best = last;
    frames.forEach((each, at) => {
      if (each.seconds !== null && Math.abs(costScale(each.seconds) - px) <= Math.abs(costScale(frames[best].seconds) - px)) best = at;
    });
    show(best);
  });

  // What the selector chose.

  const plainName = (text) => text.replace(/_/g, " ");
  const fillUses = () => {
    const { destroy, repair, uses, new_best } = data.operators, total = uses.flat().reduce((sum, each) => sum + each, 0);
    by("policy-hint").textContent = total
      ? `Share of the ${count(total, "iteration")} in which selector ${data.selector} chose each pair: a row for each destroy operator, a column for each repair operator.`
      : "There were no iterations.";
    if (!total) return;
    const most = Math.max(...uses.flat()), head = make("thead"), body = make("tbody"), line = make("tr");
    line.append(make("th", "destroy ↓  repair →"), ...repair.map((each) => make("th", plainName(each))), make("th", "in all"));
    head.append(line);
    const share = (many) => `${((100 * many) / total).toFixed(1)} %`;
    uses.forEach((row, at) => {
      const made = make("tr");
      made.append(make("th", plainName(destroy[at])));
      row.forEach((many, column) => {
        const cell = make("td", share(many));
        cell.style.background = `rgba(${theme.heat}, ${(0.75 * many) / most})`;
        cell.title = `${plainName(destroy[at])} and ${plainName(repair[column])}: ${count(many, "use")}, ${count(new_best[at][column], "new best")}`;
        made.append(cell);
      });
      made.append(make("td", share(row.reduce((sum, each) => sum + each, 0))));
      body.append(made);
    });
    const foot = make("tr");
    foot.append(make("th", "in all"));
    repair.forEach((_, column) => foot.append(make("td", share(uses.reduce((sum, row) => sum + row[column], 0)))));
    body.append(foot);
    by("uses").replaceChildren(head, body);
  };
  const drawChances = () => {
    if (!data.explanation) return;
    by("chances").hidden = false;
    const charts = by("chance-charts");
    if (!charts.children.length) ["destroy", "repair"].forEach((kind) => {
      const box = make("div"), canvas = make("canvas"), list = make("ul");
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", `Probabilities of ${kind} operators over the run`);
      box.append(make("p", `${kind} operators`, "hint"), canvas, list);
      charts.append(box);
    });
    ["destroy", "repair"].forEach((kind, which) => {
      const [, canvas, list] = charts.children[which].children, [pen, wide, high] = fitted(canvas);
      const { iterations } = data.explanation, rows = data.explanation[kind], end = iterations[iterations.length - 1];
      const paint = (operator) => theme.colours[operator % theme.colours.length];
      let before = 0;
      rows.forEach((row, at) => {
        const [from, to] = [(before / end) * wide, (iterations[at] / end) * wide];
        let y = high;
        row.forEach((chance, operator) => {
          pen.fillStyle = paint(operator);
          pen.globalAlpha = operator >= theme.colours.length ? 0.55 : 1;
          pen.fillRect(from, y - chance * high, to - from + 0.5, chance * high + 0.5);
          y -= chance * high;
        });
        before = iterations[at];
      });
      pen.globalAlpha = 1;
      list.replaceChildren(...data.operators[kind].map((each, operator) => {
        const item = make("li", plainName(each));
        item.style.setProperty("--c", paint(operator));
        return item;
      }));
    });
  };

  // Words around the pictures.

  const fillWords = () => {
    by("name").textContent = data.title;
    by("facts").replaceChildren(...data.facts.map(([text, alarm]) => make("span", text, alarm ? "alarm" : "")));
    by("run").replaceChildren(...data.run.map(([label, value]) => {
      const row = make("tr");
      row.append(make("th", label), make("td", value));
      return row;
    }));
    by("warnings").replaceChildren(...data.warnings.map((sentence) => make("li", sentence)));
    by("settings").textContent = data.settings;
    by("missing-part").hidden = !data.missing.length;
    by("missing-title").textContent = data.missing_title;
    by("missing").replaceChildren(...data.missing.map((sentence) => make("li", sentence)));
    by("gantt-hint").textContent = data.gantt_hint;
    by("no-map").hidden = Boolean(data.xy);
    by("no-map").textContent = "The instance has no coordinates, so there is no map.";
    map.hidden = by("map-buttons").hidden = !data.xy;
    by("player").hidden = last === 0;
    by("no-player").hidden = last !== 0 || data.history.length < 2;
    by("slider").max = String(last);
  };

  // What is shown.

  const select = (route) => {
    selected = route;
    root.dataset.selected = route ? String(routeNumber(route)) : "";
    fillStops();
    draw();
  };
  const show = (which) => {
    frame = which;
    near = null;
    const old = selected;
    selected = null;
    if (old) {
      // The route that has most of its customers.
      const mine = new Set(customersOf(old));
      let most = 0;
      for (const route of routesOf(frame)) {
        const shared = customersOf(route).filter((node) => mine.has(node)).length;
        if (shared > most) [selected, most] = [route, shared];
      }
    }
    const now = frames[frame];
    by("slider").value = String(frame);
    const facts = [`Best ${now.number.toLocaleString("en")} of ${data.bests.toLocaleString("en")}`];
    if (now.seconds !== null) facts.push(`after ${number(now.seconds)} s`, `iteration ${now.iteration.toLocaleString("en")}`);
    facts.push(`cost ${number(now.cost)}`, count(now.r.length, "route"), now.unserved ? `${count(now.unserved, "customer")} unserved` : gap(now.cost));
    by("moment").textContent = facts.filter(Boolean).join(" · ");
    root.dataset.frame = String(frame);
    fillLegend();
    fillStops();
    draw();
  };
  let waiting = false;
  const draw = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      drawMap();
      drawGantt();
      drawCost();
      markLegend();
      root.dataset.drawn = String(Number(root.dataset.drawn || 0) + 1);
    });
  };
  let playing = null;
  const play = () => {
    if (playing) {
      clearInterval(playing);
      playing = null;
    } else {
      if (frame === last) show(0);
      playing = setInterval(() => (frame === last ? play() : show(frame + 1)), Math.min(450, Math.max(90, 9000 / frames.length)));
    }
    by("play").textContent = playing ? "❚❚" : "▶\uFE0E";
    by("play").setAttribute("aria-label", playing ? "Pause" : "Play");
  };
  const renew = () => {
    readTheme();
    fillUses();
    drawChances();
    fillLegend();
    draw();
  };
  readTheme();
  colourRoutes();
  fillWords();
  fillUses();
  drawChances();
  if (data.xy) listenToMap();
  listenToGantt();
  listenToCost();
  by("slider").addEventListener("input", () => {
    if (playing) play();
    show(Number(by("slider").value));
  });
  by("play").addEventListener("click", play);
  dark.addEventListener("change", renew);
  let width = 0;
  new ResizeObserver(() => {
    if (root.clientWidth === width) return;
    width = root.clientWidth;
    if (data.xy) view.set = false;
    drawChances();
    draw();
  }).observe(root);
  addEventListener("resize", draw);
  show(last);
  root.dataset.ready = "yes";
})();
