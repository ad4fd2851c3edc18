/* A draft: kept on this phone at every tap, and on the server within a second as long as there is one.

   In the browser's storage lies, under the draft's address: facts (text), revision (of the server's that these facts
   follow), isSent, and unsure (facts whose answer never came: where the server has one of them, it is ours). Two
   tabs share it, and neither writes what it has not seen. Two phones meet at the server, which answers 409. */

const PREFIX = "homerun";
const SOON = 300;
const LATER = 2500;
const LONGEST_WAIT = 15000;
const OLD = 14 * 24 * 3600 * 1000;

const storage = {
  get(name) { try { return localStorage.getItem(name); } catch { return null; } },
  set(name, text) { try { localStorage.setItem(name, text); return true; } catch { return false; } },
  remove(name) { try { localStorage.removeItem(name); } catch { /* nothing was kept */ } },
  names() { try { return Object.keys(localStorage); } catch { return []; } },
};

/* The address of a draft of this session that this phone could not send yet; null when there is none. */
export function unsentDraft(url) {
  const folder = PREFIX + url.slice(0, url.lastIndexOf("/") + 1);
  let newest = null;
  for (const name of storage.names()) {
    if (!name.startsWith(PREFIX + "/sessions/")) continue;
    const record = JSON.parse(storage.get(name) ?? "{}");
    if (record.isSent && Date.now() - record.at > OLD) storage.remove(name);
    else if (name.startsWith(folder) && !record.isSent && !(newest?.at > record.at)) newest = { at: record.at, url: name.slice(PREFIX.length) };
  }
  return newest?.url ?? null;
}

export class Draft {
  /* on: {state(name), replaced(facts), conflict(theirs), recorded(url), gone(), refused(sentence)} */
  constructor({ url, token, revision, facts, on }) {
    Object.assign(this, { url, token, on });
    this.name = PREFIX + url;
    this.record = { facts: JSON.stringify(facts), revision, isSent: true, unsure: [], at: Date.now() };
    this.raw = null;
    this.wait = 0;
    this.isKept = true;
    addEventListener("storage", (event) => { if (event.key === this.name) this.follow(); });
    addEventListener("pageshow", () => this.follow());
    addEventListener("online", () => this.send());
    addEventListener("offline", () => this.tell());
    document.addEventListener("visibilitychange", () => (document.hidden ? this.send(true) : this.follow()));
  }

  /* What this phone knows and the page does not; null when the page's facts are the newest. */
  begin() {
    this.raw = storage.get(this.name);
    const kept = this.raw && JSON.parse(this.raw);
    const page = this.record;
    // A page may be older than what another tab has sent since.
    if (!kept || (kept.isSent && kept.revision <= page.revision)) { this.tell(); return null; }
    this.record = kept;
    // What the server has was ours all the same: then nothing is in between.
    if (kept.unsure.includes(page.facts)) kept.revision = Math.max(kept.revision, page.revision);
    if (!kept.isSent) this.schedule(0);
    this.tell();
    return JSON.parse(kept.facts);
  }

  /* Keep these facts. False where another tab was there first: then its facts are in `on.replaced`. */
  change(facts) {
    if (this.follow()) return false;
    const text = JSON.stringify(facts);
    if (text === this.record.facts) return true;
    this.write({ ...this.record, facts: text, isSent: false });
    this.schedule(SOON);
    this.tell();
    return true;
  }

  write(record) {
    this.record = { ...record, at: Date.now() };
    const raw = JSON.stringify(this.record);
    this.isKept = storage.set(this.name, raw);
    if (this.isKept) this.raw = raw;
  }

  /* Take over what another tab wrote; true when its cards are others. */
  follow() {
    const raw = storage.get(this.name);
    if (!this.isKept || raw === this.raw) return false;
    this.raw = raw;
    if (raw === null) { this.stop(); this.on.gone(); return true; }
    const before = this.record.facts;
    this.record = JSON.parse(raw);
    // The other tab sends it; this one only where that does not.
    if (!this.record.isSent) this.schedule(LATER);
    this.tell();
    if (before === this.record.facts) return false;
    this.on.replaced(JSON.parse(this.record.facts));
    return true;
  }

  schedule(delay) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.send(), delay);
  }

  /* Send until everything is there. Resolves to true when the server has it all. */
  async send(isLeaving = false) {
    if (this.sending) return this.sending.then(() => this.record.isSent || this.send());
    if (this.record.isSent || this.isStopped) return this.record.isSent;
    clearTimeout(this.timer);
    this.sending = this.sendOnce(isLeaving);
    const again = await this.sending;
    this.sending = null;
    if (again === "now") return this.send();
    if (again === "later" && !this.isStopped) {
      this.wait = Math.min(LONGEST_WAIT, this.wait * 2 || 1000);
      this.schedule(this.wait);
    }
    this.tell();
    return this.record.isSent;
  }

  async sendOnce(isLeaving) {
    const { facts, revision } = this.record;
    this.write({ ...this.record, unsure: [...this.record.unsure.filter((text) => text !== facts), facts].slice(-5) });
    const answer = await this.post({ based_on: revision, facts: JSON.parse(facts) }, isLeaving);
    if (answer?.status === 200) {
      this.wait = 0;
      this.settle(facts, answer.body.revision);
      return this.record.isSent ? "done" : "now";
    }
    return this.refused(answer);
  }

  /* The server has these facts. Another tab may have written more meanwhile, on top of them. */
  settle(facts, revision) {
    const now = storage.get(this.name);
    const record = this.isKept && now !== null ? JSON.parse(now) : this.record;
    const isOther = record.facts !== this.record.facts;
    this.write({ ...record, revision, isSent: record.facts === facts, unsure: [] });
    if (isOther) this.on.replaced(JSON.parse(record.facts));
  }

  refused(answer) {
    if (answer === null) return "later";
    const { code, theirs, url, sentence } = answer.body;
    if (code === "changed" && theirs && this.record.unsure.includes(JSON.stringify(theirs.facts)) && theirs.revision > this.record.revision) {
      this.write({ ...this.record, revision: theirs.revision });
      return "now";
    }
    this.stop();
    if (code === "changed") this.on.conflict(theirs);
    else if (code === "recorded") { this.forget(); this.on.recorded(url, sentence); }
    else this.on.refused(sentence);
    return "done";
  }

  /* {status, body}, or null where no answer of ours came: no network, or not signed in any more. */
  async post(body, keepalive = false) {
    try {
      const answer = await fetch(this.url, {
        method: "POST", keepalive, body: JSON.stringify(body),
        headers: { "Content-Type": "application/json", "X-CSRFToken": this.token },
      });
      this.isOffline = false;
      this.isSignedOut = answer.redirected || answer.status === 403;
      if (!answer.headers.get("Content-Type")?.startsWith("application/json")) return null;
      return { status: answer.status, body: await answer.json() };
    } catch {
      this.isOffline = true;
      return null;
    }
  }

  /* After a conflict: go on with these facts, on top of what the server has. */
  resolve(facts, theirs, isTheirs) {
    this.isStopped = false;
    this.write({ ...this.record, facts: JSON.stringify(facts), revision: theirs?.revision ?? 0, isSent: isTheirs, unsure: [] });
    if (!isTheirs) this.send();
    this.tell();
  }

  /* Throw it away here and on the server. True when the server did. */
  async throwAway() {
    await this.send();
    const answer = await this.post({ based_on: this.record.revision, facts: null });
    if (answer?.status === 200) { this.stop(); this.forget(); return true; }
    if (answer) this.refused(answer);
    return false;
  }

  stop() { this.isStopped = true; clearTimeout(this.timer); }

  /* Send nothing more, and come back when nothing is on its way; until `resume`. */
  async pause() {
    this.stop();
    await this.sending;
  }

  resume() {
    this.isStopped = false;
    if (!this.record.isSent) this.schedule(SOON);
  }

  /* It is a hand now, or nothing: this phone need not keep it. */
  forget() {
    this.stop();
    this.raw = null;
    storage.remove(this.name);
  }

  tell() {
    const { isSent, revision } = this.record;
    if (isSent) this.on.state(revision === 0 ? "nothing" : this.isKept ? "phone_and_server" : "server");
    else if (this.isSignedOut) this.on.state("signed_out");
    else if (!this.isKept) this.on.state("unsaved");
    else this.on.state(this.isOffline || !navigator.onLine ? "offline" : "sending");
  }
}
