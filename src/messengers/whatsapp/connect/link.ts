import { STATE_REASONS, wordState } from '../../../platform/errors/account-states.ts';
import { AppError } from '../../../platform/errors/errors.ts';
import type { Log } from '../../../platform/log/log.ts';
import type { LinkMethod, LinkedAccount, OnStateChange, PasskeyAssertion } from '../../messenger.ts';
import { FIRST_QR_MS, NEXT_QR_MS, type PasskeyListener, type Socket } from '../client/engine.ts';
import { rejectionCodeOf, unavailable, unreachable, type CloseReason } from '../client/errors.ts';
import { classifyEnding } from '../failures.ts';
import type { WhatsAppCondition } from './conditions.ts';
import { createPasskeyStep } from './passkey-step.ts';

export interface Linking {
  /** Resolves when the first code was shown; rejects with an AppError when there is none. */
  shown: Promise<void>;
  /** The connection that the codes belong to. */
  use(socket: Socket): void;
  /** The connection has ended and no phone was linked. */
  giveUp(reason: CloseReason): void;
  /** WhatsApp has issued a new QR code. */
  show(qr: string, goodForMs: number): Promise<void>;
  /** The last QR code has expired. */
  expire(): void;
  /** For the connection. */
  passkey: PasskeyListener;
  /** As `MessengerSession.submitPasskey`. */
  submitPasskey(assertion: PasskeyAssertion): Promise<void>;
  /** `rejectedNumber`: digits, of a phone with another number than the account's. */
  fail(reason: string, rejectedNumber?: string): void;
}

/** A pairing code is valid for as long as all QR codes together. */
const NEXT_QRS = 5;
const FIRST_CODE_LIMIT_MS = 20_000;

export interface LinkingOptions {
  method: LinkMethod;
  account: LinkedAccount;
  log: Log;
  onStateChange: OnStateChange;
  onCondition(condition: WhatsAppCondition): void;
  /** Aborted when the session is closed: nothing more is reported. */
  signal: AbortSignal;
  /** In milliseconds. `qrMs` undefined: a QR code is shown for as long as WhatsApp accepts it. */
  timing: { qrMs?: number | undefined; passkeyMs: number; phoneMs: number };
}

export function startLinking(options: LinkingOptions): Linking {
  const { method, account, log, onStateChange, onCondition, signal, timing } = options;
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

  const fail = (reason: string, rejectedNumber?: string) => failWith(unavailable(reason), rejectedNumber);

  function failWith(error: AppError, rejectedNumber?: string): void {
    if (hasFailed || signal.aborted) return;
    hasFailed = true;
    clearTimeout(limit);
    first.reject(error);
    onStateChange({ status: 'unlinked', reason: error.message, rejectedNumber });
  }

  function end(reason: string): void {
    fail(reason);
    socket?.end();
  }

  const deadline = createDeadline(end);
  const limit = setTimeout(() => failWith(unreachable(STATE_REASONS.unreachable)), FIRST_CODE_LIMIT_MS);

  async function showPairingCode(used: Socket): Promise<void> {
    const goodForMs = pairingCodeMs(timing.qrMs);
    emitCode(await used.client.requestPairingCode(account.phoneNumber ?? ''), goodForMs);
    // The connection ends with the last QR code, which may be later.
    deadline.set(goodForMs, STATE_REASONS.nobody_in_time);
  }

  const { listener, submit } = createPasskeyStep({
    log: log.child({ accountId: account.accountId }),
    timing,
    link: () => socket?.passkey,
    onCondition,
    emit(passkey, goodForMs) {
      if (!hasFailed && !signal.aborted) onStateChange({ status: 'linking', method, passkey, goodForMs });
    },
    end,
    endAfter: deadline.set,
  });
  return {
    shown: first.promise,
    use: (used) => void (socket = used).ended.then(deadline.clear),
    async show(qr, goodForMs) {
      if (method === 'qr') return emitCode(qr, goodForMs);
      // A pairing code can be requested from the first QR code on.
      if (shown > 0 || !socket) return;
      shown += 1;
      await showPairingCode(socket).catch((error: unknown) => failWith(toPairingCodeError(error, onCondition)));
    },
    expire: () => end(STATE_REASONS.nobody_in_time),
    passkey: listener,
    submitPasskey: submit,
    fail,
    giveUp: (reason) => failWith(explainEnd(reason, shown > 0)),
  };
}

/** A pairing code is good for as long as QR codes are shown. */
const pairingCodeMs = (qrMs: number | undefined) => (qrMs ?? FIRST_QR_MS) + NEXT_QRS * (qrMs ?? NEXT_QR_MS);

/** Returns why no phone was linked. */
function explainEnd({ code, attrs }: CloseReason, hasShown: boolean): AppError {
  const ending = classifyEnding(code, attrs);
  if (ending.kind !== 'again') return unavailable(ending.reason);
  return unreachable(hasShown ? STATE_REASONS.link_broke : STATE_REASONS.unreachable);
}

/** Ends the linking at the time that was set last. */
function createDeadline(end: (reason: string) => void) {
  let timer: NodeJS.Timeout | undefined;
  return {
    set(ms: number, reason: string): void {
      clearTimeout(timer);
      timer = setTimeout(end, ms, reason);
    },
    clear: (): void => clearTimeout(timer),
  };
}

const TOO_MANY = 429;

function toPairingCodeError(error: unknown, onCondition: LinkingOptions['onCondition']): AppError {
  const code = rejectionCodeOf(error);
  if (code === undefined) return unreachable(STATE_REASONS.code_not_given, error);
  onCondition('pairing_code_refused');
  if (code === TOO_MANY) return new AppError('pairing_code_limited', STATE_REASONS.code_limited, { cause: error });
  return new AppError('pairing_code_refused', wordState('code_refused', code), { cause: error });
}
