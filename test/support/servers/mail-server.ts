import { SMTPServer } from 'smtp-server';

/** A mail as the server got it. */
export interface ReceivedMail {
  to: string;
  from: string;
  messageId: string;
  subject: string;
  text: string;
  /** What stands behind the `#` of its link; undefined without one. */
  code: string | undefined;
}

export interface MailServer {
  /** For `SMTP_URL`. */
  url: string;
  mails: ReceivedMail[];
  /** Resolves with the mails to an address once there are so many. */
  received(to: string, count?: number): Promise<ReceivedMail[]>;
  /** Answers each recipient with this status from now on; undefined accepts them. */
  refuse(status: number | undefined): void;
  /** Says nothing about recipients that match from now on, until the function that comes back is called. */
  hold(matching: RegExp): () => void;
  /** How many recipients it has refused. */
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
  const isQuoted = header('content-transfer-encoding') === 'quoted-printable';
  const body = raw.slice(end + 4);
  const text = isQuoted
    ? body
        .replaceAll('=\r\n', '')
        .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : body.replaceAll(/ \r\n/g, ' ');
  return {
    to,
    from: header('from'),
    messageId: header('message-id'),
    subject: header('subject'),
    text,
    code: /#([A-Za-z0-9_-]+)/.exec(text)?.[1],
  };
}
