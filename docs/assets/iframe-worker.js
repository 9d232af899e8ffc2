/* The search of a site that is read from a folder. Browsers start no worker for file://, so a hidden
   frame runs the worker's script. The theme's scripts look for the name IFrameWorker. */
if (location.protocol === "file:") {
  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const page = frame.contentDocument;
      page.open();
      page.write("<!DOCTYPE html><title>search</title><body>");
      page.close();
      this.inside = frame.contentWindow;
      this.inside.postMessage = data =>
        this.dispatchEvent(new MessageEvent("message", { data }));
      const script = page.createElement("script");
      this.ready = new Promise(done => { script.onload = done; });
      script.src = address;
      page.body.append(script);
    }

    postMessage(data) {
      this.ready.then(() =>
        this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data })));
    }
  };
}
