if (typeof document !== "undefined") {
  const { token } = JSON.parse(document.getElementById("panel-data").textContent);
  const find = (id) => document.getElementById(id);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const told = (id, text) => {
    find("problem").hidden = find("done").hidden = true;
    find(id).textContent = text;
    find(id).hidden = false;
    find(id).scrollIntoView({ block: "nearest" });
  };
  let busy = false;

  // Asks the server to do something. What it then knows is a new page.
  const post = async (path, body) => {
    if (busy) return null;
    busy = true;
    document.body.setAttribute("aria-busy", "true");
    const slow = setTimeout(() => told("done", "Working ..."), 400);
    try {
      const answer = await fetch(path, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Crisplogic-Token": token },
        body: JSON.stringify(body || {}),
      });
      const found = await answer.json();
      clearTimeout(slow);
      if (answer.ok) return found;
      told("problem", found.error);
    } catch {
      told("problem", "The workbench does not answer. Was it stopped?");
    } finally {
      clearTimeout(slow);
      busy = false;
      document.body.removeAttribute("aria-busy");
    }
    return null;
  };

  const change = async (path, body) => {
    const active = document.activeElement ? document.activeElement.id : "";
    if (await post(path, body)) {
      sessionStorage.setItem("focus", active);
      location.reload();
    }
  };

  all("[data-post]").forEach((button) => {
    button.addEventListener("click", () => change(button.dataset.post));
  });
  all("[data-drop]").forEach((button) => {
    button.addEventListener("click", () => {
      change("edit", { kind: "drop", text: button.dataset.drop, at: Number(button.dataset.at) });
    });
  });
  all("[data-edit]").forEach((form) => {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const fields = new FormData(form);
      const edit = { kind: form.dataset.edit };
      if (form.dataset.text) edit.text = form.dataset.text;
      if (form.dataset.at) edit.at = Number(form.dataset.at);
      if (fields.has("text")) edit.text = fields.get("text");
      if (fields.has("at")) edit.at = Number(fields.get("at"));
      if (fields.has("value")) edit.value = Number(fields.get("value"));
      change("edit", edit);
    });
  });
  find("version").addEventListener("change", (event) => {
    change("go", { at: Number(event.target.value) });
  });
  find("compared").addEventListener("change", (event) => {
    change("compare", { at: Number(event.target.value) });
  });
  if (find("take")) {
    find("take").addEventListener("submit", (event) => {
      event.preventDefault();
      change("take", { size: Number(find("take-size").value) });
    });
  }
  find("save").addEventListener("submit", async (event) => {
    event.preventDefault();
    const saved = await post("save", Object.fromEntries(new FormData(event.target)));
    if (saved) told("done", `Saved to ${saved.file}.`);
  });
  const focus = find(sessionStorage.getItem("focus") || "");
  sessionStorage.removeItem("focus");
  if (focus && !focus.disabled) focus.focus({ preventScroll: true });
}
