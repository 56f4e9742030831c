if (typeof document !== "undefined") {
  const data = JSON.parse(document.getElementById("data").textContent);
  const find = (id) => document.getElementById(id);
  const all = (selector) => [...document.querySelectorAll(selector)];
  // A value that a category does not have: a text, or a number.
  const neverSeen = (column) => {
    if (column.kind === "text") return "\u0000never seen";
    return 1 + Math.max(...column.values.map((pair) => Math.abs(pair[0])));
  };
  const short = (value) =>
    typeof value === "number" ? String(Number(value.toPrecision(6))) : String(value);
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

  // The smallest change of one column that changes the class, by the program itself.
  const nearestChange = () => {
    const before = predict();
    let best = null;
    data.columns.forEach((column, number) => {
      if (!column.sizes.includes(at)) return;
      const now = row[column.name];
      for (const value of column.candidates) {
        if (value === now) continue;
        const isMove = typeof now === "number" && column.values.length === 0;
        const far = isMove ? Math.abs(value - now) / (column.high - column.low) : 0.5;
        if (best && far >= best.far) continue;
        row[column.name] = value;
        const after = predict();
        if (after !== before) best = { number, value, far, after };
      }
      row[column.name] = now;
    });
    return best;
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
      find(`r${number}`).value = String(value);
    }
  };

  const set = (number, value) => {
    row[data.columns[number].name] = value;
    show(number);
  };

  const STATES = { yes: "✓ holds:", no: "✗ fails:", unknown: "? unknown:" };
  const showStatements = () => {
    const values = models[at].statements(row);
    const items = all(`#rules .size[data-size="${at}"] .statements > li`);
    items.forEach((item, number) => {
      const crisp = data.sizes[at].crisp;
      const value = crisp ? 2 * values[number] - 1 : values[number];
      const state = value > 0 ? "yes" : value < 0 ? "no" : "unknown";
      item.dataset.state = state;
      const degree = crisp ? "" : ` (${value.toFixed(2)})`;
      item.querySelector(".state").textContent = STATES[state].replace(":", `${degree}:`);
    });
    return values;
  };

  const reason = (values) => {
    const { kind, needed, total, positive } = data.sizes[at].counting;
    if (kind === "checklist") {
      const count = short(models[at].score(row));
      const what = total === values.length ? "statements hold" : "points are given";
      return `${count} of ${total} ${what}; ${needed} ${needed === 1 ? "is" : "are"} needed for ${data.labels[positive]}.`;
    }
    if (kind !== "scores") return "";
    const scores = models[at].scores(row).map((score, number) => [score, number]);
    scores.sort((a, b) => b[0] - a[0] || a[1] - b[1]);
    const told = scores.slice(0, 4).map(([score, number]) => `${data.labels[number]} ${short(score)}`);
    return `Points: ${told.join(", ")}${scores.length > 4 ? " ..." : ""}.`;
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

  let change = null;
  const showNearest = () => {
    const place = find("nearest");
    change = data.predicts === "class" ? nearestChange() : null;
    find("try-change").hidden = change === null;
    if (data.predicts !== "class") return;
    if (change === null) {
      place.textContent = "No change of a single value would change the class.";
      return;
    }
    const column = data.columns[change.number];
    const now = words(column, row[column.name]);
    place.textContent = `The nearest change: if ${column.name} were ` +
      `${words(column, change.value)} instead of ${now}, the class would be ` +
      `${data.labels[change.after]}.`;
  };

  const update = () => {
    const said = predict();
    find("result").textContent = data.predicts === "class"
      ? `This row is ${data.labels[said]}` : `${data.labels[0]} = ${short(said)}`;
    find("why").textContent = reason(showStatements());
    showChances();
    showNearest();
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
  const reset = () => data.columns.forEach((column, number) => set(number, column.start));
  find("reset").addEventListener("click", () => { reset(); update(); });
  find("try").addEventListener("submit", (event) => event.preventDefault());
  find("try-change").addEventListener("click", () => {
    if (change) set(change.number, change.value);
    update();
  });
  all("[data-example]").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", () => {
      const values = data.sizes[at].examples[Number(button.dataset.example)];
      values.forEach((value, number) => set(number, value));
      update();
      find("rules").scrollIntoView();
    });
  });
  all("input[name=choose]").forEach((part) => {
    part.addEventListener("change", () => choose(Number(part.value)));
  });
  if (find("size")) find("size").addEventListener("change", (e) => choose(Number(e.target.value)));
  find("try").hidden = find("answer").hidden = false;
  reset();
  choose(at);
}
