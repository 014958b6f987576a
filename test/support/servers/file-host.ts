import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PNG } from '../inputs/sample-files.ts';

/** A web server with files on loopback. */
export interface FileHost {
  /** The address of a picture. */
  url: string;
  /** Replaces the answers; by default each is a picture. */
  answer(next: (path: string, response: ServerResponse) => void): void;
  close(): Promise<void>;
}

export async function startFileHost(): Promise<FileHost> {
  let answer: (path: string, response: ServerResponse) => void = (_path, response) =>
    void response.writeHead(200).end(PNG);
  const server = createServer((request: IncomingMessage, response) => answer(request.url ?? '', response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/poster.png`,
    answer: (next) => void (answer = next),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
