import type { Connection } from './connection.ts';
import { element, SERVER, type Stanza } from './stanza.ts';

interface Kept {
  stanza: Stanza;
  /** The kind of answer from the device. */
  confirmed: PromiseWithResolvers<Stanza>;
  /** The same message, encrypted again for a device that could not decrypt it. */
  encryptAgain: (() => Promise<Stanza>) | undefined;
  isComingAgain: boolean;
}

/** Messages that waited at a login and later ones: sent in order, in batches that the device requests. */
interface Backlog {
  connection: Connection;
  waiting: Set<Kept>;
  /** Number of messages that the device has requested and not received. */
  owed: number;
  told: number;
  isBeingTold: boolean;
}

/** Messages for a device, stored and sent again at every login until the device acknowledges them. */
export class Outbox {
  private readonly kept = new Map<string, Kept>();
  /** Undefined: the device has everything, and receives new messages immediately. */
  private backlog: Backlog | undefined;

  /** Resolves to the acknowledgement of the device. */
  put(connection: Connection | undefined, stanza: Stanza, encryptAgain?: () => Promise<Stanza>): Promise<Stanza> {
    const key = keyOf(stanza);
    const confirmed = Promise.withResolvers<Stanza>();
    const kept = this.kept.get(key) ?? { stanza, confirmed, encryptAgain, isComingAgain: false };
    this.kept.set(key, kept);
    if (this.backlog) this.backlog.waiting.add(kept);
    else connection?.send(stanza);
    return kept.confirmed.promise;
  }

  /** Sends the number of waiting messages at a login. */
  announce(connection: Connection): void {
    this.backlog = { connection, waiting: new Set(this.kept.values()), owed: 0, told: 0, isBeingTold: false };
    const { size } = this.backlog.waiting;
    if (size === 0) this.endBacklog(this.backlog);
    else connection.send(element('ib', { from: SERVER }, [element('offline_preview', { count: String(size) })]));
  }

  /** The device requests more of the waiting messages. */
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

  /** The device has sent an `ack` or a message `receipt`. */
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

/** Answered with either. */
const isStatus = ({ tag, attrs }: Stanza) => tag === 'status' || attrs['from'] === 'status@broadcast';

/** A rejected message stays, is sent again at each login, and blocks later ones. */
const isRefusedStatus = ({ stanza }: Kept, { attrs }: Stanza) => isStatus(stanza) && attrs['error'] !== undefined;

/** A receipt has the id of its post, which other receipts share. */
function keyOf({ tag, attrs }: Pick<Stanza, 'tag' | 'attrs'>): string {
  const type = tag === 'receipt' ? attrs['type'] : undefined;
  return [tag, attrs['id'], attrs['participant'], type].join(' ');
}
