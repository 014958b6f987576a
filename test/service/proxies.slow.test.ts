import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  askProxy,
  awaitProxy,
  change,
  freePort,
  has,
  makeCertificate,
  runNginx,
  type Asked,
  type ReverseProxy,
} from '../support/servers/reverse-proxy.ts';
import { removeService, startService, type Service } from '../support/service/service.ts';

/** The documented configurations of nginx and Caddy, unchanged, with the real proxies. */
const DEPLOY = join(import.meta.dirname, '../../deploy');
const HOST = 'campanile.example';
const ask = (proxy: ReverseProxy, method: string, path: string, asked: Omit<Asked, 'host'> = {}) =>
  askProxy(proxy, method, path, { host: HOST, ...asked });

let folder: string;
let service: Service;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'campanile-proxies-'));
  service = await startService({ environment: { PUBLIC_URL: `https://${HOST}`, ACCESS_LOG: 'true' } });
});
afterAll(async () => {
  await service.stop();
  await removeService(service);
  rmSync(folder, { recursive: true, force: true });
});

const proxies: ReadonlyArray<[name: string, isHere: boolean, start: () => Promise<ReverseProxy>]> = [
  ['nginx', has('nginx', '-v') && has('openssl', 'version'), startNginx],
  ['caddy', has('caddy', 'version') && has('openssl', 'version'), startCaddy],
];

describe.each(proxies)('behind %s', (name, isHere, start) => {
  let proxy: ReverseProxy;
  let token: string;
  beforeAll(async () => {
    if (isHere) proxy = await start();
  });
  afterAll(async () => {
    if (isHere) await proxy.stop();
  });
  beforeEach(({ skip }) => skip(!isHere, `${name} or openssl is not installed here`));

  test('serves the dashboard with its headers', async () => {
    const page = await ask(proxy, 'GET', '/', { headers: { accept: 'text/html' } });
    expect(page.status).toBe(200);
    expect(page.text).toContain('<script type="module"');
    expect(page.headers['strict-transport-security']).toContain('max-age');
    expect(page.headers['content-security-policy']).toContain("script-src 'self'");
  });

  test('logs the real address of a client with a forged X-Forwarded-For', async () => {
    const name = `u${proxy.port}`;
    const user = { user_name: name, password: 'a long sentence nobody has said' };
    const numbers = { phone_number: '+49 151 1234567', whatsapp_number: '+49 151 1234567' };
    const person = { ...user, ...numbers, first_name: 'A', last_name: '', email: `${name}@example.com` };
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    expect((await ask(proxy, 'POST', '/api/v1/user/create_user', { body: person, headers })).status).toBe(200);
    const signedIn = await ask(proxy, 'POST', '/api/v1/user/authorize_user', { body: user, headers });
    token = (JSON.parse(signedIn.text) as { data: { token: string } }).data.token;
    expect(service.log()).not.toContain('203.0.113.9');
    await expect
      .poll(() => service.log())
      .toContain('"path":"/api/v1/user/authorize_user","status":200,"address":"127.0.0.1"');
  });

  test('accepts a body of 24 MB and rejects one over the limit', async () => {
    const headers = { authorization: `Bearer ${token}` };
    const campaign = (bytes: number) => ({
      name: 'x',
      html: '<p>x</p>',
      group_metadata_ids: [],
      media: Buffer.alloc(bytes, 0x61).toString('base64'),
    });
    // Only its size is valid, which is checked first.
    const taken = await ask(proxy, 'POST', '/api/v1/venom/add-campaign', { headers, body: campaign(18_000_000) });
    expect(taken.status).toBe(400);
    const refused = await ask(proxy, 'POST', '/api/v1/venom/add-campaign', { headers, body: campaign(24_000_000) });
    expect(refused.status).toBe(413);
  });

  test('does not buffer events', async () => {
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
    const first = await ask(proxy, 'GET', '/api/v1/events', { headers, firstPiece: true });
    expect(first.headers['content-type']).toContain('text/event-stream');
    expect(first.text).not.toBe('');
  });

  test('hides the metrics', async () => {
    expect((await ask(proxy, 'GET', '/metrics')).status).toBe(404);
  });
});

async function startNginx(): Promise<ReverseProxy> {
  const { certificate, key } = makeCertificate(folder, HOST);
  const [plain, port] = [await freePort(), await freePort()];
  const example = change(readFileSync(join(DEPLOY, 'nginx.conf'), 'utf8'), [
    [/127\.0\.0\.1:3000/g, new URL(service.url).host],
    [/^ *listen \[::\].*\n/gm, ''],
    [/listen 80;/g, `listen 127.0.0.1:${plain};`],
    [/listen 443 /g, `listen 127.0.0.1:${port} `],
    [/ssl_certificate .*;/g, `ssl_certificate ${certificate};`],
    [/ssl_certificate_key .*;/g, `ssl_certificate_key ${key};`],
  ]);
  return awaitProxy(port, runNginx(folder, example), HOST);
}

async function startCaddy(): Promise<ReverseProxy> {
  const { certificate, key } = makeCertificate(folder, HOST);
  const [plain, port] = [await freePort(), await freePort()];
  const example = change(readFileSync(join(DEPLOY, 'Caddyfile'), 'utf8'), [
    [/127\.0\.0\.1:3000/g, new URL(service.url).host],
    [/^campanile\.example \{\n/gm, `${HOST}:${port} {\n\ttls ${certificate} ${key}\n`],
  ]);
  const file = join(folder, 'Caddyfile');
  writeFileSync(file, `{\n\tadmin off\n\thttp_port ${plain}\n\thttps_port ${port}\n\tauto_https off\n}\n${example}`);
  const env = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  return awaitProxy(port, spawn('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], { env }), HOST);
}
