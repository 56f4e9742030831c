// The page of a report in a frame that neither its script nor its style can leave. It and the
// model in Python follow each other.
function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.title = "report";
  frame.sandbox = "allow-scripts";
  frame.srcdoc = model.get("page");
  frame.style = `width: 100%; height: ${model.get("height")}px; border: 1px solid #ccc`;
  const state = () => ({ row: model.get("row"), literals: model.get("literals") });
  // What the page tells was shown before it heard of the last turn is out of date.
  let turn = -1;
  let hearing = false;
  const hear = ({ source, data }) => {
    if (source !== frame.contentWindow || data.turn < turn) return;
    const { turn: heard, ...told } = data;
    turn = heard;
    hearing = true;
    Object.entries(told).forEach(([name, value]) => model.set(name, value));
    hearing = false;
    model.save_changes();
  };
  const tell = () => {
    if (turn < 0 || hearing) return;
    turn += 1;
    frame.contentWindow.postMessage({ ...state(), turn }, "*");
  };
  window.addEventListener("message", hear);
  model.on("change:row", tell);
  model.on("change:literals", tell);
  el.append(frame);
  return () => window.removeEventListener("message", hear);
}

export default { render };
