/** A small proxy on the loopback address, SOCKS5 or HTTP (CONNECT), that wants a user and a password. */
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

export const PROXY_USER = 'ann';
export const PROXY_PASSWORD = 'secret-of-the-proxy';

export interface TestProxy {
  /** With user and password. */
  url: string;
  /** The addresses that clients asked for, `host:port`, oldest first. */
  asked: string[];
  stop(): Promise<void>;
}

/** `hosts` maps addresses, `host:port`, to those that the proxy connects to instead. */
export async function startProxy(
  kind: 'socks5' | 'http',
  hosts: Readonly<Record<string, string>> = {},
): Promise<TestProxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const tunnel = (client: Socket, address: string, onConnect: () => void) => {
    asked.push(address);
    const { hostname, port: to } = new URL(`tcp://${hosts[address] ?? address}`);
    const target = connect(Number(to), hostname, () => {
      onConnect();
      client.pipe(target).pipe(client);
    });
    sockets.add(target);
    target.on('error', () => client.destroy());
    client.on('error', () => target.destroy());
    target.on('close', () => client.destroy());
    client.on('close', () => target.destroy());
  };
  const server: Server =
    kind === 'http'
      ? createHttpProxy(tunnel)
      : createServer((client) => void serveSocks(client, tunnel).catch(() => client.destroy()));
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `${kind}://${PROXY_USER}:${PROXY_PASSWORD}@127.0.0.1:${taken}`,
    asked,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

type Tunnel = (client: Socket, address: string, onConnect: () => void) => void;

function createHttpProxy(tunnel: Tunnel): Server {
  const expected = `Basic ${Buffer.from(`${PROXY_USER}:${PROXY_PASSWORD}`).toString('base64')}`;
  const server = createHttpServer();
  server.on('connect', (request, client: Socket) => {
    if (request.headers['proxy-authorization'] !== expected)
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    else tunnel(client, request.url ?? '', () => client.write('HTTP/1.1 200 Connection Established\r\n\r\n'));
  });
  return server;
}

const VERSION = 5;
const WITH_PASSWORD = 2;
const NONE_ACCEPTABLE = 0xff;
const IPV4 = 1;

/** RFC 1928 and 1929. */
async function serveSocks(client: Socket, tunnel: Tunnel): Promise<void> {
  client.on('error', () => client.destroy());
  const read = readerOf(client);
  const [, methodCount = 0] = await read(2);
  const methods = await read(methodCount);
  if (!methods.includes(WITH_PASSWORD)) return void client.end(Buffer.from([VERSION, NONE_ACCEPTABLE]));
  client.write(Buffer.from([VERSION, WITH_PASSWORD]));
  await read(1);
  const user = (await read((await read(1))[0] ?? 0)).toString();
  const password = (await read((await read(1))[0] ?? 0)).toString();
  const isKnown = user === PROXY_USER && password === PROXY_PASSWORD;
  client.write(Buffer.from([1, isKnown ? 0 : 1]));
  if (!isKnown) return void client.end();
  const [, , , addressType] = await read(4);
  const host = addressType === IPV4 ? [...(await read(4))].join('.') : (await read((await read(1))[0] ?? 0)).toString();
  const port = (await read(2)).readUInt16BE();
  tunnel(client, `${host}:${port}`, () => client.write(Buffer.from([VERSION, 0, 0, IPV4, 0, 0, 0, 0, 0, 0])));
}

/** Reads exactly so many bytes at a time. What is left stays in the socket. Rejects when the client has gone. */
function readerOf(socket: Socket): (count: number) => Promise<Buffer> {
  return async (count) => {
    if (count === 0) return Buffer.alloc(0);
    for (;;) {
      const bytes = socket.read(count) as Buffer | null;
      if (bytes) return bytes;
      if (socket.destroyed || socket.readableEnded) throw new Error('the client has gone');
      // Not `readable`: with too few bytes it is emitted again at once, which starves everything else.
      await setTimeout(1);
    }
  };
}
