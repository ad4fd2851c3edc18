/* Painting a hand: keys, slots, chips, text field, state and conflict. It reads the hand and never changes it.

   Names of cards are those of the keys, which the server wrote; a card in a slot is drawn from its key. */

export const fill = (text, ...values) => text.replace(/\{(\d)\}/g, (_, place) => values[place]);

const JOKER_SHAPES = { X1: "star", X2: "star-hollow" };

function make(name, className, text = "") {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

function shape(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "pcard-suit");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `#${name}`);
  svg.append(use);
  return svg;
}

const set = (element, name, value) => {
  if (value === null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
};

/* The card in a slot, or its empty place, drawn anew only where it is another than the one there. */
export function drawFace(button, card) {
  if (button.dataset.shows === card) return;
  button.dataset.shows = card;
  const face = button.firstElementChild;
  face.className = `pcard ${face.classList[1]}`;
  face.replaceChildren();
  if (!card) face.classList.add("pcard-slot");
  else if (card in JOKER_SHAPES) {
    face.classList.add("suit-joker");
    face.append(make("span", "pcard-rank", "Jk"), shape(JOKER_SHAPES[card]));
  } else {
    face.classList.add(`suit-${card[1]}`);
    face.classList.toggle("is-ten", card[0] === "T");
    face.append(make("span", "pcard-rank", card[0].replace("T", "10")), shape(`suit-${card[1]}`));
  }
}

export class Painter {
  constructor(page, hand, words) {
    Object.assign(this, { hand, words });
    const find = (selector) => page.querySelector(selector);
    this.keys = [...page.querySelectorAll(".keys > button")];
    this.cardKeys = this.keys.filter((key) => key.dataset.card);
    this.names = Object.fromEntries(this.cardKeys.map((key) => [key.dataset.card, key.lastElementChild.textContent]));
    this.deck = this.cardKeys.map((key) => key.dataset.card).filter((card) => !(card in JOKER_SHAPES));
    this.slots = [...page.querySelectorAll(".slot")];
    this.chips = [...page.querySelectorAll(".chip")];
    this.outs = [...page.querySelectorAll("[data-do=out]")];
    this.counts = [...page.querySelectorAll("[data-count]")];
    this.setup = find(".slots");
    this.sitsOut = find(".entry-sits-out");
    this.outNow = find(".entry-out");
    this.fantasyland = find(".entry-fantasyland");
    this.discards = find(".slots-discards");
    this.discarding = [...page.querySelectorAll("[data-do=discards]")];
    this.done = find(".entry-done");
    this.box = find(".entry-field");
    this.label = find(".entry-field > .name");
    this.mirror = find(".entry-mirror");
    this.said = find(".entry-said");
    this.fault = find("#entry-fault");
    this.live = find("#entry-live");
    this.state = find("#entry-status");
    this.count = this.unsafe = "";
    this.tabStop = this.keys[0];
    for (const key of this.keys) key.tabIndex = key === this.tabStop ? 0 : -1;
  }

  nameOf(card) { return this.names[card]; }
  placeOf(slot) { return slot.group.seat === null ? slot.group.name : `${slot.group.name}, ${this.rowWord(slot)}`; }
  rowWord(slot) { return this.words[slot.row.split("_")[0]]; }

  /* The slot that a button stands for: those of a seat are the ones of the seat in view. */
  slotOf(button, now) {
    const { row, place } = button.dataset;
    return this.hand.slotAt(row.startsWith("board_") ? row : `${row}_${now.seat.seat}`, Number(place));
  }

  all(now) {
    const held = new Set(this.hand.cards.values());
    for (const key of this.cardKeys) {
      const card = key.dataset.card;
      const isUsed = held.has(card);
      const isBarred = card in JOKER_SHAPES && (!this.hand.layout.jokers || now.slot?.group.seat === null);
      key.classList.toggle("is-used", isUsed);
      set(key, "aria-disabled", isUsed || isBarred ? true : null);
    }
    const isIdle = this.hand.isIdle(now.seat);
    for (const button of this.slots) this.slot(button, this.slotOf(button, now), now);
    this.chips.forEach((chip) => this.chip(chip, now));
    this.setup.hidden = isIdle;
    this.sitsOut.hidden = !isIdle;
    this.sitsOut.firstElementChild.textContent = fill(this.idleWords(now.seat), now.seat.name);
    this.outNow.hidden = this.hand.filled(now.seat) > 0;
    if (this.fantasyland) this.fantasyland.value = this.hand.mark(now.seat, "fantasyland");
    if (this.discards) this.discards.hidden = !now.seat.slots.some((one) => one.row.startsWith("discards_"));
    for (const button of this.discarding) set(button, "aria-pressed", this.hand.withDiscards);
    for (const button of this.outs) {
      const one = this.hand.group(`seat_${button.dataset.seat}`);
      set(button, "aria-pressed", this.hand.isOut(one));
    }
    const { count, needed, isComplete, hasEnoughSeats, layout } = this.hand;
    const text = hasEnoughSeats ? fill(this.words.count, count, needed) : fill(this.words.too_few, layout.fewest_seats);
    // On a low screen the state has no line of its own: what is not safe yet stands where the count does.
    this.count = text;
    this.tellCount();
    this.done.hidden = !isComplete;
    this.box.classList.toggle("is-complete", isComplete);
  }

  idleWords(one) { return this.hand.isOut(one) ? this.words.seat_out : this.words.seat_gone; }

  slot(button, slot, now) {
    button.hidden = !slot.group.slots.includes(slot);
    const card = this.hand.cards.get(slot) ?? "";
    const isNext = slot === now.slot;
    const face = button.firstElementChild;
    drawFace(button, card);
    face.classList.toggle("is-next", isNext);
    set(button, "aria-current", isNext ? true : null);
    const words = fill(this.words.slot, this.placeOf(slot), slot.place + 1, this.names[card] ?? this.words.empty);
    if (button.lastElementChild.textContent !== words) button.lastElementChild.textContent = words;
  }

  chip(chip, now) {
    const one = this.hand.group(`seat_${chip.dataset.seat}`);
    const [filled, isIdle] = [this.hand.filled(one), this.hand.isIdle(one)];
    const fantasyland = this.hand.mark(one, "fantasyland");
    chip.classList.toggle("is-now", one === now.seat);
    chip.classList.toggle("is-full", filled === one.slots.length);
    chip.classList.toggle("is-out", isIdle);
    chip.querySelector(".chip-out").textContent = this.hand.isGone(one) ? this.words.surrendered : this.words.out;
    const mark = chip.querySelector(".chip-mark");
    if (mark) mark.textContent = fantasyland ? `F ${fantasyland}` : "";
    set(chip, "aria-current", one === now.seat ? true : null);
    const count = isIdle ? fill(this.idleWords(one), one.name) : fill(this.words.seat_count, one.name, filled, one.slots.length);
    set(chip, "aria-label", fantasyland ? `${count}, ${fill(this.words.fantasyland, fantasyland)}` : count);
    [...chip.querySelector(".dots").children].forEach((dot, place) => dot.classList.toggle("is-full", place < filled));
  }

  /* The text field's name, and what is wrong in it: underlined in place, named beside it. */
  field(now, input) {
    this.label.textContent = now.group.name;
    this.mirror.replaceChildren();
    let start = 0;
    for (const fault of now.faults) {
      this.mirror.append(input.value.slice(start, fault.start), make("u", "", input.value.slice(fault.start, fault.end)));
      start = fault.end;
    }
    this.mirror.append(input.value.slice(start));
    this.mirror.scrollLeft = input.scrollLeft;
    const [first] = now.faults;
    this.box.classList.toggle("is-invalid", Boolean(first));
    set(input, "aria-invalid", first ? true : null);
    this.said.textContent = first ? fill(this.words[first.kind], first.token) : "";
    const sentence = first ? fill(this.words[`${first.kind}_long`], first.token, first.where ? this.placeOf(first.where) : "") : "";
    if (this.fault.textContent !== sentence) this.fault.textContent = sentence;
  }

  say(text) { this.live.textContent = text; }

  /* A short word in the text field, until something else is painted. */
  tell(text) {
    this.said.textContent = text;
    this.say(text);
  }

  tellCount() {
    for (const element of this.counts) element.textContent = (element.closest(".entry-field") && this.unsafe) || this.count;
  }

  status(name) {
    clearTimeout(this.later);
    // A state that lasts less than a second is none.
    if (name === "sending") { this.later = setTimeout(() => this.status("phone"), 1500); return; }
    const isSafe = name === "phone_and_server" || name === "server";
    this.unsafe = isSafe || name === "nothing" ? "" : this.words[name === "unsaved" ? "unsaved" : "offline"];
    this.tellCount();
    if (name === "nothing") return;
    const text = name === "offline" ? this.words.phone : this.words[name];
    const icon = shape(isSafe ? "icon-check" : "icon-clock");
    icon.setAttribute("class", "icon");
    icon.setAttribute("viewBox", "0 0 24 24");
    this.state.replaceChildren(icon, text);
  }

  begunBy(name) { this.state.textContent = fill(this.words.begun_by, name); }
  refuse(sentence) { this.state.textContent = sentence; this.fault.textContent = sentence; }

  /* Arrow keys walk the grid; only one key of it is a stop for Tab. */
  moveInGrid(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 7, ArrowUp: -7 }[event.key];
    const next = step && this.keys[this.keys.indexOf(event.target) + step];
    if (!next) return false;
    event.preventDefault();
    this.tabStop.tabIndex = -1;
    this.tabStop = next;
    next.tabIndex = 0;
    next.focus();
    return true;
  }

  markWords(marks, one) {
    const fantasyland = marks[`fantasyland_${one.seat}`];
    const words = [fantasyland && fill(this.words.fantasyland, fantasyland), marks[`surrendered_${one.seat}`] && this.words.surrendered];
    return words.filter(Boolean).join(", ");
  }

  /* Both versions of every place that differs, and who wrote the other one when. */
  conflict(dialog, answer, facts, mine) {
    const time = answer && new Date(answer.at).toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
    dialog.querySelector("h2").textContent = answer ? fill(this.words.changed_by, answer.author, time) : this.words.thrown_away;
    const here = mine.facts();
    const lines = [];
    for (const one of mine.groups) {
      const rows = [...new Set(one.all.map((slot) => slot.row))];
      for (const row of rows) {
        const [theirs, ours] = [facts, here].map((side) => (side.rows[row] ?? []).map((card) => card || "_").join(" "));
        if (theirs !== ours) lines.push([this.placeOf(one.all.find((slot) => slot.row === row)), theirs, ours]);
      }
      const marks = [facts, here].map((side) => this.markWords(side.marks ?? {}, one));
      if (marks[0] !== marks[1]) lines.push([one.name, ...marks]);
      if (facts.out.includes(one.seat) !== here.out.includes(one.seat)) {
        lines.push([one.name, ...[facts, here].map((side) => (side.out.includes(one.seat) ? this.words.out : this.words.plays))]);
      }
    }
    dialog.querySelector("tbody").replaceChildren(...lines.map(([where, ...sides]) => {
      const line = document.createElement("tr");
      const head = make("th", "", where);
      head.scope = "row";
      line.append(head, ...sides.map((side) => make("td", "", side || this.words.no_cards)));
      return line;
    }));
  }
}
