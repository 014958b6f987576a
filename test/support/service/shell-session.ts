import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

/** What the service answers: the envelope. */
export interface Answer {
  error: boolean;
  status: string;
  code: number;
  data: unknown;
}

/** Returns the only shell block of a document that signs a user up, verbatim. `path` is relative to the root. */
export function readSession(path: string): string {
  const document = readFileSync(join(import.meta.dirname, '../../..', path), 'utf8');
  const blocks = [...document.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
  const sessions = blocks.filter((block) => block.includes('user/create_user'));
  expect(sessions).toHaveLength(1);
  return sessions[0] ?? '';
}

/** Runs a shell script as a user would, but stops at its first error; resolves to the answers it printed. */
export async function runSession(script: string, environment: Record<string, string>): Promise<Answer[]> {
  const child = spawn('sh', ['-eu'], { env: { PATH: process.env['PATH'], ...environment } });
  let printed = '';
  let complaints = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  child.stdin.end(script);
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0 || complaints !== '') throw new Error(`the session ended with ${String(code)}: ${complaints}`);
  // Some answers end in a line break, some follow each other.
  return printed
    .trim()
    .split(/\n|(?<=\})(?=\{"error":)/)
    .map((line) => JSON.parse(line) as Answer);
}
