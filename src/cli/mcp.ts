import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { readConfig } from '../platform/config/config.ts';
import { StartupError, UsageError } from '../platform/errors/errors.ts';
import { buildMcpHttp } from '../api/mcp/serve-http.ts';
import { serveMcpStdio } from '../api/mcp/serve-stdio.ts';
import type { Shell } from './shell.ts';

const PORT = /^\d{1,5}$/;

/**
 * `campanile mcp`: over stdio with the key in a file, or over HTTP, where each request carries a key. Resolves when the client has
 * gone, or at SIGTERM. Throws a UsageError for arguments it does not take, a StartupError for a file that cannot be read.
 */
export async function mcp({ given, input, output }: Shell): Promise<number> {
  const { url, keyFile, port, host, origins } = readGiven(given);
  if (port === undefined) {
    if (keyFile === undefined) throw new UsageError('Expected --key-file FILE, the file with the API key');
    await serveMcpStdio({ url, token: await readKey(keyFile) }, { input, output });
    return 0;
  }
  const { publicUrl } = readConfig();
  const server = buildMcpHttp({ url, allowedOrigins: publicUrl === undefined ? origins : [publicUrl, ...origins] });
  const address = await server.listen({ port, host });
  process.stderr.write(`Serving MCP on ${address}/mcp\n`);
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  await server.close();
  return 0;
}

function readGiven(given: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...given],
      options: {
        url: { type: 'string', default: 'http://127.0.0.1:3000' },
        'key-file': { type: 'string' },
        port: { type: 'string' },
        host: { type: 'string', default: '127.0.0.1' },
        'allow-origin': { type: 'string', multiple: true, default: [] },
      },
    });
    if (!URL.canParse(values.url)) throw new Error('--url must be an address');
    if (values.port !== undefined && !PORT.test(values.port)) throw new Error('--port must be a number');
    const origins = values['allow-origin'];
    if (!origins.every((one) => /^https?:$/.test(URL.parse(one)?.protocol ?? '')))
      throw new Error('--allow-origin must be an http:// or https:// address');
    const port = values.port === undefined ? undefined : Number(values.port);
    return { url: values.url, keyFile: values['key-file'], port, host: values.host, origins };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

async function readKey(file: string): Promise<string> {
  const key = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (key === '') throw new StartupError(`${file} contains no API key. Create one in the dashboard, under Settings.`);
  return key;
}
