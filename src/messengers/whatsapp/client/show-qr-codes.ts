import { randomBytes } from 'node:crypto';
import { buildPairingQRData, DEFAULT_CONNECTION_CONFIG, type WASocket } from 'baileys';
import type { Log } from '../../../platform/log/log.ts';
import { FIRST_QR_MS, NEXT_QR_MS } from './engine.ts';
import { interceptStanzas } from './intercept-messages.ts';
import { childOf, childrenOf, notificationAck, textOf, type Node } from './node.ts';

interface QrOptions {
  log: Log;
  /** How long each code is shown, in milliseconds. Undefined: as long as WhatsApp accepts it. */
  qrMs: number | undefined;
  show(qr: string, goodForMs: number): void;
  /** The last code has expired. */
  onEnd(): void;
}

const SECRET_BYTES = 32;

/**
 * Shows the QR codes of a connection, one after the other. The library's own rotation ends the connection after the last code, also
 * while WhatsApp waits for a passkey; and it keeps showing a secret that WhatsApp has withdrawn, with which no phone can link the account.
 * Returns the function that stops the rotation.
 */
export function showQrCodes(socket: WASocket, { log, qrMs, show, onEnd }: QrOptions): () => void {
  const { creds } = socket.authState;
  let refs: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  let endsAtMs = 0;

  function emitCode(): void {
    const [ref] = refs;
    if (ref === undefined) return;
    const keys = [creds.noiseKey.public, creds.signedIdentityKey.public].map((key) =>
      Buffer.from(key).toString('base64'),
    );
    const [noise = '', identity = ''] = keys;
    const qr = buildPairingQRData(ref, noise, identity, creds.advSecretKey, DEFAULT_CONNECTION_CONFIG.browser);
    show(qr, Math.max(0, endsAtMs - performance.now()));
  }

  function showFirst(lifeMs: number): void {
    if (refs.length === 0) return onEnd();
    endsAtMs = performance.now() + lifeMs;
    emitCode();
    timer = setTimeout(() => {
      refs = refs.slice(1);
      showFirst(qrMs ?? NEXT_QR_MS);
    }, lifeMs);
  }

  function stop(): void {
    clearTimeout(timer);
    refs = [];
  }

  interceptStanzas(socket, 'iq,type:set,pair-device', (stanza) => {
    const { id = '', from = '' } = stanza.attrs;
    send({ tag: 'iq', attrs: { to: from, type: 'result', id } });
    stop();
    refs = childrenOf(childOf(stanza, 'pair-device'), 'ref').map(textOf);
    showFirst(qrMs ?? FIRST_QR_MS);
  });
  socket.ws.on('CB:notification,type:companion_reg_refresh', (stanza: Node) => {
    // A pairing code: the secret is agreed with the phone when the code is entered.
    if (creds.me) return;
    creds.advSecretKey = randomBytes(SECRET_BYTES).toString('base64');
    // The library's own acknowledgement fails before there is a number.
    send(notificationAck(stanza));
    emitCode();
  });
  socket.ev.on('connection.update', ({ connection, isNewLogin }) => {
    if (connection === 'close' || isNewLogin) stop();
  });
  return stop;

  /** If it cannot be sent, the connection ends, which is handled. */
  function send(node: Node): void {
    socket.sendNode(node).catch((error: unknown) => log.debug({ err: error }, 'a stanza could not be answered'));
  }
}
