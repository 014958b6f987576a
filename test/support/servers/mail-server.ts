import { SMTPServer } from 'smtp-server';

/** A mail as received. */
export interface ReceivedMail {
  to: string;
  from: string;
  messageId: string;
  subject: string;
  text: string;
  /** The fragment of its link; undefined if there is none. */
  code: string | undefined;
}

export interface MailServer {
  /** For `SMTP_URL`. */
  url: string;
  mails: ReceivedMail[];
  /** Resolves with the mails to an address once there are that many. */
  received(to: string, count?: number): Promise<ReceivedMail[]>;
  /** Sets the answer to each recipient: a status, or undefined to accept it. */
  refuse(status: number | undefined): void;
  /** Stops answering for matching recipients until the returned function is called. */
  hold(matching: RegExp): () => void;
  /** Number of rejected recipients. */
  refusals(): number;
  close(): Promise<void>;
}

/** A real SMTP server on the loopback address. */
export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  let refusal: number | undefined;
  let refusals = 0;
  let heldBack: { matching: RegExp; until: Promise<void> } | undefined;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    async onRcptTo({ address }, _session, done) {
      if (heldBack?.matching.test(address) === true) await heldBack.until;
      if (refusal === undefined) return done();
      refusals += 1;
      return done(Object.assign(new Error('not now, says the test'), { responseCode: refusal }));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address).join(' ');
        mails.push(read(Buffer.concat(chunks).toString('utf8'), to));
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const address = server.server.address();
  if (address === null || typeof address === 'string') throw new Error('the mail server has no port');
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    mails,
    async received(to, count = 1) {
      for (;;) {
        const found = mails.filter((mail) => mail.to === to);
        if (found.length >= count) return found;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    refuse(status) {
      refusal = status;
    },
    hold(matching) {
      const { promise, resolve } = Promise.withResolvers<void>();
      heldBack = { matching, until: promise };
      return resolve;
    },
    refusals: () => refusals,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function read(raw: string, to: string): ReceivedMail {
  const end = raw.indexOf('\r\n\r\n');
  const head = raw.slice(0, end).replaceAll(/\r\n[ \t]+/g, ' ');
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim() ?? '';
  const body = raw.slice(end + 4);
  const encoding = header('content-transfer-encoding');
  const text =
    encoding === 'quoted-printable'
      ? decodeQuoted(body.replaceAll('=\r\n', ''))
      : encoding === 'base64'
        ? Buffer.from(body, 'base64').toString('utf8')
        : body.replaceAll(/ \r\n/g, ' ');
  return {
    to,
    from: header('from'),
    messageId: header('message-id'),
    subject: decodeWords(header('subject')),
    text,
    code: /#([A-Za-z0-9_-]+)/.exec(text)?.[1],
  };
}

/** Bytes of UTF-8 that are written as `=C3=A4`. */
function decodeQuoted(text: string): string {
  const bytes = text.replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** The encoded words of a header (RFC 2047), in UTF-8. */
function decodeWords(header: string): string {
  return header
    .replaceAll(/\?= =\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, (_all, kind: string, word: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString('utf8')
        : decodeQuoted(word.replaceAll('_', ' ')),
    );
}
