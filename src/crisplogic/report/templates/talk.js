// In the frame of a widget: what is shown is told to the page around it, which may set a row.
if (typeof document !== "undefined") {
  let turn = 0;
  document.addEventListener("shown", ({ detail }) =>
    window.parent.postMessage({ ...detail, turn }, "*"));
  window.addEventListener("message", ({ source, data }) => {
    if (source !== window.parent) return;
    turn = data.turn;
    document.dispatchEvent(new CustomEvent("wanted", { detail: data }));
  });
}
