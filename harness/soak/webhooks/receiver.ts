import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { pick } from '../../../test/support/inputs/random.ts';
import { sleep } from '../../../src/platform/time/time.ts';

/** How a receiver behaves: it accepts at once, accepts slowly, answers with an error or not at all, or is down. */
export type Mood = 'well' | 'slow' | 'wrong' | 'killed';

/** What a receiver has found wrong, all in all. */
export interface Verdict {
  /** Messages taken, each once. */
  taken: number;
  /** Taken before, with the same id. */
  doubles: number;
  /** Told before one that comes earlier was taken: out of order, or lost. */
  tooEarly: number;
  /** Told once more with another id. */
  otherIds: number;
}

export interface Receiver {
  /** Of an endpoint, by its number. */
  url(endpoint: number): string;
  become(mood: Mood): Promise<void>;
  verdicts(): Verdict[];
  close(): Promise<void>;
}

/** What one endpoint knows. Events are numbered from 1. */
interface Endpoint extends Verdict {
  ids: Map<number, string>;
}

const SLOW_MS = 100;
const WRONG_ANSWERS = [302, 400, 404, 429, 500, 503, 'silence', 'hang up'] as const;

/** A server on loopback with so many endpoints, which verify the messages that they receive. */
export async function startReceiver(endpoints: number, random: () => number): Promise<Receiver> {
  const known: Endpoint[] = Array.from({ length: endpoints }, () => ({
    taken: 0,
    doubles: 0,
    tooEarly: 0,
    otherIds: 0,
    ids: new Map(),
  }));
  let mood: Mood = 'well';
  let server = createServer(answer);

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => void reply(request, response, Buffer.concat(parts).toString()));
  }

  async function reply(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    if (mood === 'slow') await sleep(SLOW_MS);
    if (mood !== 'wrong') {
      take(known[Number(request.url?.slice(1))], String(request.headers['webhook-id']), body);
      response.writeHead(204).end();
      return;
    }
    const wrong = pick(random, WRONG_ANSWERS);
    if (wrong === 'hang up') response.destroy();
    else if (wrong !== 'silence') response.writeHead(wrong, wrong === 302 ? { location: '/0' } : {}).end('no');
  }

  async function listen(port: number): Promise<void> {
    server = createServer(answer).listen(port, '127.0.0.1');
    await once(server, 'listening');
  }

  async function close(): Promise<void> {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  await listen(0);
  const port = portOf(server);
  return {
    url: (endpoint) => `http://127.0.0.1:${port}/${endpoint}`,
    async become(next) {
      if (next === 'killed') await close();
      else if (mood === 'killed') await listen(port);
      mood = next;
    },
    verdicts: () => known,
    close,
  };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the receiver listens nowhere');
  return address.port;
}

function take(endpoint: Endpoint | undefined, id: string, body: string): void {
  const { type, data } = JSON.parse(body) as { type: string; data: { n: number } };
  if (!endpoint || type !== 'run.completed') return;
  const before = endpoint.ids.get(data.n);
  if (before === id) endpoint.doubles += 1;
  else if (before !== undefined) endpoint.otherIds += 1;
  else if (data.n !== endpoint.taken + 1) endpoint.tooEarly += 1;
  else {
    endpoint.taken += 1;
    endpoint.ids.set(data.n, id);
  }
}
