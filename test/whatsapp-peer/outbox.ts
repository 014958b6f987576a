import type { Connection } from './connection.ts';
import { element, SERVER, type Stanza } from './stanza.ts';

interface Kept {
  stanza: Stanza;
  /** With what the device answers. */
  confirmed: PromiseWithResolvers<Stanza>;
  /** The same, encrypted anew, for a device that could not decrypt it. */
  encryptAgain: (() => Promise<Stanza>) | undefined;
  isComingAgain: boolean;
}

/** What waited when a device logged in, and what came since: told in order, as much as the device asks for. */
interface Backlog {
  connection: Connection;
  waiting: Set<Kept>;
  /** How much of it the device has asked for and not got yet. */
  owed: number;
  told: number;
  isBeingTold: boolean;
}

/** What the server has for a device, kept and told again at every login until the device confirms it. */
export class Outbox {
  private readonly kept = new Map<string, Kept>();
  /** Undefined: the device has it all, and is told at once of what comes. */
  private backlog: Backlog | undefined;

  /** Resolves when the device has confirmed it, to how it did. */
  put(connection: Connection | undefined, stanza: Stanza, encryptAgain?: () => Promise<Stanza>): Promise<Stanza> {
    const key = keyOf(stanza);
    const confirmed = Promise.withResolvers<Stanza>();
    const kept = this.kept.get(key) ?? { stanza, confirmed, encryptAgain, isComingAgain: false };
    this.kept.set(key, kept);
    if (this.backlog) this.backlog.waiting.add(kept);
    else connection?.send(stanza);
    return kept.confirmed.promise;
  }

  /** At a login: how much waits. */
  announce(connection: Connection): void {
    this.backlog = { connection, waiting: new Set(this.kept.values()), owed: 0, told: 0, isBeingTold: false };
    const { size } = this.backlog.waiting;
    if (size === 0) this.endBacklog(this.backlog);
    else connection.send(element('ib', { from: SERVER }, [element('offline_preview', { count: String(size) })]));
  }

  /** The device asks for more of what waits. */
  async handOut(count: number): Promise<void> {
    const { backlog } = this;
    if (!backlog) return;
    backlog.owed += count;
    if (backlog.isBeingTold) return;
    backlog.isBeingTold = true;
    for (const kept of backlog.waiting) {
      if (backlog.owed === 0) break;
      backlog.owed -= 1;
      backlog.told += 1;
      backlog.waiting.delete(kept);
      const { tag, attrs, content } = kept.stanza;
      backlog.connection.send(element(tag, { ...attrs, offline: '1' }, content));
      if (isStatus(kept.stanza)) await kept.confirmed.promise;
    }
    backlog.isBeingTold = false;
    if (backlog.waiting.size === 0 && backlog === this.backlog) this.endBacklog(backlog);
  }

  private endBacklog({ connection, told }: Backlog): void {
    this.backlog = undefined;
    connection.send(element('ib', { from: SERVER }, [element('offline', { count: String(told) })]));
  }

  get size(): number {
    return this.kept.size;
  }

  /** The device has said `ack` of something, or `receipt` of a message. */
  async hear(connection: Connection, answer: Stanza): Promise<void> {
    const { tag, attrs } = answer;
    const key = keyOf({ tag: tag === 'receipt' ? 'message' : (attrs['class'] ?? ''), attrs });
    const kept = this.kept.get(key);
    if (!kept) return;
    if (tag === 'receipt' && attrs['type'] === 'retry') {
      if (!kept.encryptAgain) return;
      kept.isComingAgain = true;
      kept.stanza = await kept.encryptAgain();
      kept.isComingAgain = false;
      connection.send(kept.stanza);
    } else if (!kept.isComingAgain && !isRefusedStatus(kept, answer)) {
      this.kept.delete(key);
      kept.confirmed.resolve(answer);
    }
  }
}

/** Comes as either. */
const isStatus = ({ tag, attrs }: Stanza) => tag === 'status' || attrs['from'] === 'status@broadcast';

/** One that is refused stays, is told again at each login, and what comes after it waits. */
const isRefusedStatus = ({ stanza }: Kept, { attrs }: Stanza) => isStatus(stanza) && attrs['error'] !== undefined;

/** A receipt has the id of the post that it is about, and so have those of others. */
function keyOf({ tag, attrs }: Pick<Stanza, 'tag' | 'attrs'>): string {
  const type = tag === 'receipt' ? attrs['type'] : undefined;
  return [tag, attrs['id'], attrs['participant'], type].join(' ');
}
