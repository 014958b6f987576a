import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net';
import { join } from 'node:path';
import { createSecureContext, TLSSocket } from 'node:tls';

/** A certificate with its key, both PEM. */
export interface Certificate {
  key: string;
  cert: string;
}

/** A certificate authority whose certificate is in `file`. */
export interface Authority {
  certificate: Certificate;
  file: string;
  /** Returns a certificate for a name such as `IP:127.0.0.1` or `DNS:db.example`. */
  issue(name: string): Certificate;
}

/** Creates an authority by `openssl`, with its files in `folder`. */
export function createAuthority(folder: string, name: string): Authority {
  const file = join(folder, `${name}.pem`);
  const keyFile = join(folder, `${name}.key`);
  const openssl = (...words: string[]) => execFileSync('openssl', words, { encoding: 'utf8', stdio: 'pipe' });
  const createKey = () => openssl('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256');
  const key = createKey();
  writeFileSync(keyFile, key);
  const cert = openssl('req', '-x509', '-new', '-key', keyFile, '-days', '30', '-subj', `/CN=${name}`);
  writeFileSync(file, cert);
  return {
    certificate: { key, cert },
    file,
    issue(subject) {
      const [request, own, extension] = ['request', 'own', 'extension'].map((part) => join(folder, `${name}.${part}`));
      if (request === undefined || own === undefined || extension === undefined) throw new Error('three files');
      const ownKey = createKey();
      writeFileSync(own, ownKey);
      writeFileSync(extension, `subjectAltName=${subject}\n`);
      writeFileSync(request, openssl('req', '-new', '-key', own, '-subj', '/CN=database'));
      const signing = ['x509', '-req', '-in', request, '-CA', file, '-CAkey', keyFile, '-days', '30'];
      return { key: ownKey, cert: openssl(...signing, '-extfile', extension) };
    },
  };
}

/** The TLS side of a PostgreSQL server that has none: a proxy that answers an SSLRequest. */
export interface TlsProxy {
  port: number;
  /** New connections get this certificate; undefined: the server says that it has no TLS. */
  use(certificate: Certificate | undefined): void;
  /** Resets every open connection. */
  cut(): void;
  close(): Promise<void>;
}

export async function startTlsProxy(target: () => NetConnectOpts, first: Certificate): Promise<TlsProxy> {
  let certificate: Certificate | undefined = first;
  const open = new Set<Socket>();

  function carry(from: Socket, to: Socket) {
    open.add(from);
    from.on('error', () => to.destroy());
    from.once('close', () => {
      open.delete(from);
      to.destroy();
    });
    from.pipe(to);
  }

  const server = createServer((client) => {
    client.on('error', () => client.destroy());
    client.once('data', () => {
      if (!certificate) return client.end('N');
      client.write('S');
      const secure = new TLSSocket(client, { isServer: true, secureContext: createSecureContext(certificate) });
      const upstream = connect(target());
      carry(secure, upstream);
      carry(upstream, secure);
      return undefined;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy got no port');
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: address.port,
    use(next) {
      certificate = next;
    },
    cut,
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
