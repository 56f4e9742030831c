// The smallest change of a row that reaches a goal, as the library defines it: of one column if
// that is enough, else of two; then the one that moves values least, the first in a tie. A
// number moves by its share of a range, anything else by 1. `choices` are columns: a name,
// values to try and a width. Pauses (yields) now and then, so that a page stays awake.
function* nearestChange(choices, row, met) {
  const trial = Object.assign(Object.create(null), row);
  const options = choices.map(({ name, values, width }) => {
    const now = row[name];
    const others = values.filter((value) => value !== now);
    const isMove = width !== null && typeof now === "number";
    const far = others.map((value) => (isMove ? Math.abs(value - now) / width : 1));
    return { name, others, far };
  });
  let best = null;
  for (const one of options) {
    one.others.forEach((value, at) => {
      if (best && one.far[at] >= best.far) return;
      trial[one.name] = value;
      if (met(trial)) best = { far: one.far[at], changes: [[one.name, value]] };
    });
    trial[one.name] = row[one.name];
  }
  if (best) return best;
  for (let i = 0; i < options.length; i += 1) {
    for (let j = i + 1; j < options.length; j += 1) {
      const one = options[i], two = options[j];
      one.others.forEach((first, a) => {
        trial[one.name] = first;
        two.others.forEach((second, b) => {
          const far = one.far[a] + two.far[b];
          if (best && far >= best.far) return;
          trial[two.name] = second;
          if (met(trial)) best = { far, changes: [[one.name, first], [two.name, second]] };
        });
      });
      trial[one.name] = row[one.name];
      trial[two.name] = row[two.name];
      yield;
    }
  }
  return best;
}

if (typeof document !== "undefined") {
  const data = JSON.parse(document.getElementById("data").textContent);
  const find = (id) => document.getElementById(id);
  const all = (selector) => [...document.querySelectorAll(selector)];
  // A value that a category does not have: a text, or a number.
  const neverSeen = (column) => {
    if (column.kind === "text") return "\u0000never seen";
    return 1 + Math.max(...column.values.map((pair) => Math.abs(pair[0])));
  };
  const short = (value, digits = 6) =>
    typeof value === "number" ? String(Number(value.toPrecision(digits))) : String(value);
  // Text of the table inside a sentence: wherever it is written to, the rest stays as it is.
  const apart = (text) => `\u2068${text}\u2069`;
  const percent = (share) =>
    share > 0 && share < 0.001 ? "<0.1%" : share < 1 && share > 0.999 ? ">99.9%" :
    `${(100 * share).toFixed(share < 0.1 || share > 0.9 ? 1 : 0)}%`;

  let at = data.chosen;
  const row = Object.create(null);

  // The prediction: the place of a class among all, or the number.
  const predict = () => {
    const found = models[at].predict(row);
    return data.predicts === "class" ? models[at].classes.indexOf(found) : found;
  };

  const words = (column, value) => {
    if (value === null) return "unknown";
    const known = column.values.find((pair) => pair[0] === value);
    return known ? known[1] : column.values.length ? "another value" : short(value);
  };

  // What a change has to reach: another class, one of them, or a number on one side of another.
  const goal = () => {
    if (data.predicts === "class") {
      const wanted = find("goal") ? Number(find("goal").value) : -1;
      const before = models[at].predict(row);
      if (wanted < 0) return (other) => models[at].predict(other) !== before;
      return (other) => models[at].predict(other) === models[at].classes[wanted];
    }
    const end = Number(find("goal").value);
    const slack = 1e-9 * Math.max(1, Math.abs(end));
    return find("side").value === "least"
      ? (other) => models[at].predict(other) >= end - slack
      : (other) => models[at].predict(other) <= end + slack;
  };

  const show = (number) => {
    const column = data.columns[number];
    const value = row[column.name];
    const field = find(`c${number}`);
    if (column.values.length) {
      const place = column.values.findIndex((pair) => pair[0] === value);
      field.value = String(value === null ? -1 : place >= 0 ? place : -2);
      return;
    }
    find(`u${number}`).checked = value === null;
    field.disabled = find(`r${number}`).disabled = value === null;
    if (value !== null) {
      field.value = String(value);
      field.classList.toggle("long", field.value.length > 7);
      find(`r${number}`).value = String(value);
    }
  };

  const set = (number, value) => {
    row[data.columns[number].name] = value;
    show(number);
  };

  // A box, as on paper, and what it says to those who do not see it.
  const STATES = { yes: ["✓", "holds:"], no: ["", "fails:"], unknown: ["?", "unknown:"] };
  const box = (state) => {
    const made = document.createElement("span");
    made.className = "box";
    made.dataset.state = state;
    return made;
  };
  const showStatements = () => {
    const values = models[at].statements(row);
    const items = all(`#rules .size[data-size="${at}"] .statements > li`);
    const ticks = [];
    items.forEach((item, number) => {
      const crisp = data.sizes[at].crisp;
      const value = crisp ? 2 * values[number] - 1 : values[number];
      const state = value > 0 ? "yes" : value < 0 ? "no" : "unknown";
      item.dataset.state = state;
      const [mark, told] = STATES[state];
      item.querySelector(".box").textContent = crisp ? mark : value.toFixed(2);
      item.querySelector(".state .quiet").textContent = told;
      ticks.push(box(state));
    });
    find("ticks").replaceChildren(...ticks.slice(0, 60));
    return values;
  };

  const reason = (values) => {
    const { kind, needed, total, positive } = data.sizes[at].counting;
    if (!values.length) return "It is the same for every row.";
    if (kind === "checklist") {
      const count = short(models[at].score(row), 4);
      const what = total === values.length ? "statements hold" : "points are given";
      return `${count} of ${total} ${what}; ${needed} ${needed === 1 ? "is" : "are"} needed for ${data.labels[positive]}.`;
    }
    if (kind !== "scores") {
      const holding = values.filter((value) => value > (data.sizes[at].crisp ? 0.5 : 0)).length;
      return `${holding} of ${values.length} statements hold.`;
    }
    const scores = models[at].scores(row).map((score, number) => [score, number]);
    scores.sort((a, b) => b[0] - a[0] || a[1] - b[1]);
    const told = scores.slice(0, 4).map(([score, number]) => `${data.labels[number]} ${short(score, 3)}`);
    const more = scores.length > 4 ? `, and ${scores.length - 4} more with fewer` : "";
    return `Points: ${told.join(", ")}${more}.`;
  };

  const showChances = () => {
    const place = find("chances");
    place.replaceChildren();
    if (!models[at].probabilities) return;
    const chances = models[at].probabilities(row).map((chance, number) => [chance, number]);
    if (chances.length > 4) chances.sort((a, b) => b[0] - a[0]);
    for (const [chance, number] of chances.slice(0, 4)) {
      const line = document.createElement("div");
      line.className = "chance";
      line.textContent = `${data.labels[number]} ${percent(chance)}`;
      const bar = document.createElement("i");
      bar.style.width = `${100 * chance}%`;
      line.append(bar);
      place.append(line);
    }
  };

  let change = null, ticket = 0;
  const tellNearest = () => {
    const place = find("nearest");
    find("try-change").hidden = change === null;
    if (change === null) {
      place.textContent = "No change of one or two of these values would do.";
      return;
    }
    const trial = Object.assign(Object.create(null), row);
    const parts = change.changes.map(([name, value]) => {
      const column = data.columns.find((each) => each.name === name);
      trial[name] = value;
      const [after, before] = [value, row[name]].map((each) => apart(words(column, each)));
      return `${apart(name)} were ${after} instead of ${before}`;
    });
    const after = models[at].predict(trial);
    const told = data.predicts === "number" ? `${apart(data.labels[0])} would be ${short(after)}`
      : `the class would be ${apart(data.labels[models[at].classes.indexOf(after)])}`;
    place.textContent = `The nearest change: if ${parts.join(" and ")}, ${told}.`;
  };

  // Many pairs of columns may have to be tried: a moment later, and in pieces.
  const showNearest = () => {
    const mine = ++ticket;
    change = null;
    find("try-change").hidden = true;
    const met = goal();
    if (met(row)) {
      find("nearest").textContent = "This row is there already.";
      return;
    }
    const choices = [];
    data.columns.forEach((column, number) => {
      if (!column.sizes.includes(at) || !find(`m${number}`).checked) return;
      choices.push({ name: column.name, ...data.sizes[at].trials[number] });
    });
    const search = nearestChange(choices, row, met);
    const go = () => {
      if (mine !== ticket) return;
      const end = performance.now() + 20;
      let step = search.next();
      while (!step.done && performance.now() < end) step = search.next();
      if (!step.done) {
        setTimeout(go);
        return;
      }
      change = step.value;
      tellNearest();
    };
    setTimeout(go);
  };

  // The rows of a statement, among those that the page has.
  const sampled = (number) => {
    const one = Object.create(null);
    data.columns.forEach((column, place) => {
      one[column.name] = data.sample.columns[place][number];
    });
    return one;
  };

  const cell = (line, text, tag) => {
    const made = document.createElement(tag || "td");
    made.textContent = text;
    line.append(made);
    return made;
  };

  const listRows = (place, statement, most) => {
    const rows = data.sample.rows.map((_, number) => sampled(number));
    const crisp = data.sizes[at].crisp;
    const holding = rows.map((one, number) => [one, number]).filter(([one]) => {
      return models[at].statements(one)[statement] > (crisp ? 0.5 : 0);
    });
    const told = document.createElement("p");
    told.className = "evidence";
    told.textContent = `It holds in ${holding.length} of the ${rows.length} rows in this page.`;
    const table = document.createElement("table");
    const head = table.createTHead().insertRow();
    const shown = data.columns.filter((column) => column.sizes.includes(at));
    const truth = data.sample.truth;
    const heads = ["row", "predicted", ...(truth.length ? ["true"] : [])];
    heads.forEach((text) => { cell(head, text, "th").scope = "col"; });
    shown.forEach((column) => {
      const title = cell(head, "", "th");
      title.scope = "col";
      cell(title, column.name, "span").className = "name";
    });
    const body = table.createTBody();
    holding.slice(0, most).forEach(([one, number]) => {
      const line = body.insertRow();
      const first = cell(line, `${data.sample.rows[number]} `, "th");
      first.scope = "row";
      const button = document.createElement("button");
      button.type = "button";
      button.className = "screen";
      button.textContent = "Try";
      button.setAttribute("aria-label", `Try row ${data.sample.rows[number]}`);
      button.addEventListener("click", () => tryRow(data.columns.map((c) => one[c.name])));
      first.append(button);
      const said = models[at].predict(one);
      const isClass = data.predicts === "class";
      cell(line, isClass ? data.labels[models[at].classes.indexOf(said)] : short(said));
      if (truth.length) {
        const wrong = isClass && models[at].classes.indexOf(said) !== truth[number];
        const text = isClass ? data.labels[truth[number]] : short(truth[number]);
        cell(line, wrong ? `${text} ✗` : text);
      }
      shown.forEach((column) => cell(line, words(column, one[column.name])));
    });
    const wide = document.createElement("div");
    wide.className = "wide";
    wide.tabIndex = 0;
    wide.setAttribute("role", "region");
    wide.setAttribute("aria-label", `Rows of statement ${statement + 1}`);
    wide.append(table);
    place.replaceChildren(told, wide);
    if (holding.length > most) {
      const more = document.createElement("button");
      more.type = "button";
      more.textContent = "More rows";
      more.addEventListener("click", () => {
        listRows(place, statement, most + 20);
        place.querySelector(".wide").focus();
      });
      place.append(more);
    }
  };

  const update = () => {
    const said = predict();
    find("result").textContent = data.predicts === "class"
      ? `Predicted: ${data.labels[said]}` : `Predicted ${data.labels[0]}: ${short(said)}`;
    find("why").textContent = reason(showStatements());
    showChances();
    showNearest();
    const prediction = data.predicts === "class" ? data.labels[said] : said;
    const shown = { row: { ...row }, literals: data.sizes[at].literals, prediction };
    document.dispatchEvent(new CustomEvent("shown", { detail: shown }));
  };

  const choose = (size) => {
    at = size;
    all(".size").forEach((part) => { part.hidden = Number(part.dataset.size) !== at; });
    all("[data-column]").forEach((part) => {
      part.hidden = !data.columns[Number(part.dataset.column)].sizes.includes(at);
    });
    all("[data-column-card]").forEach((part) => {
      part.hidden = !data.columns[Number(part.dataset.columnCard)].sizes.includes(at);
    });
    all(".cut").forEach((part) => {
      part.toggleAttribute("hidden", !part.dataset.sizes.split(" ").includes(String(at)));
    });
    all("[data-dot]").forEach((part) => {
      part.toggleAttribute("data-on", Number(part.dataset.dot) === at);
    });
    all("[data-row]").forEach((part) => {
      part.toggleAttribute("data-on", Number(part.dataset.row) === at);
    });
    all("input[name=choose]").forEach((part) => { part.checked = Number(part.value) === at; });
    if (find("size")) find("size").value = String(at);
    const uses = data.columns.some((column) => column.sizes.includes(at));
    find("try").hidden = !uses;
    find("no-columns").hidden = uses;
    update();
  };

  const rounded = (column, value) => {
    const places = Math.max(0, Math.min(15, Math.round(-Math.log10(column.step))));
    return Number((Math.round(value / column.step) * column.step).toFixed(places));
  };

  data.columns.forEach((column, number) => {
    const field = find(`c${number}`);
    if (column.values.length) {
      field.addEventListener("change", () => {
        const place = Number(field.value);
        row[column.name] =
          place === -1 ? null : place === -2 ? neverSeen(column) : column.values[place][0];
        update();
      });
      return;
    }
    field.step = String(column.step);
    const slider = find(`r${number}`);
    // About two hundred places, each a multiple of the step: an arrow key always moves it.
    const steps = Math.round((column.high - column.low) / 200 / column.step);
    slider.step = String(column.step * Math.max(1, steps));
    slider.addEventListener("input", () => {
      const value = rounded(column, Number(slider.value));
      row[column.name] = value;
      field.value = String(value);
      field.classList.toggle("long", field.value.length > 7);
      update();
    });
    field.addEventListener("input", () => {
      if (field.value === "" || Number.isNaN(Number(field.value))) return;
      row[column.name] = Number(field.value);
      slider.value = field.value;
      update();
    });
    find(`u${number}`).addEventListener("change", (event) => {
      const usual = column.start === null ? column.low : column.start;
      const typed = field.value === "" ? usual : Number(field.value);
      set(number, event.target.checked ? null : typed);
      update();
    });
  });
  const tryRow = (values) => {
    values.forEach((value, number) => set(number, value));
    update();
    find("rules").scrollIntoView();
  };
  // Sets what someone else wants to see, as far as there is such a thing.
  document.addEventListener("wanted", ({ detail }) => {
    data.columns.forEach((column, number) => {
      const value = Object.hasOwn(detail.row, column.name) ? detail.row[column.name] : row[column.name];
      const isKnown = column.kind === "text" ? typeof value === "string" : Number.isFinite(value);
      set(number, isKnown ? value : typeof value === "boolean" ? Number(value) : null);
    });
    const size = data.sizes.findIndex((each) => each.literals === detail.literals);
    choose(size < 0 ? at : size);
  });
  const reset = () => data.columns.forEach((column, number) => set(number, column.start));
  find("reset").addEventListener("click", () => { reset(); update(); });
  find("try").addEventListener("submit", (event) => event.preventDefault());
  find("try-change").addEventListener("click", () => {
    if (change === null) return;
    change.changes.forEach(([name, value]) => {
      set(data.columns.findIndex((column) => column.name === name), value);
    });
    update();
  });
  all("[data-example]").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", () => {
      tryRow(data.sizes[at].examples[Number(button.dataset.example)]);
    });
  });
  all("[data-statement]").forEach((button) => {
    if (!data.sample.rows.length) return;
    button.hidden = false;
    button.addEventListener("click", () => {
      const place = find(button.getAttribute("aria-controls"));
      place.hidden = !place.hidden;
      button.setAttribute("aria-expanded", String(!place.hidden));
      if (!place.hidden) listRows(place, Number(button.dataset.statement), 10);
    });
  });
  all("#goal, #side, [data-may]").forEach((part) => {
    part.addEventListener("input", showNearest);
    part.addEventListener("change", showNearest);
  });
  if (data.predicts === "number" && data.usual !== null) {
    find("goal").value = String(Number(data.usual.toPrecision(3)));
  }
  all("input[name=choose]").forEach((part) => {
    part.addEventListener("change", () => choose(Number(part.value)));
  });
  if (find("size")) find("size").addEventListener("change", (e) => choose(Number(e.target.value)));
  find("answer").hidden = false;
  if (find("size-line")) find("size-line").hidden = false;
  // A dot of the picture chooses its size, as its line in the table does.
  all("[data-dot]").forEach((dot) => {
    dot.addEventListener("click", () => choose(Number(dot.dataset.dot)));
  });
  // On paper, what is folded is open.
  let folded = [];
  window.addEventListener("beforeprint", () => {
    folded = all("details.by-hand:not([open])");
    folded.forEach((part) => { part.open = true; });
  });
  window.addEventListener("afterprint", () => folded.forEach((part) => { part.open = false; }));
  reset();
  if (data.predicts === "number") find("side").value = predict() < data.usual ? "least" : "most";
  choose(at);
}
