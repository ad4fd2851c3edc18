/* A hand while it is entered: which slots there are, which card lies in which, and what a typed text means.

   It knows no page and no server. Facts are what a draft keeps: the cards of every row by the name of its field,
   "" where one is missing, the seats that sit out, and marks by the name of their field (cards in Fantasyland, a
   surrender). The server reads every text again when the hand is saved. */

const BOARD_SIZE = 5;
const FLOP = 3;
const DECK = 52;
const JOKERS = ["X1", "X2"];
const GLYPHS = { "♣": "c", "♧": "c", "♦": "d", "♢": "d", "♥": "h", "♡": "h", "♠": "s", "♤": "s" };

const RANK = "10|[2-9TJQKA]";
const SUIT = `[cdhs${Object.keys(GLYPHS).join("")}][\\ufe0e\\ufe0f]?`;
const ONE = `(?<joker>X[12]|JOKER(?:1(?!0)|2)?|JK)|(?<rank>${RANK})(?<suit>${SUIT})|(?<suitFirst>${SUIT})(?<rankLast>${RANK})`;
const CARD_HERE = new RegExp(ONE, "iy");
const CARD_LATER = new RegExp(ONE, "ig");
const SEPARATOR = /[\s,/\ufe0e\ufe0f]/;
// What is no card yet, but may become one with the next letter.
const BEGUN = new RegExp(`^(?:1|${RANK}|${SUIT}1?|X|JO|JOK|JOKE)$`, "i");
const HOLE = "_";

/* The tokens of a text: {text, start, end, card}, where card is null for what cannot be read and "" for a hole. */
export function tokens(text) {
  const found = [];
  let start = 0;
  while (start < text.length) {
    if (SEPARATOR.test(text[start])) { start += 1; continue; }
    const token = text[start] === HOLE ? { end: start + 1, card: "" } : cardAt(text, start) ?? unreadAt(text, start);
    found.push({ text: text.slice(start, token.end), start, ...token });
    start = token.end;
  }
  return nameJokers(found);
}

function cardAt(text, start) {
  CARD_HERE.lastIndex = start;
  const match = CARD_HERE.exec(text);
  if (!match) return null;
  const { joker, rank, suit, suitFirst, rankLast } = match.groups;
  const end = start + match[0].length;
  if (joker) return { end, card: /[12]$/.test(joker) ? `X${joker.at(-1)}` : "X" };
  const shape = (suit ?? suitFirst)[0].toLowerCase();
  return { end, card: (rank ?? rankLast).toUpperCase().replace("10", "T") + (GLYPHS[shape] ?? shape) };
}

function unreadAt(text, start) {
  // What cannot be read ends where a card, a hole or a gap begins.
  CARD_LATER.lastIndex = start;
  const next = CARD_LATER.exec(text)?.index ?? text.length;
  const gap = text.slice(start).search(/[\s,/_]/);
  return { end: Math.min(next, gap < 0 ? text.length : start + gap), card: null };
}

/* A joker without a number is the one that the text does not name. */
function nameJokers(found) {
  for (const token of found) {
    if (token.card !== "X") continue;
    token.card = JOKERS.find((joker) => !found.some((other) => other.card === joker)) ?? JOKERS[0];
    token.isUnnumbered = true;
  }
  return found;
}

export class Hand {
  /* layout: {boards, jokers, rows: {top: 3 ...}, discards, cards_dealt, fewest_seats, seats: [{number, name}], boardName,
     by_street}; discards are the most of a seat, boardName makes a board's name, and by_street says that boards are
     filled as they come, the flop of each, then the turns. */
  constructor(layout, facts) {
    this.layout = layout;
    const boards = Array.from({ length: layout.boards }, (_, place) => group(
      `board_${place + 1}`, layout.boardName(place + 1), null, [[`board_${place + 1}`, BOARD_SIZE]]));
    const seats = layout.seats.map((seat) => group(
      `seat_${seat.number}`, seat.name, seat.number,
      Object.entries({ ...layout.rows, discards: layout.discards }).map(([row, size]) => [`${row}_${seat.number}`, size])));
    this.groups = [...boards, ...seats];
    this.setupSize = Object.values(layout.rows).reduce((sum, size) => sum + size, 0);
    this.withDiscards = false;
    this.load(facts);
  }

  load(facts) {
    this.out = new Set(facts.out);
    this.marks = new Map(Object.entries(facts.marks ?? {}));
    this.cards = new Map();
    for (const slot of this.groups.flatMap((one) => one.all)) {
      const card = facts.rows[slot.row]?.[slot.place];
      if (card) this.cards.set(slot, card);
    }
    this.withDiscards ||= [...this.cards.keys()].some(isDiscard);
    this.arrange();
  }

  /* The slots of a seat that count: how many cards are discarded depends on how many are dealt. */
  arrange() {
    for (const one of this.groups) {
      const discards = this.withDiscards ? (this.mark(one, "fantasyland") || this.layout.cards_dealt) - this.setupSize : 0;
      one.slots = one.all.filter((slot) => !isDiscard(slot) || slot.place < discards);
      for (const slot of one.all) if (!one.slots.includes(slot)) this.cards.delete(slot);
    }
  }

  mark(one, name) { return this.marks.get(`${name}_${one.seat}`) ?? 0; }
  setMark(one, name, value) {
    if (value) this.marks.set(`${name}_${one.seat}`, value); else this.marks.delete(`${name}_${one.seat}`);
    if (this.isGone(one)) this.clear(one);
    this.arrange();
  }

  toggleDiscards() {
    this.withDiscards = !this.withDiscards;
    this.arrange();
  }

  /* In one form, so that the same cards are the same text here and on the server. */
  facts() {
    const rows = {};
    for (const slot of this.groups.flatMap((one) => one.all).sort((a, b) => (a.row < b.row ? -1 : a.row > b.row ? 1 : 0))) {
      (rows[slot.row] ??= [])[slot.place] = this.cards.get(slot) ?? "";
    }
    for (const [row, cards] of Object.entries(rows)) if (!cards.some(Boolean)) delete rows[row];
    const facts = { rows, out: [...this.out].sort() };
    if (this.marks.size) facts.marks = Object.fromEntries([...this.marks].sort(([a], [b]) => (a < b ? -1 : 1)));
    return facts;
  }

  isOut(one) { return one.seat !== null && this.out.has(one.seat); }
  get playing() { return this.groups.filter((one) => !this.isOut(one)); }
  isGone(one) { return this.mark(one, "surrendered") > 0; }
  /* Of such a seat no card is asked for. */
  isIdle(one) { return this.isOut(one) || this.isGone(one); }
  get slots() { return this.groups.filter((one) => !this.isIdle(one)).flatMap((one) => one.slots); }
  get needed() { return this.slots.length; }
  get count() { return this.slots.filter((slot) => this.cards.has(slot)).length; }
  get hasEnoughSeats() { return this.playing.length - this.layout.boards >= this.layout.fewest_seats; }
  get isComplete() { return this.hasEnoughSeats && this.count === this.needed; }

  group(key) { return this.groups.find((one) => one.key === key); }
  slotAt(row, place) { return this.groups.flatMap((one) => one.all).find((slot) => slot.row === row && slot.place === place); }
  holder(card) { return [...this.cards].find(([, held]) => held === card)?.[0] ?? null; }
  filled(one) { return one.slots.filter((slot) => this.cards.has(slot)).length; }
  emptyIn(one) { return one.slots.find((slot) => !this.cards.has(slot)) ?? null; }

  /* The slots in the order in which they are filled. */
  get order() {
    return this.layout.by_street ? [...this.slots].sort((one, other) => streetOf(one) - streetOf(other)) : this.slots;
  }

  /* The next empty slot behind this one, else the first; null in a full hand. On streets it is always the first. */
  nextEmpty(slot = null) {
    const order = this.order;
    const empty = order.filter((one) => !this.cards.has(one));
    const behind = this.layout.by_street ? null : empty.find((one) => order.indexOf(one) > order.indexOf(slot));
    return behind ?? empty[0] ?? null;
  }

  /* The last slot with a card that may be taken back; where boards come by street the setups are locked. */
  get lastFilled() {
    return this.order.filter((one) => this.cards.has(one) && !(this.layout.by_street && one.group.seat !== null)).at(-1) ?? null;
  }

  mayLie(card, slot) { return !JOKERS.includes(card) || (this.layout.jokers > 0 && slot.group.seat !== null); }
  place(slot, card) { this.cards.set(slot, card); }

  /* What lies in two slots changes places; false where a joker would come onto a board. */
  swap(one, other) {
    const [here, there] = [this.cards.get(one), this.cards.get(other)];
    if ((here && !this.mayLie(here, other)) || (there && !this.mayLie(there, one))) return false;
    for (const [slot, card] of [[one, there], [other, here]]) if (card) this.cards.set(slot, card); else this.cards.delete(slot);
    return true;
  }

  swapBoards() {
    const [one, other] = [this.group("board_1"), this.group("board_2")];
    one.slots.forEach((slot, place) => this.swap(slot, other.slots[place]));
  }

  toggleOut(one) {
    if (this.out.delete(one.seat)) return;
    this.out.add(one.seat);
    this.marks.delete(`surrendered_${one.seat}`);
    this.clear(one);
  }

  clear(one) { for (const slot of one.all) this.cards.delete(slot); }

  /* Where a hand takes the whole deck, its last card is known. */
  fillLast(deck) {
    if (!this.hasEnoughSeats || this.layout.jokers || this.needed !== DECK || this.count !== DECK - 1) return;
    const held = new Set(this.cards.values());
    this.place(this.nextEmpty(), deck.find((card) => !held.has(card)));
  }

  /* A group as text, a gap between rows; what is missing before a card is a hole. */
  text(one) {
    const last = one.slots.findLastIndex((slot) => this.cards.has(slot));
    return one.slots.slice(0, last + 1)
      .map((slot) => (slot.place === 0 && slot !== one.slots[0] ? " " : "") + (this.cards.get(slot) ?? HOLE)).join("");
  }

  /* Lay the cards of a text into a group; a whole hand from its beginning, more than the group holds into what follows.

     Answers {faults: [{kind, token, start, end, where}], hasBegun}: what is wrong with which part of the text, and
     whether its end may become a card. A token with a fault leaves its slot empty. */
  write(one, text) {
    const found = tokens(text);
    const last = found.at(-1);
    const hasBegun = last?.card === null && last.end === text.length && BEGUN.test(last.text);
    if (hasBegun) found.pop();
    const cards = found.filter((token) => token.card);
    const isWhole = cards.length > one.slots.length && cards.length >= this.needed - 1;
    const into = isWhole ? this.slots : [...one.slots, ...this.following(one)];
    if (isWhole) this.cards.clear(); else this.clear(one);
    const faults = [];
    found.forEach((token, place) => {
      if (token.card === "") return;
      const fault = this.faultOf(token, into[place]);
      if (fault) faults.push({ token: token.text, start: token.start, end: token.end, ...fault });
      else this.place(into[place], token.card);
    });
    return { faults, hasBegun, isSpread: found.length > one.slots.length };
  }

  following(one) {
    const order = this.slots;
    return order.slice(order.indexOf(one.slots.at(-1)) + 1).filter((slot) => !this.cards.has(slot));
  }

  faultOf(token, slot) {
    if (token.card === null) return { kind: "unread" };
    if (!slot) return { kind: "too_many" };
    if (token.isUnnumbered && this.holder(token.card)) token.card = JOKERS.find((joker) => joker !== token.card);
    if (!this.mayLie(token.card, slot)) return { kind: "no_joker" };
    const where = this.holder(token.card);
    return where ? { kind: "used", where } : null;
  }

  /* Lines that begin with a name ("Ana: Js / Qd7s / Ad9s9h5c", "Board 1 ..."): [group, rest] of each, or null. */
  named(text) {
    const lines = text.split(/[\r\n]+/).filter((line) => line.trim());
    const read = lines.map((line) => {
      for (const one of this.playing.filter((each) => !this.isGone(each))) {
        for (const name of [one.name, one.seat === null ? null : `seat ${one.seat}`]) {
          const head = name && line.trim().slice(0, name.length);
          const rest = line.trim().slice(name?.length);
          if (head?.toLowerCase() === name?.toLowerCase() && /^\s*[:\s]/.test(rest)) return [one, rest.replace(/^\s*:/, "")];
        }
      }
      return null;
    });
    return read.length && read.every(Boolean) ? read : null;
  }
}

function group(key, name, seat, rows) {
  const one = { key, name, seat };
  one.all = rows.flatMap(([row, size]) => Array.from({ length: size }, (_, place) => ({ row, place, group: one })));
  return one;
}

/* Seats come after all streets. */
const streetOf = (slot) => (slot.group.seat === null ? Math.max(0, slot.place - FLOP + 1) : BOARD_SIZE);
const isDiscard = (slot) => slot.row.startsWith("discards_");
