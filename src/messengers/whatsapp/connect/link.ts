import { AppError } from '../../../platform/errors/errors.ts';
import type { LinkMethod, MessengerAccount, OnStateChange } from '../../messenger.ts';
import type { CloseReason } from '../client/errors.ts';
import type { Socket } from '../client/open-socket.ts';
import { classifyEnding } from '../failures.ts';

/** An account that waits for its user's phone. */
export interface Linking {
  /** Resolves when the first code has been told; rejects with an AppError when there is none to be had. */
  shown: Promise<void>;
  /** The connection that the codes belong to. */
  use(socket: Socket): void;
  /** The connection has ended and no phone was linked. */
  giveUp(reason: CloseReason): void;
  /** WhatsApp has handed out a new code to scan. */
  show(qr: string): Promise<void>;
  /** `rejectedNumber`: digits, of a phone with another number than the account's. */
  fail(reason: string, rejectedNumber?: string): void;
}

/** How long WhatsApp's codes are good: the first for a minute, and each of the five that follow it for 20 s. */
const FIRST_QR_MS = 60_000;
const NEXT_QR_MS = 20_000;
/** A code to enter is good for as long as these would be together. */
const NEXT_QRS = 5;
const FIRST_CODE_LIMIT_MS = 20_000;
/** The client's own code, after the last of the codes to scan. */
const TIMED_OUT = 408;
const UNREACHABLE = 'WhatsApp cannot be reached just now: try again in a moment';
const NOBODY_IN_TIME = 'No phone was linked in time: connect the account again';

export interface LinkingOptions {
  method: LinkMethod;
  account: MessengerAccount;
  onStateChange: OnStateChange;
  /** Aborted when the account is to be left alone: nothing more is told then. */
  signal: AbortSignal;
  /** How long each code to scan is shown; undefined: as long as WhatsApp takes it. */
  qrMs: number | undefined;
}

export function startLinking({ method, account, onStateChange, signal, qrMs }: LinkingOptions): Linking {
  const firstMs = qrMs ?? FIRST_QR_MS;
  const nextMs = qrMs ?? NEXT_QR_MS;
  const first = Promise.withResolvers<void>();
  first.promise.catch(() => undefined);
  let socket: Socket | undefined;
  let shown = 0;
  let hasFailed = false;

  function emitCode(code: string, goodForMs: number): void {
    shown += 1;
    onStateChange({ status: 'linking', method, code, goodForMs });
    clearTimeout(limit);
    first.resolve();
  }

  function fail(reason: string, rejectedNumber?: string): void {
    if (hasFailed || signal.aborted) return;
    hasFailed = true;
    clearTimeout(limit);
    first.reject(new AppError('messenger_unavailable', reason, { retryAfterSeconds: 5 }));
    onStateChange({ status: 'unlinked', reason, rejectedNumber });
  }

  function giveUp({ code, attrs }: CloseReason): void {
    const ending = classifyEnding(code, attrs);
    // What is said of linked accounts holds for those that are to be linked, too.
    if (ending.kind !== 'again') fail(ending.reason);
    else if (shown === 0) fail(UNREACHABLE);
    else if (code === TIMED_OUT) fail(NOBODY_IN_TIME);
    else fail('The connection to WhatsApp broke before a phone was linked: connect the account again');
  }

  const limit = setTimeout(fail, FIRST_CODE_LIMIT_MS, UNREACHABLE);

  async function showPairingCode(used: Socket): Promise<void> {
    const goodForMs = firstMs + NEXT_QRS * nextMs;
    emitCode(await used.client.requestPairingCode(account.phoneNumber ?? ''), goodForMs);
    // The connection ends with the last code to scan, of which there may be more.
    const expiry = setTimeout(() => {
      fail(NOBODY_IN_TIME);
      used.end();
    }, goodForMs);
    void used.ended.then(() => clearTimeout(expiry));
  }

  return {
    shown: first.promise,
    use: (used) => void (socket = used),
    async show(qr) {
      if (method === 'qr') return emitCode(qr, shown === 0 ? firstMs : nextMs);
      // The first code to scan says that a code to enter may be asked for; the others say nothing.
      if (shown > 0 || !socket) return;
      shown += 1;
      try {
        await showPairingCode(socket);
      } catch {
        fail('WhatsApp gave no code to enter: try again in a moment');
      }
    },
    fail,
    giveUp,
  };
}
