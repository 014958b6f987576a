import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isPublicAddress } from '../../../src/platform/http-client/validate-address.ts';
import { BlockedAddressError } from '../../../src/platform/http-client/validate-url.ts';
import { readAllowedHosts } from '../../../src/platform/network/allowed-hosts.ts';
import { createSafeHttpClient, type EgressOptions } from '../../../src/platform/http-client/safe-http-client.ts';
import { createDnsLookup } from '../../../src/platform/http-client/resolve-host.ts';
import { startNameServer, type NameServer } from '../../support/servers/name-server.ts';

let inside: Server;
let port: number;
const reached: string[] = [];
let names: NameServer;
const answers = new Map<string, string[][]>();

beforeAll(async () => {
  inside = createServer((request, response) => {
    reached.push(`${request.headers.host} ${request.url}`);
    if (request.url === '/redirect') response.writeHead(302, { location: `http://127.0.0.1:${port}/secret` });
    response.end('a secret');
  });
  inside.listen(0, '0.0.0.0');
  await once(inside, 'listening');
  const address = inside.address();
  port = typeof address === 'object' && address ? address.port : 0;
  names = await startNameServer((name) => {
    const list = answers.get(name) ?? [];
    return (list.length > 1 ? list.shift() : list[0]) ?? [];
  });
});
afterAll(() => {
  inside.closeAllConnections();
  inside.close();
  names.close();
});

const allow = (...list: string[]) => {
  const allowed = readAllowedHosts(list);
  if (!allowed) throw new Error('no such hosts');
  return allowed;
};

async function post(url: string, options: Partial<EgressOptions> = {}) {
  const egress = createSafeHttpClient({
    allowHttp: true,
    allowed: allow(),
    lookup: createDnsLookup([names.at]),
    ...options,
  });
  try {
    return await egress.post(url, { headers: { 'content-type': 'application/json' }, body: '{}' });
  } finally {
    egress.close();
  }
}

describe('SSRF: rejects a URL that leads to an address that is not public:', () => {
  const LITERALS = [
    'http://127.0.0.1:PORT/',
    'http://2130706433:PORT/',
    'http://0x7f000001:PORT/',
    'http://0x7f.0.0.1:PORT/',
    'http://0177.0.0.1:PORT/',
    'http://017700000001:PORT/',
    'http://127.1:PORT/',
    'http://127.0.1:PORT/',
    'http://0:PORT/',
    'http://0.0.0.0:PORT/',
    'http://127.0.0.1.:PORT/',
    'http://127。0。0。1:PORT/',
    'http://１２７.０.０.１:PORT/',
    'http://①②⑦.⓪.⓪.①:PORT/',
    'http://%31%32%37.0.0.1:PORT/',
    'http://127.0.0.1%2e:PORT/',
    'http:\\\\127.0.0.1:PORT/',
    'http:/\t/127.0.0.1:PORT/',
    'http://10.0.0.1:PORT/',
    'http://172.16.0.1:PORT/',
    'http://192.168.0.1:PORT/',
    'http://169.254.169.254/latest/meta-data/',
    'http://100.100.100.200/latest/meta-data/',
    'http://168.63.129.16/metadata/instance',
    'http://192.0.0.192/opc/v2/instance/',
    'http://224.0.0.1:PORT/',
    'http://255.255.255.255:PORT/',
    'http://[::1]:PORT/',
    'http://[::]:PORT/',
    'http://[0:0:0:0:0:0:0:1]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[::ffff:7f00:1]:PORT/',
    'http://[::127.0.0.1]:PORT/',
    'http://[64:ff9b::7f00:1]:PORT/',
    'http://[64:ff9b:1::7f00:1]:PORT/',
    'http://[2002:7f00:1::]:PORT/',
    'http://[2001:0:7f00:1::1]:PORT/',
    'http://[fe80::1]:PORT/',
    'http://[fec0::1]:PORT/',
    'http://[fd00:ec2::254]/latest/meta-data/',
    'http://[ff02::1]:PORT/',
    'http://[4000::1]:PORT/',
  ];

  test.each(LITERALS)('%s', async (url) => {
    await expect(post(url.replace('PORT', String(port)))).rejects.toThrow(BlockedAddressError);
    expect(reached).toEqual([]);
  });

  const SHAPES = [
    'https://example.com@127.0.0.1/',
    'https://user:password@hooks.example.com/',
    'ftp://hooks.example.com/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:6379/_SET',
    'data:text/plain,x',
    'unix:/var/run/docker.sock',
    'https://hooks.example.com/#@127.0.0.1',
    '//127.0.0.1/',
    'https://[fe80::1%25eth0]/',
    `https://hooks.example.com/${'x'.repeat(2_000)}`,
  ];

  test.each(SHAPES)('%s', async (url) => {
    await expect(post(url)).rejects.toThrow(BlockedAddressError);
  });

  test.each([
    ['a name that resolves to loopback', [['127.0.0.1']]],
    ['a name that resolves to the metadata service', [['169.254.169.254']]],
    ['a name with one public address and one that is not', [['93.184.215.14', '127.0.0.1']]],
    ['a name without an address', [[]]],
  ])('%s', async (_, list) => {
    answers.set('hooks.example.com', list);
    await expect(post(`http://hooks.example.com:${port}/`)).rejects.toThrow(/not public|ENODATA|ENOTFOUND/);
    await expect(post(`http://HOOKS.example.com.:${port}/`)).rejects.toThrow(/not public|ENODATA|ENOTFOUND/);
    expect(reached).toEqual([]);
  });

  test('localhost, by that name', async () => {
    answers.set('localhost', [['127.0.0.1']]);
    await expect(post(`http://localhost:${port}/`)).rejects.toThrow(/not public|ENODATA|ENOTFOUND/);
    await expect(post(`http://localhost.:${port}/`)).rejects.toThrow(/not public|ENODATA|ENOTFOUND/);
    expect(reached).toEqual([]);
  });

  test('http, unless allowed', async () => {
    await expect(post('http://hooks.example.com/', { allowHttp: false })).rejects.toThrow('must begin with https://');
  });
});

test('DNS rebinding: resolves a name once, and connects to that address', async () => {
  answers.set('rebinding.example.com', [['127.0.0.2'], ['127.0.0.1']]);
  names.asked.length = 0;
  const { status } = await post(`http://rebinding.example.com:${port}/first`, { allowed: allow('127.0.0.2') });
  expect(status).toBe(200);
  expect(names.asked.toSorted()).toEqual(['4 rebinding.example.com', '6 rebinding.example.com']);
  // Only the first of the two addresses is allowed.
  await expect(post(`http://rebinding.example.com:${port}/second`, { allowed: allow('127.0.0.2') })).rejects.toThrow(
    BlockedAddressError,
  );
  expect(reached.splice(0)).toEqual([`rebinding.example.com:${port} /first`]);
});

test('returns a redirect without following it', async () => {
  const answer = await post(`http://127.0.0.1:${port}/redirect`, { allowed: allow('127.0.0.0/8') });
  expect(answer.status).toBe(302);
  expect(reached.splice(0)).toEqual([`127.0.0.1:${port} /redirect`]);
});

test('allows the names and networks that operators list, and no others', async () => {
  answers.set('hooks.internal', [['127.0.0.1']]);
  const allowed = allow('hooks.internal', '*.svc.internal', '10.1.0.0/16');
  expect((await post(`http://hooks.internal:${port}/named`, { allowed })).status).toBe(200);
  expect(reached.splice(0)).toEqual([`hooks.internal:${port} /named`]);
  await expect(post(`http://127.0.0.1:${port}/`, { allowed })).rejects.toThrow(BlockedAddressError);
  expect(allowed.hasName('a.svc.internal')).toBe(true);
  expect(allowed.hasName('svc.internal.example.com')).toBe(false);
  expect(allowed.hasName('nothooks.internal')).toBe(false);
  expect(allowed.hasAddress('10.1.2.3')).toBe(true);
  expect(allowed.hasAddress('10.2.2.3')).toBe(false);
  expect(readAllowedHosts(['not a host'])).toBeUndefined();
});

test('recognises public addresses', () => {
  for (const address of ['93.184.215.14', '1.1.1.1', '2606:4700::1', '2a00:1450:4001:81b::200e'])
    expect(isPublicAddress(address)).toBe(true);
});
