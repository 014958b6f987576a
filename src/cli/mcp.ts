import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { readConfig } from '../platform/config/config.ts';
import { StartupError, UsageError } from '../platform/errors/errors.ts';
import { buildMcpHttp } from '../api/mcp/serve-http.ts';
import { serveMcpStdio } from '../api/mcp/serve-stdio.ts';
import type { Shell } from './command.ts';

const PORT = /^\d{1,5}$/;

/**
 * `campanile mcp`: over stdio with the key in a file, or over HTTP, where each request carries a key. Resolves when the client has
 * gone, or at SIGTERM. Throws a UsageError for arguments it does not take, a StartupError for a file that cannot be read.
 */
export async function mcp({ options, input, output }: Shell & { options: McpOptions }): Promise<number> {
  const { url, keyFile, port, host, origins } = checkOptions(options);
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

interface McpOptions {
  url: string;
  'key-file': string | undefined;
  port: string | undefined;
  host: string;
  'allow-origin': readonly string[];
}

function checkOptions({ url, 'key-file': keyFile, port, host, 'allow-origin': origins }: McpOptions) {
  if (!URL.canParse(url)) throw new UsageError('--url must be an address');
  if (port !== undefined && !PORT.test(port)) throw new UsageError('--port must be a number');
  if (!origins.every((one) => /^https?:$/.test(URL.parse(one)?.protocol ?? '')))
    throw new UsageError('--allow-origin must be an http:// or https:// address');
  return { url, keyFile, port: port === undefined ? undefined : Number(port), host, origins };
}

async function readKey(file: string): Promise<string> {
  const key = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (key === '') throw new StartupError(`${file} contains no API key. Create one in the dashboard, under Settings.`);
  return key;
}
