import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A page or a picture. A function answers by itself. */
export type Served =
  | { type?: string; body: string | Buffer }
  | ((request: IncomingMessage, response: ServerResponse) => void);

/** A web site on loopback. */
export interface WebSite {
  /** Without a slash at the end. */
  url: string;
  /** The paths that were requested, in order. */
  requested: string[];
  serve(path: string, served: Served): void;
  close(): Promise<void>;
}

export async function startWebSite(): Promise<WebSite> {
  const pages = new Map<string, Served>();
  const requested: string[] = [];
  const server = createServer((request, response) => {
    requested.push(request.url ?? '');
    const page = pages.get(request.url?.replace(/\?.*$/, '') ?? '');
    if (typeof page === 'function') return page(request, response);
    if (!page) return response.writeHead(404).end('not here');
    return response.writeHead(200, page.type === undefined ? {} : { 'content-type': page.type }).end(page.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requested,
    serve: (path, served) => void pages.set(path, served),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The HTML of a page with an Open Graph card. */
export function pageWithCard({
  title,
  description = '',
  image,
}: {
  title: string;
  description?: string;
  image?: string;
}): string {
  const picture = image === undefined ? '' : `<meta property="og:image" content="${image}">`;
  return `<!doctype html><html><head><meta charset="utf-8"><meta property="og:title" content="${title}">
    <meta property="og:description" content="${description}">${picture}</head><body>…</body></html>`;
}
