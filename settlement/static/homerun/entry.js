/* The entry page: keys, slots, chips and text field, all one hand (entry-hand.js), kept as a draft (entry-draft.js).

   Every change goes through `change`, which remembers the hand before it for Undo, keeps the draft and paints. Scores
   come from the server: a complete hand is sent to be checked, and saved from there. */

import { Hand, tokens } from "./entry-hand.js";
import { Draft, unsentDraft } from "./entry-draft.js";
import { Painter, fill } from "./entry-paint.js";

const data = JSON.parse(document.getElementById("entry-data").textContent);
const words = data.words;
const page = document.body;
const field = document.getElementById("entry-text");
const checked = document.getElementById("check");
const conflict = document.getElementById("conflict");
const throwing = document.getElementById("throw-away");
const saving = document.getElementById("save");
const FRESH = 350;
const token = document.querySelector("#hand-form [name=csrfmiddlewaretoken]").value;

const hand = new Hand({ ...data, boardName: (number) => fill(words.board, number) }, data.facts);
const paint = new Painter(document, hand, words);
const deck = paint.deck;

// The group in the text field, the seat whose slots are in view, the slot that the next card fills, and whether
// that slot was chosen by hand, so that what lies in it is replaced or swapped.
const now = { group: null, seat: null, slot: null, isPicked: false, faults: [] };
const before = [];
let theirs = null;

/* ---------------------------------------------------------------- changing the hand */

/* Do something to the hand; `then` says where to go on. */
function change(act, { says = "", then = goOn, isTyping = false } = {}) {
  const old = JSON.stringify(hand.facts());
  act();
  hand.fillLast(deck);
  const facts = hand.facts();
  if (JSON.stringify(facts) !== old) {
    if (!draft.change(facts)) return;
    before.push(old);
    // A reload comes back to this draft.
    if (!location.search.includes(data.key)) history.replaceState(history.state, "", `?draft=${data.key}`);
  }
  then();
  show({ isTyping });
  if (says) paint.say(says);
}

function goTo(slot, isPicked = false) {
  now.slot = slot;
  now.isPicked = isPicked;
  now.faults = [];
  if (slot) now.group = slot.group;
  if (now.group.seat !== null) now.seat = now.group;
}

const goOn = () => goTo(hand.nextEmpty(now.slot));

function show({ isTyping = false } = {}) {
  paint.all(now);
  if (!isTyping) field.value = hand.text(now.group);
  paint.field(now, field);
}

function pressKey(card) {
  const slot = now.slot && (now.isPicked || !hand.cards.has(now.slot)) ? now.slot : hand.nextEmpty();
  const holder = hand.holder(card);
  if (holder) { paint.tell(fill(words.held, paint.placeOf(holder))); return; }
  if (!slot || !hand.mayLie(card, slot)) return;
  change(() => hand.place(slot, card), { says: fill(words.put, paint.placeOf(slot), paint.nameOf(card)) });
  checkWhenComplete();
}

function pressSlot(slot) {
  const picked = now.isPicked && now.slot !== slot ? now.slot : null;
  const isSwap = picked && hand.cards.has(picked) && hand.cards.has(slot);
  if (isSwap) change(() => hand.swap(picked, slot));
  else if (now.isPicked && now.slot === slot) { goOn(); show(); }
  else { goTo(slot, hand.cards.has(slot)); show(); }
}

function pressChip(group) {
  const empty = hand.isIdle(group) ? null : hand.emptyIn(group);
  // A card that was picked stays so where the seat has no place for the next one: the two can be swapped.
  const kept = !empty && now.isPicked ? now.slot : null;
  goTo(empty ?? kept, Boolean(kept));
  now.group = now.seat = group;
  show();
}

function undo() {
  if (before.length) restore(JSON.parse(before.pop()));
  else if (hand.lastFilled) {
    const last = hand.lastFilled;
    change(() => hand.cards.delete(last), { then: () => goTo(last) });
    before.pop();
  }
}

function restore(facts) {
  const changed = hand.slots.filter((slot) => (facts.rows[slot.row]?.[slot.place] ?? "") !== (hand.cards.get(slot) ?? ""));
  hand.load(facts);
  draft.change(hand.facts());
  const back = changed.find((slot) => !hand.isIdle(slot.group));
  goTo(back && !hand.cards.has(back) ? back : hand.nextEmpty());
  if (back) now.group = back.group;
  show();
}

function toggleOut(group) {
  change(() => hand.toggleOut(group), { then: () => {
    goTo(hand.isOut(group) ? hand.nextEmpty(group.slots.at(-1)) : hand.emptyIn(group));
  } });
}

function mark(group, name, value) {
  change(() => hand.setMark(group, name, value), { then: () => {
    goTo((hand.isIdle(group) ? null : hand.emptyIn(group)) ?? hand.nextEmpty());
    now.seat = group;
  } });
  if (value && name === "surrendered") checkWhenComplete();
}

/* ---------------------------------------------------------------- the text field */

function typed(isFinal = false) {
  let result;
  const group = now.group;
  if (hand.isIdle(group)) return;
  change(() => { result = hand.write(group, field.value); }, { isTyping: true, then: () => {
    const isDone = !result.faults.length && !result.hasBegun && (result.isSpread || !hand.emptyIn(group));
    if (isDone && field.selectionEnd === field.value.length) { goOn(); return; }
    const last = group.slots.findLastIndex((slot) => hand.cards.has(slot));
    now.slot = group.slots[last + 1] ?? hand.emptyIn(group);
    now.isPicked = false;
  } });
  now.faults = result.faults;
  if (result.hasBegun && isFinal) {
    const rest = field.value.match(/[^\s,/]+$/)[0];
    now.faults = [...now.faults, { kind: "unread", token: rest, start: field.value.length - rest.length, end: field.value.length }];
  }
  const stays = now.group === group;
  show({ isTyping: stays });
  if (!now.faults.length) checkWhenComplete();
}

/* Enter: on to the next group, or to the check of a full hand. */
function enter() {
  const group = now.group;
  typed(true);
  if (hand.isComplete) { if (!page.classList.contains("is-checking")) check(); return; }
  if (now.faults.length || now.group !== group) return;
  goTo(hand.nextEmpty(group.slots.at(-1)));
  show();
}

function paste(text) {
  const lines = hand.named(text);
  if (!lines) {
    if (tokens(text).length >= hand.needed - 1) { now.group = hand.groups[0]; field.value = ""; }
    field.setRangeText(text.replace(/[\r\n]+/g, " / "), field.selectionStart, field.selectionEnd, "end");
    typed(true);
    return;
  }
  let wrong = null;
  change(() => {
    for (const [group] of lines) hand.clear(group);
    for (const [group, rest] of lines) {
      const { faults } = hand.write(group, rest);
      if (faults.length && !wrong) wrong = { group, rest, faults };
    }
  });
  if (!wrong) { checkWhenComplete(); return; }
  pressChip(wrong.group);
  now.faults = wrong.faults;
  field.value = wrong.rest;
  show({ isTyping: true });
}

async function pasteByButton() {
  try { paste(await navigator.clipboard.readText()); }
  catch { field.focus(); paint.say(words.nothing_copied); field.placeholder = words.nothing_copied; }
}

/* ---------------------------------------------------------------- check and save */

function checkWhenComplete() { if (hand.isComplete) check(); }

function filledForm() {
  const form = new FormData();
  form.set("csrfmiddlewaretoken", token);
  form.set("client_key", data.key);
  const { rows, marks = {} } = hand.facts();
  for (const [row, cards] of Object.entries(rows)) form.set(row, cards.join(""));
  for (const [name, value] of Object.entries(marks)) form.set(name, value);
  return form;
}

async function send(url, form) {
  try { return await fetch(url, { method: "POST", body: form, headers: { Accept: "text/html, application/json" } }); }
  catch { return null; }
}

function showCheck(html, { isGood = false } = {}) {
  checked.innerHTML = html;
  saving.hidden = !isGood;
  // It appears where the last key was: the second half of a double tap there is no wish to save.
  saving.classList.add("is-fresh");
  setTimeout(() => saving.classList.remove("is-fresh"), FRESH);
}

function tellInCheck(sentence) {
  checked.querySelector(":scope > .alert")?.remove();
  const alert = document.createElement("div");
  alert.className = "alert alert-danger";
  alert.setAttribute("role", "alert");
  alert.textContent = sentence;
  checked.prepend(alert);
  alert.scrollIntoView({ block: "nearest" });
}

async function check() {
  if (!page.classList.contains("is-checking")) history.pushState({ isChecking: true }, "", `?draft=${data.key}`);
  page.classList.add("is-checking");
  checked.hidden = false;
  showCheck("");
  checked.focus({ preventScroll: true });
  scrollTo(0, 0);
  draft.send();
  const answer = await send(data.urls.check, filledForm());
  if (!page.classList.contains("is-checking")) return;
  if (!answer || (answer.status !== 200 && answer.status !== 422)) {
    tellInCheck(words.no_network);
    addEventListener("online", () => { if (page.classList.contains("is-checking")) check(); }, { once: true });
  } else if (answer.redirected) tellInCheck(words.signed_out);
  else showCheck(await answer.text(), { isGood: answer.status === 200 });
}

function leaveCheck() {
  page.classList.remove("is-checking");
  checked.hidden = true;
  showCheck("");
  show();
}

const edit = () => (history.state?.isChecking ? history.back() : leaveCheck());

/* A row of the check: the card under the finger is the one to be replaced. */
function editAt(event) {
  const where = event.target.closest(".setup-row, .board");
  if (!where || !checked.contains(where)) return;
  const cards = [...where.querySelectorAll(".pcard")];
  const place = Math.max(0, cards.indexOf(event.target.closest(".pcard")));
  const setup = where.closest(".setup");
  const number = setup?.className.match(/seat-(\d)/)[1];
  const row = setup ? Object.values(["top", "middle", "bottom"])[[...where.parentNode.children].indexOf(where)] : null;
  goTo(hand.slotAt(setup ? `${row}_${number}` : `board_${where.className.match(/board-(\d)/)[1]}`, place), true);
  edit();
}

let isSaving = false;
async function save() {
  if (isSaving) return;
  isSaving = true;
  await saveOnce();
  isSaving = false;
}

async function saveOnce() {
  await draft.send();
  if (theirs) return;
  const form = filledForm();
  form.set("based_on", draft.record.revision);
  const answer = await send(data.urls.save, form);
  const isJson = answer?.headers.get("Content-Type")?.startsWith("application/json");
  if (answer?.status === 422) showCheck(await answer.text());
  else if (answer?.status === 409) {
    const other = (await answer.json()).theirs;
    if (!isSame(other)) { meet(other); return; }
    draft.resolve(hand.facts(), other, true);
    await saveOnce();
  }
  else if (answer?.status === 200 && isJson) {
    draft.forget();
    location.assign((await answer.json()).url);
    await new Promise(() => {});
  } else tellInCheck(answer?.redirected ? words.signed_out : words.not_saved);
}

/* ---------------------------------------------------------------- others */

// The server may have what this phone sent, though its answer never came.
const isSame = (answer) => answer !== null && JSON.stringify(answer.facts) === JSON.stringify(hand.facts());

function meet(answer) {
  draft.stop();
  theirs = { answer };
  paint.conflict(conflict, answer, answer ? answer.facts : { rows: {}, out: [] }, new Hand(hand.layout, hand.facts()));
  if (!conflict.open) conflict.showModal();
}

function decide(isTheirs) {
  const { answer } = theirs;
  theirs = null;
  conflict.close();
  if (isTheirs && !answer) { draft.forget(); location.assign(data.urls.session); return; }
  const other = answer?.facts ?? { rows: {}, out: [] };
  before.push(JSON.stringify(isTheirs ? hand.facts() : other));
  if (isTheirs) hand.load(other);
  draft.resolve(hand.facts(), answer, isTheirs);
  if (isTheirs && page.classList.contains("is-checking")) edit();
  goTo(hand.nextEmpty());
  show();
}

const draft = new Draft({
  url: data.urls.draft, token, revision: data.revision, facts: hand.facts(),
  on: {
    state: (name) => paint.status(name),
    replaced(facts) { before.push(JSON.stringify(hand.facts())); hand.load(facts); goTo(hand.nextEmpty()); show(); },
    conflict: meet,
    recorded: (url) => location.assign(url),
    gone: () => location.assign(data.urls.session),
    refused: (sentence) => paint.refuse(sentence),
  },
});

/* ---------------------------------------------------------------- what is pressed */

const DO = {
  undo, edit, save, check, paste: pasteByButton,
  type: () => field.focus(),
  out: (button) => toggleOut(hand.group(`seat_${button.dataset.seat}`)),
  "out-now": () => toggleOut(now.seat),
  "back-in": () => (hand.isGone(now.seat) ? mark(now.seat, "surrendered", 0) : toggleOut(now.seat)),
  "surrender-now": () => mark(now.seat, "surrendered", 1),
  discards: () => change(() => hand.toggleDiscards(), { then: () => goTo(hand.emptyIn(now.seat) ?? hand.nextEmpty()) }),
  "swap-boards": () => change(() => hand.swapBoards()),
  "show-theirs": () => decide(true),
  "keep-mine": () => decide(false),
  "ask-throw-away": () => throwing.showModal(),
  "keep-it": () => throwing.close(),
  async "throw-away"() {
    throwing.close();
    if (await draft.throwAway()) location.assign(data.urls.session);
  },
};

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-do], .key, .slot, .chip");
  if (!button) { editAt(event); return; }
  if (button.dataset.do) { button.closest("details")?.removeAttribute("open"); DO[button.dataset.do](button); }
  else if (button.matches(".key")) pressKey(button.dataset.card);
  else if (button.matches(".chip")) pressChip(hand.group(`seat_${button.dataset.seat}`));
  else pressSlot(paint.slotOf(button, now));
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (page.classList.contains("is-checking")) { if (event.key === "Escape") edit(); return; }
  if (event.target === field) {
    if (event.key === "Enter") { event.preventDefault(); enter(); }
    else if (event.key === "Backspace" && !field.value) { event.preventDefault(); undo(); }
    return;
  }
  if (event.target.matches("select")) return;
  if (event.target.matches(".key") && paint.moveInGrid(event)) return;
  if (event.key === "Backspace") undo();
  // Whoever types, types into the field.
  else if (/^[0-9a-z]$/i.test(event.key)) field.focus();
});

field.addEventListener("input", () => typed());
field.addEventListener("change", () => { if (field.value !== hand.text(now.group)) typed(true); });
paint.fantasyland?.addEventListener("change", (event) => mark(now.seat, "fantasyland", Number(event.target.value)));
field.addEventListener("scroll", () => paint.field(now, field));
field.addEventListener("paste", (event) => {
  event.preventDefault();
  paste(event.clipboardData.getData("text/plain"));
});
conflict.addEventListener("cancel", (event) => event.preventDefault());
addEventListener("popstate", () => { if (page.classList.contains("is-checking")) leaveCheck(); });

/* ---------------------------------------------------------------- the beginning */

const asked = new URLSearchParams(location.search).get("draft");
const unsent = asked ? null : unsentDraft(data.urls.draft);
if (unsent && unsent !== data.urls.draft) location.replace(`?draft=${unsent.split("/").at(-1)}`);
const kept = draft.begin();
if (kept) hand.load(kept);
now.group = hand.groups[0];
now.seat = hand.playing.find((group) => group.seat !== null) ?? hand.groups.at(-1);
goOn();
show();
if (data.begun_by && !kept) paint.begunBy(data.begun_by);
page.classList.add("is-running");
if (matchMedia("(pointer: fine)").matches) field.focus();
if (history.state?.isChecking && hand.isComplete) check();
