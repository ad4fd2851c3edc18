/* A phone at the table: its seven cards, taken back and confirmed; and holding to look at what is locked.

   Cards lie in a hand of one seat (entry-hand.js) and are kept like a draft (entry-draft.js): on this phone at every
   tap, on the server as soon as there is one. Nothing here knows of any other seat. */

import { Hand } from "./entry-hand.js";
import { Draft } from "./entry-draft.js";
import { drawFace, fill } from "./entry-paint.js";

const told = document.getElementById("entry-data");
if (told) setUp(JSON.parse(told.textContent));
else if (!document.getElementById("setup-form")) forgetOthers("");

/* The part of the house's deal that this phone draws; without a script it is typed. */
const partForm = document.querySelector("#part-form[data-draw]");
if (partForm) {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  partForm.elements.part.value = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  partForm.submit();
}

/* What this phone kept of hands that are over. */
function forgetOthers(current) {
  try {
    for (const name of Object.keys(localStorage)) if (name.startsWith("homerun/table/") && name !== `homerun${current}`) localStorage.removeItem(name);
  } catch { /* nothing was kept */ }
}

function setUp(data) {
  forgetOthers(data.urls.keep);
  const words = data.words;
  const hand = new Hand({ ...data, boardName: String }, data.facts);
  const [group] = hand.groups;
  const find = (selector) => document.querySelector(selector);
  const keys = [...document.querySelectorAll(".key[data-card]")];
  const names = Object.fromEntries(keys.map((key) => [key.dataset.card, key.lastElementChild.textContent]));
  const slots = [...document.querySelectorAll(".slot")].map((button) => ({ button, slot: hand.slotAt(button.dataset.row, Number(button.dataset.place)) }));
  const [confirmer, fault, live, state] = ["#confirm", "#entry-fault", "#entry-live", "#entry-status"].map(find);
  const begins = state.textContent;
  const token = find("#setup-form [name=csrfmiddlewaretoken]").value;
  const before = [];
  let picked = null;

  function paint() {
    const next = picked ?? hand.nextEmpty();
    for (const { button, slot } of slots) {
      const card = hand.cards.get(slot) ?? "";
      drawFace(button, card);
      button.firstElementChild.classList.toggle("is-next", slot === next);
      button.toggleAttribute("aria-current", slot === next);
      const row = words[slot.row.split("_")[0]];
      button.lastElementChild.textContent = fill(words.slot, row, slot.place + 1, names[card] ?? words.empty);
    }
    const held = new Set(hand.cards.values());
    for (const key of keys) {
      const isUsed = held.has(key.dataset.card);
      key.classList.toggle("is-used", isUsed);
      key.toggleAttribute("aria-disabled", isUsed || !hand.mayLie(key.dataset.card, slots[0].slot));
      if (key.hasAttribute("aria-disabled")) key.setAttribute("aria-disabled", "true");
    }
    const missing = hand.needed - hand.count;
    confirmer.disabled = missing > 0;
    confirmer.textContent = missing ? fill(words.more, missing) : words.confirm;
  }

  function change(act) {
    const old = JSON.stringify(hand.facts());
    act();
    picked = null;
    tellFault("");
    if (JSON.stringify(hand.facts()) !== old) {
      if (!draft.change(hand.facts())) return;
      before.push(old);
    }
    paint();
  }

  function pressKey(card) {
    const slot = picked ?? hand.nextEmpty();
    if (!slot || hand.holder(card) || !hand.mayLie(card, slot)) return;
    change(() => hand.place(slot, card));
    live.textContent = fill(words.put, words[slot.row.split("_")[0]], names[card]);
  }

  /* One that is picked is replaced by the next card; a second one changes places with it. */
  function pressSlot(slot) {
    const first = picked;
    if (first && first !== slot) change(() => hand.swap(first, slot));
    else { picked = first === slot ? null : slot; paint(); }
  }

  function undo() {
    if (before.length) {
      hand.load(JSON.parse(before.pop()));
      draft.change(hand.facts());
    } else {
      const last = group.slots.filter((slot) => hand.cards.has(slot)).at(-1);
      if (last) { hand.cards.delete(last); draft.change(hand.facts()); }
    }
    picked = null;
    paint();
  }

  function recall() {
    change(() => hand.clear(group));
    live.textContent = words.taken_back;
  }

  function tellFault(sentence) {
    fault.textContent = sentence;
    fault.hidden = !sentence;
  }

  let isConfirming = false;
  async function confirm() {
    if (isConfirming || !hand.isComplete) return;
    isConfirming = true;
    // What is kept after the lock would be refused.
    await draft.pause();
    const answer = await post(data.urls.confirm, { based_on: 0, facts: hand.facts() });
    isConfirming = false;
    if ([200, 404, 409].includes(answer?.status)) { draft.forget(); location.assign(data.urls.page); return; }
    draft.resume();
    tellFault(answer?.status === 422 ? answer.body.sentence : words.not_confirmed);
  }

  async function post(url, body) {
    try {
      const answer = await fetch(url, { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json", "X-CSRFToken": token } });
      // The seat is another phone's now, or the session is closed.
      if (answer.status === 404) return { status: 404 };
      return { status: answer.status, body: await answer.json() };
    } catch { return null; }
  }

  const draft = new Draft({
    url: data.urls.keep, token, revision: data.revision, facts: hand.facts(),
    on: {
      state(name) {
        if (name === "sending") return;
        state.textContent = name === "nothing" ? begins : words[name === "offline" ? "phone" : name];
      },
      replaced(facts) { hand.load(facts); paint(); },
      // Only this phone writes here: what lies on it is the newest.
      conflict: (theirs) => draft.resolve(hand.facts(), theirs, false),
      recorded: () => location.assign(data.urls.page),
      gone: () => location.assign(data.urls.page),
      refused: tellFault,
    },
  });

  const DO = { recall, confirm, undo, type: () => location.assign("?plain=1") };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-do], .key, .slot");
    if (!button) return;
    if (button.dataset.do) DO[button.dataset.do](button);
    else if (button.matches(".key")) pressKey(button.dataset.card);
    else pressSlot(hand.slotAt(button.dataset.row, Number(button.dataset.place)));
  });

  const kept = draft.begin();
  if (kept) hand.load(kept);
  paint();
  document.body.classList.add("is-running");
}

/* Locked cards lie face down; they are seen as long as the button is held. */
const peek = (isHeld) => (event) => {
  const button = event.target.closest?.("[data-peek]");
  if (event.type.startsWith("key") && event.key !== " " && event.key !== "Enter") return;
  if (!button && isHeld) return;
  if (isHeld && event.type.startsWith("key")) event.preventDefault();
  for (const one of document.querySelectorAll(".peek")) one.classList.toggle("is-looking", isHeld && one.contains(button));
};
for (const name of ["pointerdown", "keydown"]) document.addEventListener(name, peek(true));
for (const name of ["pointerup", "pointercancel", "keyup", "visibilitychange"]) document.addEventListener(name, peek(false));
document.addEventListener("contextmenu", (event) => { if (event.target.closest("[data-peek]")) event.preventDefault(); });
