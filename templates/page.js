"use strict";
/* Sorts and filters tables, shows a picture's values under the pointer or by arrow keys, and keeps the
   view in the address. The page is whole without it. Words are read and written as text alone. */
(() => {
  const LEAST_SORTED = 3, LEAST_FILTERED = 10;
  const all = (selector, of = document) => [...of.querySelectorAll(selector)];
  const make = (tag, attributes, ...inside) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...inside);
    return made;
  };

  /* The order of cells: numbers by value and unit, other words as people sort them, "-" last. */
  const UNITS = {ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1};
  const inWords = new Intl.Collator("en", {numeric: true});
  const valued = words => {
    const found = /^([-+]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?)(?![\w./:-]*[\d:/])/.exec(words);
    if (!found) return {words, kind: words === "-" || words === "" ? 2 : 1};
    const unit = /\b(ns|us|ms|s)\b/.exec(words);
    const value = Number(found[1].replaceAll(",", "")) * (unit ? UNITS[unit[1]] : 1);
    return {words, kind: 0, value};
  };
  const compared = (a, b) =>
    a.kind - b.kind || (a.kind === 0 ? a.value - b.value : inWords.compare(a.words, b.words));

  /* What is sorted and filtered, by the table's id, and the section looked at: the address. */
  const views = new Map();
  let place = "";
  const write = () => {
    const parts = [...views].flatMap(([id, view]) => view.said(id));
    const said = [place, ...parts].join("&");
    try {
      history.replaceState(null, "", said ? `#${said}` : location.href.split("#")[0]);
    } catch {
      /* a page inside another has no address of its own */
    }
  };
  const read = () => {
    const [where, ...parts] = location.hash.slice(1).split("&");
    const said = new URLSearchParams(parts.join("&"));
    place = where;
    for (const [id, view] of views) view.show(name => said.get(`${id}.${name}`) ?? "");
    const found = place && document.getElementById(place);
    if (!found) return;
    for (const folded of [found.closest("details"), found.querySelector("details")])
      if (folded) folded.open = true;
    if (parts.length) found.scrollIntoView();
  };

  const table = whole => {
    const body = whole.tBodies[0], rows = [...body.rows];
    if (rows.length < LEAST_SORTED) return;
    let above = "";
    for (const row of rows) {
      const first = row.cells[0];
      /* a cell is empty where it would repeat the one above */
      if (first.textContent) above = first.textContent;
      else if (above) {
        first.textContent = above;
        first.className = "again";
      }
    }
    const heads = [...whole.tHead.rows[0].cells];
    const number2words = rows.map(row => row.textContent.toLowerCase());
    const order = new Map(rows.map((row, number) => [row, number]));
    let column = -1, down = false, words = "";
    let input = null, told = null;

    const sort = () => {
      const keys = new Map(rows.map(row => [row, valued(row.cells[column]?.textContent ?? "")]));
      const sorted = [...rows].sort((a, b) => {
        const [one, other] = [keys.get(a), keys.get(b)];
        const unknown = one.kind === 2 || other.kind === 2;
        const found = compared(one, other) * (down && !unknown ? -1 : 1);
        return (column < 0 ? 0 : found) || order.get(a) - order.get(b);
      });
      body.append(...sorted);
      heads.forEach((head, number) => {
        if (head.tagName === "TH")
          head.setAttribute(
            "aria-sort", number !== column ? "none" : down ? "descending" : "ascending");
      });
    };
    const filter = () => {
      const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
      rows.forEach((row, number) => {
        row.hidden = !wanted.every(word => number2words[number].includes(word));
      });
      const left = rows.filter(row => !row.hidden).length;
      if (told) told.textContent = wanted.length ? `${left} of ${rows.length} rows` : "";
    };
    const show = (sorted, filtered) => {
      const found = /^(\d{1,3})(d?)$/.exec(sorted);
      const asked = found && Number(found[1]) < heads.length;
      column = asked ? Number(found[1]) : -1;
      down = Boolean(asked && found[2]);
      words = filtered;
      if (input) input.value = words;
      sort();
      filter();
      whole.classList.toggle("moved", column >= 0 || words !== "");
      if (whole.classList.contains("moved")) {
        const folded = whole.closest("details");
        if (folded) folded.open = true;
      }
    };
    const changed = (sorted, filtered) => {
      show(sorted, filtered);
      write();
    };
    const sorted = () => (column < 0 ? "" : `${column}${down ? "d" : ""}`);

    heads.forEach((head, number) => {
      if (head.tagName !== "TH") return;
      const button = make("button", {type: "button"}, ...head.childNodes);
      head.append(button);
      /* up, down, and as it was */
      button.addEventListener("click", () =>
        changed(column !== number ? `${number}` : down ? "" : `${number}d`, words));
    });
    if (rows.length >= LEAST_FILTERED) {
      const name = whole.caption ? whole.caption.textContent : "";
      input = make("input", {type: "search", "aria-label": `Filter: ${name}`, placeholder: "Filter"});
      told = make("output", {});
      input.addEventListener("input", () => changed(sorted(), input.value));
      whole.closest(".scroll").before(make("p", {class: "filter"}, input, " ", told));
    }
    views.set(whole.id, {
      show: said => show(said("sort"), said("find")),
      said: id => [
        ...(column < 0 ? [] : [`${id}.sort=${sorted()}`]),
        ...(words ? [`${id}.find=${encodeURIComponent(words)}`] : []),
      ],
    });
    sort();
  };

  /* Values of pictures: without the delay of the browser's own, and by keys. */
  const tip = document.body.appendChild(make("div", {class: "tip", role: "status"}));
  const say = (words, x, y) => {
    tip.textContent = words;
    tip.style.left = `${Math.max(4, Math.min(x + 12, innerWidth - tip.offsetWidth - 4))}px`;
    const below = y + 18, fits = below + tip.offsetHeight < innerHeight;
    tip.style.top = `${fits ? below : Math.max(4, y - tip.offsetHeight - 12)}px`;
  };
  const hush = () => {
    tip.textContent = "";
    for (const one of all(".here")) one.classList.remove("here");
  };
  const picture = drawn => {
    const told = new Map();
    for (const title of all("title", drawn)) {
      if (title.parentElement === drawn) drawn.setAttribute("aria-label", title.textContent);
      else told.set(title.parentElement, title.textContent);
      title.remove();
    }
    if (!told.size) return;
    const shapes = [...told.keys()];
    let at = -1;
    drawn.tabIndex = 0;
    drawn.addEventListener("pointermove", event => {
      let under = event.target;
      while (under !== drawn && !told.has(under)) under = under.parentElement;
      if (under === drawn) hush();
      else say(told.get(under), event.clientX, event.clientY);
    });
    drawn.addEventListener("pointerleave", hush);
    drawn.addEventListener("blur", hush);
    drawn.addEventListener("keydown", event => {
      const last = shapes.length - 1;
      const to = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: last}[event.key];
      if (event.key === "Escape") hush();
      if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      at = Math.max(0, Math.min(to, last));
      hush();
      const shape = shapes[at], box = shape.getBoundingClientRect();
      shape.classList.add("here");
      say(told.get(shape), box.left, box.bottom - 12);
    });
  };

  /* Along x a picture is drawn in percent: a wider one shows more of short times. */
  const MOST = 64;
  const zoomed = drawn => {
    const name = drawn.getAttribute("aria-label");
    const frame = make("div", {class: "scroll", role: "group", tabindex: "0", "aria-label": name});
    let times = 1;
    const zoom = to => {
      const middle = (frame.scrollLeft + frame.clientWidth / 2) / frame.scrollWidth;
      times = Math.max(1, Math.min(to || 1, MOST));
      drawn.style.width = `${100 * times}%`;
      frame.scrollLeft = middle * frame.scrollWidth - frame.clientWidth / 2;
    };
    const buttons = [["Zoom in", 2], ["Zoom out", 0.5]].map(([words, by]) => {
      const button = make("button", {type: "button"}, words);
      button.addEventListener("click", () => {
        zoom(times * by);
        write();
      });
      return button;
    });
    drawn.replaceWith(make("p", {class: "filter"}, ...buttons), frame);
    frame.append(drawn);
    views.set(frame.closest("figure").id, {
      show: said => zoom(Number(said("zoom"))),
      said: id => (times > 1 ? [`${id}.zoom=${times}`] : []),
    });
  };

  all("table").forEach(table);
  all("svg.picture").forEach(picture);
  all("svg[data-zooms]").forEach(zoomed);
  for (const link of all('a[href^="#"]'))
    link.addEventListener("click", event => {
      event.preventDefault();
      place = link.getAttribute("href").slice(1);
      write();
      document.getElementById(place).scrollIntoView();
    });
  addEventListener("hashchange", read);
  read();
  /* paper has everything */
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = all("details:not([open])");
    for (const each of folded) each.open = true;
  });
  addEventListener("afterprint", () => {
    for (const each of folded) each.open = false;
  });
})();
