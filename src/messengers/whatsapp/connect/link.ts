import { AppError } from '../../../platform/errors/errors.ts';
import type { LinkMethod, MessengerAccount, OnStateChange } from '../../messenger.ts';
import { rejectionCodeOf, type CloseReason } from '../client/errors.ts';
import type { Socket } from '../client/open-socket.ts';
import { classifyEnding } from '../failures.ts';

export interface Linking {
  /** Resolves when the first code was shown; rejects with an AppError when there is none. */
  shown: Promise<void>;
  /** The connection that the codes belong to. */
  use(socket: Socket): void;
  /** The connection has ended and no phone was linked. */
  giveUp(reason: CloseReason): void;
  /** WhatsApp has issued a new QR code. */
  show(qr: string): Promise<void>;
  /** `rejectedNumber`: digits, of a phone with another number than the account's. */
  fail(reason: string, rejectedNumber?: string): void;
}

/** WhatsApp accepts the first QR code for a minute, and each of the five that follow it for 20 s. */
const FIRST_QR_MS = 60_000;
const NEXT_QR_MS = 20_000;
/** A pairing code is valid for as long as all QR codes together. */
const NEXT_QRS = 5;
const FIRST_CODE_LIMIT_MS = 20_000;
/** The library's code after the last QR code. */
const TIMED_OUT = 408;
const UNREACHABLE = 'WhatsApp cannot be reached just now: try again in a moment';
const NOBODY_IN_TIME = 'No phone was linked in time: connect the account again';

export interface LinkingOptions {
  method: LinkMethod;
  account: MessengerAccount;
  onStateChange: OnStateChange;
  /** Aborted when the session is closed: nothing more is reported. */
  signal: AbortSignal;
  /** How long each QR code is shown. Undefined: as long as WhatsApp accepts it. */
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
    failWith(new AppError('messenger_unavailable', reason, { retryAfterSeconds: 5 }), rejectedNumber);
  }

  function failWith(error: AppError, rejectedNumber?: string): void {
    if (hasFailed || signal.aborted) return;
    hasFailed = true;
    clearTimeout(limit);
    first.reject(error);
    onStateChange({ status: 'unlinked', reason: error.message, rejectedNumber });
  }

  function giveUp({ code, attrs }: CloseReason): void {
    const ending = classifyEnding(code, attrs);
    if (ending.kind !== 'again') fail(ending.reason);
    else if (shown === 0) fail(UNREACHABLE);
    else if (code === TIMED_OUT) fail(NOBODY_IN_TIME);
    else fail('The connection to WhatsApp broke before a phone was linked: connect the account again');
  }

  const limit = setTimeout(fail, FIRST_CODE_LIMIT_MS, UNREACHABLE);

  async function showPairingCode(used: Socket): Promise<void> {
    const goodForMs = firstMs + NEXT_QRS * nextMs;
    emitCode(await used.client.requestPairingCode(account.phoneNumber ?? ''), goodForMs);
    // The connection ends with the last QR code, which may be later.
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
      // A pairing code can be requested from the first QR code on.
      if (shown > 0 || !socket) return;
      shown += 1;
      try {
        await showPairingCode(socket);
      } catch (error) {
        failWith(toPairingCodeError(error));
      }
    },
    fail,
    giveUp,
  };
}

const TOO_MANY = 429;

function toPairingCodeError(error: unknown): AppError {
  const code = rejectionCodeOf(error);
  if (code === undefined)
    return new AppError('messenger_unavailable', 'WhatsApp gave no code to enter: try again in a moment', {
      retryAfterSeconds: 5,
      cause: error,
    });
  if (code === TOO_MANY)
    return new AppError(
      'pairing_code_limited',
      'WhatsApp gives no more codes for this number at the moment: scan the QR code instead, or wait a few hours',
      { cause: error },
    );
  const message = `WhatsApp gives no code for this number (${code}): check that it is right and in use on WhatsApp, or scan the QR code instead`;
  return new AppError('pairing_code_refused', message, { cause: error });
}
