import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A received webhook. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  type: string;
  data: Record<string, unknown>;
}

export type Reply = { status: number; headers?: Record<string, string>; text?: string } | 'silence';

/** A webhook receiver on loopback. */
export interface Receiver {
  url: string;
  received: Received[];
  /** Sets the answer to the next messages; the default is 204. A promise delays the answer until it is settled. */
  answer(reply: (message: Received) => Reply | Promise<Reply>): void;
  close(): Promise<void>;
}

export async function startReceiver(port = 0): Promise<Receiver> {
  const received: Received[] = [];
  let reply: (message: Received) => Reply | Promise<Reply> = () => ({ status: 204 });
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', async () => {
      const text = Buffer.concat(parts).toString();
      const { type, data } = JSON.parse(text) as Pick<Received, 'type' | 'data'>;
      const message = { path: request.url ?? '', headers: request.headers, text, type, data };
      received.push(message);
      const given = await reply(message);
      if (given !== 'silence') response.writeHead(given.status, given.headers).end(given.text);
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answer: (next) => void (reply = next),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
