import type { WASocket } from 'baileys';
import { AppError } from '../../lib/errors.ts';
import type { LinkMethod, MessengerAccount, TellState } from '../messenger.ts';

/** An account that waits for its user's phone. */
export interface Linking {
  /** Resolves when the first code has been told; rejects with an AppError when there is none to be had. */
  shown: Promise<void>;
  /** The connection that the codes belong to. */
  use(client: WASocket): void;
  /** The connection has ended and no phone was linked. */
  giveUp(): void;
  /** WhatsApp has handed out a new code to scan. */
  show(qr: string): Promise<void>;
  fail(reason: string): void;
}

/** How long WhatsApp's codes are good: the first for a minute, and each of the five that follow it for 20 s. */
const FIRST_QR_MS = 60_000;
const NEXT_QR_MS = 20_000;
/** A code to enter is good for as long as there would be codes to scan: then the connection ends. */
const PAIRING_CODE_MS = FIRST_QR_MS + 5 * NEXT_QR_MS;
const FIRST_CODE_LIMIT_MS = 20_000;

export function startLinking({
  method,
  account,
  tell,
  signal,
}: {
  method: LinkMethod;
  account: MessengerAccount;
  tell: TellState;
  signal: AbortSignal;
}): Linking {
  const first = Promise.withResolvers<void>();
  first.promise.catch(() => undefined);
  let client: WASocket | undefined;
  let shown = 0;
  let hasFailed = false;

  function tellCode(code: string, goodForMs: number): void {
    shown += 1;
    tell({ status: 'linking', method, code, goodForMs });
    clearTimeout(limit);
    first.resolve();
  }

  function fail(reason: string): void {
    if (hasFailed || signal.aborted) return;
    hasFailed = true;
    clearTimeout(limit);
    first.reject(new AppError('unavailable', reason, { retryAfterSeconds: 5 }));
    tell({ status: 'unlinked', reason });
  }

  const giveUp = () =>
    fail(
      shown > 0
        ? 'No phone was linked in time: connect the account again'
        : 'WhatsApp cannot be reached just now: try again in a moment',
    );
  const limit = setTimeout(giveUp, FIRST_CODE_LIMIT_MS);

  return {
    shown: first.promise,
    use: (used) => (client = used),
    async show(qr) {
      if (method === 'qr') return tellCode(qr, shown === 0 ? FIRST_QR_MS : NEXT_QR_MS);
      // The first code to scan says that a code to enter may be asked for; the others say nothing.
      if (shown > 0 || !client) return;
      shown += 1;
      try {
        tellCode(await client.requestPairingCode(account.phoneNumber ?? ''), PAIRING_CODE_MS);
      } catch {
        fail('WhatsApp gave no code to enter: try again in a moment');
      }
    },
    fail,
    giveUp,
  };
}
