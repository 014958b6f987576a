import type { Connection } from './connection.ts';
import { element, type Stanza } from './stanza.ts';

interface Kept {
  stanza: Stanza;
  confirmed: PromiseWithResolvers<void>;
  /** The same, encrypted anew, for a device that could not decrypt it. */
  encryptAgain: (() => Promise<Stanza>) | undefined;
  isComingAgain: boolean;
}

/** What the server has for a device, kept and told again at every login until the device confirms it. */
export class Outbox {
  private readonly kept = new Map<string, Kept>();

  /** Resolves when the device has confirmed it. */
  put(connection: Connection | undefined, stanza: Stanza, encryptAgain?: () => Promise<Stanza>): Promise<void> {
    const key = keyOf(stanza);
    const confirmed = Promise.withResolvers<void>();
    const kept = this.kept.get(key) ?? { stanza, confirmed, encryptAgain, isComingAgain: false };
    this.kept.set(key, kept);
    connection?.send(stanza);
    return kept.confirmed.promise;
  }

  /** What waits at the login, in the order that it came. */
  tellAgain(connection: Connection): void {
    for (const { stanza } of this.kept.values()) {
      const attributes = { ...stanza.attrs, offline: '1' };
      connection.send(element(stanza.tag, attributes, stanza.content));
    }
  }

  get size(): number {
    return this.kept.size;
  }

  /** The device has said `ack` of something, or `receipt` of a message. */
  async hear(connection: Connection, { tag, attrs }: Stanza): Promise<void> {
    const key = keyOf({ tag: tag === 'receipt' ? 'message' : (attrs['class'] ?? ''), attrs });
    const kept = this.kept.get(key);
    if (!kept) return;
    if (tag === 'receipt' && attrs['type'] === 'retry' && kept.encryptAgain) {
      kept.isComingAgain = true;
      kept.stanza = await kept.encryptAgain();
      kept.isComingAgain = false;
      connection.send(kept.stanza);
    } else if (!kept.isComingAgain) {
      this.kept.delete(key);
      kept.confirmed.resolve();
    }
  }
}

/** A receipt has the id of the post that it is about, and so have those of others. */
function keyOf({ tag, attrs }: Pick<Stanza, 'tag' | 'attrs'>): string {
  const type = tag === 'receipt' ? attrs['type'] : undefined;
  return [tag, attrs['id'], attrs['participant'], type].join(' ');
}
