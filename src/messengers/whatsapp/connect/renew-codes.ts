import { randomBytes } from 'node:crypto';
import type { BinaryNode, WASocket } from 'baileys';
import type { ILogger } from 'baileys/lib/Utils/logger.js';

/** Where in a code to scan the secret stands, with which a phone signs that it vouches for us. */
const SECRET_AT = 3;
const SECRET_BYTES = 32;

/**
 * While a new device shows its codes WhatsApp may withdraw the secret in them: no phone can link it any more then. The client knows
 * nothing of that. Makes a new secret instead, and has the code that is shown, and those that follow, carry it. Answers what is to be
 * told each code of the client's.
 */
export function renewCodes(client: WASocket, log: ILogger, show: (qr: string) => void): (qr: string) => void {
  const { creds } = client.authState;
  let last: string | undefined;

  function emitCode(): void {
    if (last !== undefined) show(last.split(',').with(SECRET_AT, creds.advSecretKey).join(','));
  }

  client.ws.on(
    'CB:notification,type:companion_reg_refresh',
    ({ attrs: { id = '', from = '', type = '' } }: BinaryNode) => {
      // Who enters a code on the phone agrees on a secret with it there.
      if (creds.me) return;
      creds.advSecretKey = randomBytes(SECRET_BYTES).toString('base64');
      // Before there is a number the client's own acknowledgement fails. Where this one does, the connection ends, which is dealt with.
      client.sendNode({ tag: 'ack', attrs: { id, to: from, class: 'notification', type } }).catch((error: unknown) => {
        log.info({ error }, 'a notification could not be acknowledged');
      });
      emitCode();
    },
  );
  return (qr) => {
    last = qr;
    emitCode();
  };
}
