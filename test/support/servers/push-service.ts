import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A push message as its browser decrypts it. */
export interface Pushed {
  endpoint: string;
  headers: IncomingHttpHeaders;
  /** The claims of the VAPID token. Its signature was verified with `publicKey`. */
  claims: { aud: string; exp: number; sub: string };
  /** What it was signed with, as base64url. */
  publicKey: string;
  said: { kind: string; count: number; name: string; page: string };
}

export interface PushService {
  pushed: Pushed[];
  /** A browser that subscribed here: what `subscribe_push` takes. */
  subscribe(): { endpoint: string; p256dh: string; auth: string };
  /** What it answers from now on; 201 unless said. */
  answer(status: number, headers?: Record<string, string>): void;
  /** Answers nothing from now on, until the function that comes back is called. */
  hold(): () => void;
  /** How often it was asked, whatever it answered. */
  asked(): number;
  close(): Promise<void>;
}

/** A push service on loopback, and the browsers that subscribed with it: by RFC 8030, 8188, 8291 and 8292. */
export async function startPushService(): Promise<PushService> {
  const pushed: Pushed[] = [];
  const browsers = new Map<string, { ecdh: ReturnType<typeof createECDH>; auth: Buffer }>();
  let status = 201;
  let answered: Record<string, string> = {};
  let asked = 0;
  let held = Promise.resolve();
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', async () => {
      asked += 1;
      await held;
      const browser = browsers.get(request.url ?? '');
      if (!browser) throw new Error(`nobody subscribed with ${request.url}`);
      const { headers } = request;
      if (status < 300)
        pushed.push({
          endpoint: origin + request.url,
          headers,
          ...readToken(headers.authorization ?? ''),
          said: JSON.parse(decrypt(Buffer.concat(parts), browser)) as Pushed['said'],
        });
      response.writeHead(status, answered).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    pushed,
    subscribe() {
      const path = `/push/${browsers.size}`;
      const ecdh = createECDH('prime256v1');
      const auth = randomBytes(16);
      const p256dh = ecdh.generateKeys().toString('base64url');
      browsers.set(path, { ecdh, auth });
      return { endpoint: origin + path, p256dh, auth: auth.toString('base64url') };
    },
    answer(next, headers = {}) {
      status = next;
      answered = headers;
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    asked: () => asked,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function decrypt(body: Buffer, { ecdh, auth }: { ecdh: ReturnType<typeof createECDH>; auth: Buffer }): string {
  const salt = body.subarray(0, 16);
  const keyEnd = 21 + body.readUInt8(20);
  const sender = body.subarray(21, keyEnd);
  const about = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), sender]);
  const key = Buffer.from(hkdfSync('sha256', ecdh.computeSecret(sender), auth, about, 32));
  const derive = (what: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', key, salt, `Content-Encoding: ${what}\0`, bytes));
  const sealed = body.subarray(keyEnd);
  const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
  decipher.setAuthTag(sealed.subarray(-16));
  const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]).toString();
  const end = plain.lastIndexOf('\u{2}');
  if (end === -1) throw new Error('the record does not end as a last one does');
  return plain.slice(0, end);
}

function readToken(authorization: string): Pick<Pushed, 'claims' | 'publicKey'> {
  const [, head = '', claims = '', signature = '', publicKey = ''] =
    /^vapid t=([^.]+)\.([^.]+)\.([^.]+), k=(\S+)$/.exec(authorization) ?? [];
  const point = Buffer.from(publicKey, 'base64url');
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
  const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned) throw new Error('it was signed with another key');
  return { claims: JSON.parse(Buffer.from(claims, 'base64url').toString()) as Pushed['claims'], publicKey };
}
