// The page of a report in a frame that neither its script nor its style can leave. It and the
// model in Python follow each other.
function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.title = "report";
  frame.sandbox = "allow-scripts";
  frame.srcdoc = model.get("page");
  frame.style = `width: 100%; height: ${model.get("height")}px; border: 1px solid #ccc`;
  const state = () => ({ row: model.get("row"), literals: model.get("literals") });
  let known = null;
  const hear = ({ source, data }) => {
    if (source !== frame.contentWindow) return;
    known = JSON.stringify({ row: data.row, literals: data.literals });
    Object.entries(data).forEach(([name, value]) => model.set(name, value));
    model.save_changes();
  };
  const tell = () => {
    if (known === null || JSON.stringify(state()) === known) return;
    frame.contentWindow.postMessage(state(), "*");
  };
  window.addEventListener("message", hear);
  model.on("change:row", tell);
  model.on("change:literals", tell);
  el.append(frame);
  return () => window.removeEventListener("message", hear);
}

export default { render };
