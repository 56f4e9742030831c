// In the frame of a widget: what is shown is told to the page around it, which may set a row.
if (typeof document !== "undefined") {
  document.addEventListener("shown", ({ detail }) => window.parent.postMessage(detail, "*"));
  window.addEventListener("message", ({ source, data }) => {
    if (source !== window.parent) return;
    document.dispatchEvent(new CustomEvent("wanted", { detail: data }));
  });
}
