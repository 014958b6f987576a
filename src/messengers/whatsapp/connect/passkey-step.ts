/** A phone has agreed, and WhatsApp asks for the passkey of its number: what the user is shown, and the answer that they bring. */
import { STATE_REASONS } from '../../../platform/errors/account-states.ts';
import { AppError, fieldError } from '../../../platform/errors/errors.ts';
import type { Log } from '../../../platform/log/log.ts';
import type { PasskeyAssertion, PasskeyStep } from '../../messenger.ts';
import { QueryRejectedError, unreachable } from '../client/errors.ts';
import type { PasskeyLink, PasskeyListener, PasskeyOptions } from '../client/engine.ts';
import type { WhatsAppCondition } from './conditions.ts';

interface StepOptions {
  log: Log;
  /** How long WhatsApp waits for the answer to a challenge, and we for the phone, in milliseconds. */
  timing: { passkeyMs: number; phoneMs: number };
  /** Of the connection that the phone has agreed to. */
  link(): PasskeyLink | undefined;
  onCondition(condition: WhatsAppCondition): void;
  emit(step: PasskeyStep, goodForMs: number): void;
  /** Ends the linking, now or after that many milliseconds. */
  end(reason: string): void;
  endAfter(ms: number, reason: string): void;
}

const OTHER_REQUEST = 'This is the answer to an earlier request: use the line that is shown now';
const NO_ANSWER = 'WhatsApp did not answer: try again in a moment';

export function createPasskeyStep({ log, timing, link, onCondition, emit, end, endAfter }: StepOptions) {
  const { passkeyMs, phoneMs } = timing;
  let options: PasskeyOptions | undefined;
  let verificationCode: string | null = null;

  function request(requested: PasskeyOptions): void {
    options = requested;
    verificationCode = null;
    emit({ requestOptions: requested, verificationCode }, passkeyMs);
    endAfter(passkeyMs, STATE_REASONS.passkey_not_shown);
  }

  /** `options` are gone: the assertion was accepted. */
  function awaitPhone(): void {
    emit({ requestOptions: null, verificationCode }, phoneMs);
    endAfter(phoneMs, STATE_REASONS.passkey_not_continued);
  }

  /** A challenge is good for one answer. WhatsApp may give no other, or take this one again. */
  async function renew(used: PasskeyLink): Promise<void> {
    try {
      request(await used.fetchOptions());
    } catch (error) {
      log.warn({ err: error }, 'WhatsApp gave no new challenge after it rejected a passkey');
    }
  }

  const listener: PasskeyListener = {
    onRequest(requested) {
      log.info('WhatsApp asks for a passkey to link an account');
      onCondition('passkey_asked');
      request(requested);
    },
    onVerificationCode(code) {
      verificationCode = code;
      options = undefined;
      awaitPhone();
    },
    onFailure(error) {
      log.warn({ err: error }, 'an account could not be linked by a passkey');
      end(STATE_REASONS.passkey_failed);
    },
  };
  return {
    listener,
    /** As `MessengerSession.submitPasskey`. */
    async submit(assertion: PasskeyAssertion): Promise<void> {
      const used = link();
      if (!options || !used) throw new AppError('passkey_not_requested', STATE_REASONS.passkey_not_requested);
      if (!isFor(assertion, options)) throw rejected(OTHER_REQUEST);
      await showTo(used, assertion, async (code) => {
        log.warn({ code }, 'WhatsApp rejected a passkey');
        await renew(used);
      });
      // The phone may have continued meanwhile.
      if (!options) return;
      options = undefined;
      awaitPhone();
    },
  };
}

async function showTo(
  link: PasskeyLink,
  assertion: PasskeyAssertion,
  onRejection: (code: number) => Promise<void>,
): Promise<void> {
  try {
    await link.submit(toWire(assertion));
  } catch (error) {
    if (!(error instanceof QueryRejectedError)) throw unreachable(NO_ANSWER, error);
    await onRejection(error.code);
    throw rejected(
      `WhatsApp rejected it (${error.code}): use the line that is shown now, and the passkey of this number`,
    );
  }
}

/** As WhatsApp Web writes it. */
function toWire({ id, rawId, type, response }: PasskeyAssertion): { credentialId: Buffer; json: string } {
  const { clientDataJSON, authenticatorData, signature, userHandle = null } = response;
  const json = { id, rawId, type, response: { clientDataJSON, authenticatorData, signature, userHandle } };
  return { credentialId: Buffer.from(rawId, 'base64url'), json: JSON.stringify(json) };
}

function rejected(issue: string): AppError {
  return new AppError('assertion_rejected', issue, {
    details: [fieldError('assertion', 'assertion', { reason: issue })],
  });
}

/** Whether the assertion was made for this challenge. WhatsApp checks the rest. */
function isFor({ response }: PasskeyAssertion, { challenge }: PasskeyOptions): boolean {
  const answered = readClientData(response.clientDataJSON);
  const bytes = (text: string) => Buffer.from(text, 'base64url');
  return answered !== undefined && bytes(answered).equals(bytes(challenge));
}

/** Returns the challenge; undefined if these are not the client's data of an assertion. */
function readClientData(encoded: string): string | undefined {
  try {
    const data: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString());
    if (typeof data !== 'object' || data === null || !('challenge' in data)) return undefined;
    return typeof data.challenge === 'string' ? data.challenge : undefined;
  } catch {
    return undefined;
  }
}
