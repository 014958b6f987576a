/** Links the number, by whichever way the operator likes, and shows codes for as long as that takes. */
import type { Operations } from '../../clients/typescript/operations.ts';
import { codeIn, secondsSince, StepFailedError, waitFor, type Checking } from './post.ts';
import type { Facts } from './report.ts';

type Status = Operations['venom/account-status']['data'];

export const readStatus = ({ client }: Checking): Promise<Status> => client.call('venom/account-status');

const PASSKEY =
  'WhatsApp asks for the passkey of this number. Open Account in the dashboard, and follow the steps there; this command waits.';

const isLinked = ({ messenger, status }: Status) => messenger === 'whatsapp' && status === 'connected';

export async function linkNumber(checking: Checking): Promise<Facts> {
  const { client, patience, say, prompt } = checking;
  if (isLinked(await readStatus(checking))) {
    say('The number is linked already.');
    return { status: 'connected' };
  }
  const method = /^c/i.test(await prompt()) ? 'pairing_code' : 'qr';
  const beginMs = performance.now();
  await client.call('venom/connect-account', { messenger: 'whatsapp', method });
  let shown: string | undefined;
  let hasPasskey = false;
  let wasPasskeyAsked = false;
  let characters: string | null | undefined;
  const found = await waitFor(
    patience,
    patience.peopleMs,
    async () => {
      const status = await readStatus(checking);
      const code = status.qr ?? status.pairing_code;
      if (code !== undefined && code !== shown) say(await drawCode(method, code));
      shown = code;
      if (status.passkey && !hasPasskey) say(PASSKEY);
      hasPasskey = status.passkey !== undefined;
      wasPasskeyAsked ||= hasPasskey;
      if (status.passkey?.verification_code && status.passkey.verification_code !== characters)
        say(`If the phone shows eight characters, compare them with these: ${status.passkey.verification_code}`);
      characters = status.passkey?.verification_code ?? characters;
      return status;
    },
    (status) => status.status !== 'linking' && status.status !== 'reconnecting',
  );
  const { status, reason } = found;
  const facts = { status, code: codeIn(reason), wasPasskeyAsked, linkedAfter: secondsSince(beginMs) };
  if (!isLinked(found)) throw new StepFailedError(reason ?? 'The number was not linked in time', facts);
  say(`Linked after ${facts.linkedAfter} s.`);
  return facts;
}

async function drawCode(method: 'qr' | 'pairing_code', code: string): Promise<string> {
  if (method === 'pairing_code') return `The code to enter: ${code}`;
  try {
    const { toString } = await import('qrcode');
    return `${await toString(code, { type: 'terminal', small: true })}\n${code}`;
  } catch {
    // The QR code library belongs to the dashboard's build, and may not be installed.
    return `Show this as a QR code, or link in the dashboard:\n${code}`;
  }
}
