import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import { until } from '../ledger.ts';

/** A real reverse proxy in front of the services of a test. */
export interface ReverseProxy {
  port: number;
  /** Reloads its configuration. */
  reload(): void;
  stop(): Promise<void>;
}

/** Returns whether a program is installed. */
export const has = (program: string, ...words: string[]): boolean => spawnSync(program, words).status === 0;

/** A request over HTTPS. */
export interface Asked {
  /** The host name. */
  host: string;
  headers?: Record<string, string>;
  body?: unknown;
  /** Resolves after the first chunk. */
  firstPiece?: boolean;
}

export interface Answered {
  status: number | undefined;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

export function askProxy(
  { port }: Pick<ReverseProxy, 'port'>,
  method: string,
  path: string,
  { host, headers = {}, body, firstPiece = false }: Asked,
): Promise<Answered> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const json =
    text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  const options = {
    host: '127.0.0.1',
    port,
    servername: host,
    method,
    path,
    agent: false,
    rejectUnauthorized: false,
    headers: { host, ...json, ...headers },
  };
  return new Promise<Answered>((resolve, reject) => {
    const request = httpsRequest(options, (answer) => {
      let said = '';
      const end = () => resolve({ status: answer.statusCode, headers: answer.headers, text: said });
      answer.setEncoding('utf8');
      answer.on('data', (piece: string) => {
        said += piece;
        if (firstPiece) {
          end();
          request.destroy();
        }
      });
      answer.once('end', end);
    });
    // A rejected body is cut off after the answer.
    request.once('error', reject);
    request.end(text);
  });
}

/** Creates a self-signed certificate. */
export function makeCertificate(folder: string, host: string): { certificate: string; key: string } {
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const words = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${host}`];
  spawnSync('openssl', [...words, '-out', certificate, '-keyout', key]);
  return { certificate, key };
}

export function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** Applies the replacements. Throws if one matches nothing, because the example would no longer be tested. */
export function change(text: string, replacements: ReadonlyArray<[RegExp, string]>): string {
  return replacements.reduce((changed, [pattern, by]) => {
    expect(changed).toMatch(pattern);
    return changed.replaceAll(pattern, by);
  }, text);
}

/** Runs nginx in this folder with this conf.d file. */
export function runNginx(folder: string, example: string): ChildProcess {
  const home = join(folder, 'nginx');
  mkdirSync(home);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${home}/${name};`,
  );
  const whole = `daemon off; pid ${home}/pid; error_log stderr; events {} http { access_log off; ${temporary.join(' ')}\n${example}\n}`;
  writeFileSync(join(home, 'nginx.conf'), whole);
  return spawn('nginx', ['-e', 'stderr', '-p', home, '-c', join(home, 'nginx.conf')]);
}

/** Resolves when the proxy answers. */
export async function awaitProxy(port: number, child: ChildProcess, host: string): Promise<ReverseProxy> {
  let said = '';
  child.stderr?.on('data', (piece: Buffer) => (said += piece.toString()));
  const proxy: ReverseProxy = {
    port,
    reload: () => void child.kill('SIGHUP'),
    async stop() {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
  await until(
    () =>
      askProxy(proxy, 'GET', '/health/live', { host }).then(
        ({ status }) => status,
        () => undefined,
      ),
    (status) => {
      if (child.exitCode !== null) throw new Error(`the proxy ended: ${said}`);
      return status === 200;
    },
  );
  return proxy;
}
