import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openLine } from './line.ts';
import { readLog } from './log.ts';
import type { Behaviour, Entry } from './protocol.ts';

/** A running witness. */
export interface Witness {
  port: number;
  /** Replaces its behaviour. */
  behave(behaviour: Behaviour): Promise<void>;
  /** Returns all processed posts, in order of arrival. */
  entries(): Promise<Entry[]>;
  /** Returns the accounts with posts that have arrived and are not processed yet. */
  underWay(): Promise<number[]>;
  /** Stops it and removes its log. */
  stop(): Promise<void>;
}

/** Starts a witness in a child process, which exits with this one. */
export async function startWitness(seed = 1): Promise<Witness> {
  const folder = await mkdtemp(join(tmpdir(), 'campanile-witness-'));
  const path = join(folder, 'log');
  const child = spawn(process.execPath, [join(import.meta.dirname, 'witness.ts'), path, String(seed)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const [said] = (await Promise.race([once(createInterface(child.stdout), 'line'), ended])) as [string | number];
  if (typeof said !== 'string') throw new Error('the witness did not start');
  const port = Number(said);
  const line = openLine(port);
  await line.ready();
  return {
    port,
    async behave(behaviour) {
      await line.ask({ op: 'behave', behaviour });
    },
    entries: () => readLog(path),
    underWay: () => line.ask({ op: 'under way' }),
    async stop() {
      line.close();
      child.stdin.end();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
