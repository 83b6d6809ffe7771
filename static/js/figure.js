// A figure as the server sends it, made ready for plotly: hovers from columns, and all points where the reader zooms in.

/** With at most this many points in view, a thinned trace shows them all. */
const SHOW_ALL_UP_TO = 600;
const TICK_WIDTH = 104;
const LETTERS = 12;

/** What a replay or run says of itself, in plotly's small HTML; label, note and names come escaped. */
const hovers = ({ label, note, at, names, printed }) =>
  label.map((name, place) => {
    const lines = [name]; // in bold plotly would set a style attribute, which the CSP refuses
    printed[place].split(" ").forEach((number, which) => number && lines.push(`${names[which]} ${number}`));
    if (note[place]) lines.push(note[place]);
    if (at[place] === null) lines.push("no readable time");
    else if (at[place] !== false) lines.push(new Date(at[place] * 1000).toISOString().slice(0, 16).replace("T", " ") + " UTC");
    return lines.join("<br>");
  });

const shorten = (label) => {
  const plain = label.replaceAll("<br>", "");
  const letters = plain.match(/&\w+;|.(?:[\p{M}\ufe0e\ufe0f\u{1f3fb}-\u{1f3ff}]|\u200d.)*/gsu) ?? [];
  if (letters.length <= LETTERS) return plain;
  const head = Math.floor((LETTERS - 1) / 2);
  return letters.slice(0, head).join("") + "…" + letters.slice(letters.length - (LETTERS - 1 - head)).join("");
};

/** One figure of the server. `data` and `layout` are what plotly draws first. */
export class Figure {
  constructor({ data, layout, slots, thinned }) {
    this.data = data;
    this.layout = layout;
    this.slots = slots;
    this.thinned = thinned;
    this.hovers = hovers(slots);
    this.inTime = layout.xaxis.type === "date";
    for (const trace of data) this.#say(trace);
    this.first = Object.fromEntries(
      Object.keys(thinned).map((index) => [index, (({ x, y, text, customdata }) => ({ x, y, text, customdata }))(data[index])]),
    );
  }

  #say(trace) {
    if (trace.hoverinfo === "skip") return;
    trace.customdata ??= trace.x;
    trace.text = trace.customdata.map((place) => (place === null ? null : this.hovers[place]));
  }

  /** The id of the replay under a point of plotly's click or hover event. */
  idOf(point) {
    return this.slots.id[point.customdata];
  }

  /** The thinned traces for x from `low` to `high` in the axis's own units: [{index, x, y, text, customdata}]. */
  refine(low, high) {
    return Object.entries(this.thinned).map(([index, { of, places }]) => {
      const all = places ?? [...this.hovers.keys()].filter((place) => this.#y(of, place) !== null);
      const inside = [];
      for (const place of all) {
        const x = this.#x(place);
        if (x >= low && x <= high) inside.push(place);
      }
      const first = this.first[index];
      if (inside.length > SHOW_ALL_UP_TO) return { index: Number(index), ...first };
      const sticks = of === "delta";
      const trace = {
        x: inside.flatMap((place) => (sticks ? [this.#x(place), this.#x(place), null] : [this.#x(place)])),
        y: inside.flatMap((place) => (sticks ? [0, this.#y(of, place), null] : [this.#y(of, place)])),
        customdata: inside.flatMap((place) => (sticks ? [place, place, null] : [place])),
      };
      this.#say(trace);
      return { index: Number(index), ...trace };
    });
  }

  /** The ticks for a zoomed slot axis, as many as fit into `width` pixels; null on the time axis, where plotly knows. */
  ticks(low, high, width) {
    if (this.inTime) return null;
    const from = Math.max(0, Math.ceil(low));
    const to = Math.min(this.slots.label.length - 1, Math.floor(high));
    const step = Math.max(1, Math.ceil((to - from + 1) / Math.max(2, Math.floor(width / TICK_WIDTH))));
    const tickvals = [];
    for (let place = from; place <= to; place += step) tickvals.push(place);
    return { tickvals, ticktext: tickvals.map((place) => shorten(this.slots.label[place])) };
  }

  #x(place) {
    return this.inTime ? this.slots.x[place] : place;
  }

  /** Where a mark of this kind stands; null where a line has no point. */
  #y(of, place) {
    if (of === "rail") return 0;
    if (of === "above") return 1;
    return this.slots[of][place];
  }
}
