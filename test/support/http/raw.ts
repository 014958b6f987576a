import { connect, type Socket } from 'node:net';

/** A connection below HTTP: sends bytes as they are and collects what comes back. */
export interface RawConnection {
  socket: Socket;
  send(text: string | Uint8Array): void;
  /** What came so far, once `isEnough` says so or the connection has ended. */
  received(isEnough?: (text: string) => boolean): Promise<string>;
}

export function rawConnection(url: string): RawConnection {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  let ended = false;
  const listeners = new Set<() => void>();
  const announce = () => {
    for (const listener of listeners) listener();
  };
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    announce();
  });
  for (const event of ['close', 'error'])
    socket.on(event, () => {
      ended = true;
      announce();
    });
  return {
    socket,
    send: (data) => void socket.write(data),
    received: (isEnough = () => false) =>
      new Promise((resolve) => {
        const look = () => {
          if (!ended && !isEnough(text)) return;
          listeners.delete(look);
          resolve(text);
        };
        listeners.add(look);
        look();
      }),
  };
}

/**
 * Slowloris: announces a big campaign and sends one byte every `everyMs` until the service closes the connection. Returns the answer and
 * the time until then in milliseconds.
 */
export async function dribble(
  url: string,
  token: string,
  { announced = 20_000_000, everyMs = 2_000, path = 'venom/add-campaign' } = {},
) {
  const raw = rawConnection(url);
  raw.send(
    `POST /api/v1/${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nauthorization: Bearer ${token}\r\ncontent-length: ${announced}\r\n\r\n{`,
  );
  const startedAt = performance.now();
  const drops = setInterval(() => raw.send(' '), everyMs);
  const text = await raw.received();
  clearInterval(drops);
  raw.socket.destroy();
  return { ...parseAnswer(text), ms: Math.round(performance.now() - startedAt) };
}

/** The parts of the first answer in `text`. */
export function parseAnswer(text: string): { status: number; headers: Headers; body: unknown } {
  const [head = '', body = ''] = text.split('\r\n\r\n', 2);
  const [line = '', ...fields] = head.split('\r\n');
  const headers = new Headers(
    fields.map((field) => [field.slice(0, field.indexOf(':')), field.slice(field.indexOf(':') + 1)]),
  );
  return { status: Number(line.split(' ')[1]), headers, body: JSON.parse(body) };
}

export interface RawAnswer {
  status: number;
  headers: Headers;
  body: string;
}

/**
 * Every answer in what a connection received, interim ones (100 Continue) left out; `heads` says of which answers no body follows.
 * Throws for bytes that belong to no answer; one that was cut off is left out.
 */
export function parseAnswers(text: string, heads: ReadonlySet<number> = new Set()): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let rest = text; rest !== '';) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) return answers;
    const [line = '', ...fields] = rest.slice(0, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1]);
    if (Number.isNaN(status)) throw new Error(`no answer begins like ${JSON.stringify(line.slice(0, 100))}`);
    const headers = new Headers(
      fields.map((field) => [field.slice(0, field.indexOf(':')), field.slice(field.indexOf(':') + 1)]),
    );
    const length = heads.has(answers.length) ? 0 : Number(headers.get('content-length') ?? 0);
    const from = end + 4;
    if (rest.length < from + length) return answers;
    if (status >= 200) answers.push({ status, headers, body: rest.slice(from, from + length) });
    rest = rest.slice(from + length);
  }
  return answers;
}
