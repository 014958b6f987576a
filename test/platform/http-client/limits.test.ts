import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, createServer as createTcpServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { readAllowedHosts } from '../../../src/platform/network/allowed-hosts.ts';
import { createSafeHttpClient, type EgressOptions } from '../../../src/platform/http-client/safe-http-client.ts';
import { signOwnCertificate } from '../../../harness/whatsapp-peer/certificate.ts';

const own = signOwnCertificate();
const servers: Server[] = [];
const asked: Array<{ path: string; host: string | undefined; body: string }> = [];
const tunnels: string[] = [];
let plain: number;
let sealed: number;
let proxy: number;

const answer: RequestListener = (request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const path = request.url ?? '';
    asked.push({ path, host: request.headers.host, body: Buffer.concat(parts).toString() });
    if (path === '/silent') return;
    if (path === '/endless') {
      const timer = setInterval(() => response.write('x'.repeat(600)), 1);
      response.once('close', () => clearInterval(timer));
    } else if (path === '/trickles') {
      const timer = setInterval(() => response.write('x'), 1);
      response.once('close', () => clearInterval(timer));
    } else if (path === '/stalls') response.write('begun');
    else response.writeHead(429, { 'retry-after': '7' }).end('slow down');
  });
};

async function start(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

beforeAll(async () => {
  plain = await start(createServer(answer));
  sealed = await start(createHttpsServer({ key: own.privateKey, cert: own.certificate }, answer));
  const tunnel = createServer();
  tunnel.on('connect', (request, socket) => {
    tunnels.push(request.url ?? '');
    const [host = '', port] = (request.url ?? '').split(':');
    const target = connect(Number(port), host, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    target.pipe(socket).pipe(target);
    target.on('error', () => socket.destroy());
    socket.on('error', () => target.destroy());
  });
  proxy = await start(tunnel);
});
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

async function post(url: string, options: Partial<EgressOptions> = {}) {
  const allowed = readAllowedHosts(['127.0.0.0/8', 'hooks.example.com']);
  if (!allowed) throw new Error('no such hosts');
  const egress = createSafeHttpClient({ allowHttp: true, allowed, ca: own.certificate, ...options });
  try {
    return await egress.post(url, { headers: { 'x-mark': 'yes' }, body: '{"what":"ü"}' });
  } finally {
    egress.close();
  }
}

test('returns the status, Retry-After and the text of an answer', async () => {
  expect(await post(`http://127.0.0.1:${plain}/a?b=c`)).toMatchObject({
    status: 429,
    retryAfterSeconds: 7,
    body: 'slow down',
  });
  expect(asked.at(-1)).toEqual({ path: '/a?b=c', host: `127.0.0.1:${plain}`, body: '{"what":"ü"}' });
});

test('keeps one KiB of an endless answer, and does not wait for the rest', async () => {
  const { status, body } = await post(`http://127.0.0.1:${plain}/endless`);
  expect([status, body]).toEqual([200, 'x'.repeat(1024)]);
});

test('times out without a status, and resolves once it has one', async () => {
  await expect(post(`http://127.0.0.1:${plain}/silent`, { timeoutMs: 100 })).rejects.toThrow(/aborted/);
  expect(await post(`http://127.0.0.1:${plain}/stalls`, { timeoutMs: 100 })).toMatchObject({
    status: 200,
    body: 'begun',
  });
});

test('slowloris: times out on trickling headers, and resolves on a trickling body', async () => {
  expect(await post(`http://127.0.0.1:${plain}/trickles`, { timeoutMs: 100 })).toMatchObject({ status: 200 });
  const slow = createTcpServer((socket) => {
    socket.on('error', () => socket.destroy()).write('HTTP/1.1 200 OK\r\n');
    const timer = setInterval(() => socket.write('x-more: x\r\n'), 1);
    socket.once('close', () => clearInterval(timer));
  });
  slow.listen(0, '127.0.0.1');
  await once(slow, 'listening');
  onTestFinished(() => void slow.close());
  const { port } = slow.address() as AddressInfo;
  await expect(post(`http://127.0.0.1:${port}/`, { timeoutMs: 100 })).rejects.toThrow(/aborted/);
});

test('times out on a silent DNS server', async () => {
  const lookup = () => new Promise<string[]>(() => {});
  await expect(post('https://hooks.example.com/', { lookup, timeoutMs: 100 })).rejects.toThrow(/aborted/);
});

test('rejects a certificate for another name or of an unknown issuer', async () => {
  expect((await post(`https://127.0.0.1:${sealed}/`)).status).toBe(429);
  const lookup = async () => ['127.0.0.1'];
  await expect(post(`https://hooks.example.com:${sealed}/`, { lookup })).rejects.toThrow(/altnames/);
  await expect(post(`https://127.0.0.1:${sealed}/`, { ca: signOwnCertificate().certificate })).rejects.toThrow(
    /self-signed/,
  );
});

test('connects a proxy to the validated address, not to the name', async () => {
  const through = { HTTPS_PROXY: `http://127.0.0.1:${proxy}` };
  expect((await post(`https://127.0.0.1:${sealed}/through`, { proxy: through })).status).toBe(429);
  expect(asked.at(-1)?.path).toBe('/through');
  const lookup = async () => ['127.0.0.1'];
  await expect(post(`https://hooks.example.com:${sealed}/`, { lookup, proxy: through })).rejects.toThrow(/altnames/);
  expect(tunnels).toEqual([`127.0.0.1:${sealed}`, `127.0.0.1:${sealed}`]);
});
