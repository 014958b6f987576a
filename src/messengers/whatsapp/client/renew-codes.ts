import { randomBytes } from 'node:crypto';
import type { WASocket } from 'baileys';
import type { Log } from '../../../platform/log/log.ts';
import type { Node } from './node.ts';

/** The position of the ADV secret in the comma-separated text of a QR code. The phone signs the link with it. */
const SECRET_AT = 3;
const SECRET_BYTES = 32;

/**
 * While QR codes are shown WhatsApp may withdraw the secret in them, and no phone can link the account any more. The library does not
 * handle that notification. Makes a new secret, and shows the current code again with it. Returns the function that is to be called
 * with each code of the library.
 */
export function renewCodes(socket: WASocket, log: Log, show: (qr: string) => void): (qr: string) => void {
  const { creds } = socket.authState;
  let last: string | undefined;

  function emitCode(): void {
    if (last !== undefined) show(last.split(',').with(SECRET_AT, creds.advSecretKey).join(','));
  }

  socket.ws.on('CB:notification,type:companion_reg_refresh', ({ attrs: { id = '', from = '', type = '' } }: Node) => {
    // A pairing code: the secret is agreed with the phone when the code is entered.
    if (creds.me) return;
    creds.advSecretKey = randomBytes(SECRET_BYTES).toString('base64');
    // The library's own acknowledgement fails before there is a number. If this one fails, the connection ends, which is handled.
    socket.sendNode({ tag: 'ack', attrs: { id, to: from, class: 'notification', type } }).catch((error: unknown) => {
      log.debug({ err: error }, 'a notification could not be acknowledged');
    });
    emitCode();
  });
  return (qr) => {
    last = qr;
    emitCode();
  };
}
