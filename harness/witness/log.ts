import { open, readFile } from 'node:fs/promises';
import type { Entry } from './protocol.ts';

/** An append-only log. An entry survives any crash once `append` has resolved. */
export interface WitnessLog {
  append(entry: Entry): Promise<void>;
}

export async function openLog(path: string): Promise<WitnessLog> {
  const file = await open(path, 'a');
  let waiting: Array<{ line: string; done: () => void; failed: (error: unknown) => void }> = [];
  let writing = false;

  /** Group commit: entries that arrived meanwhile are synced together. */
  async function write() {
    writing = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await file.appendFile(batch.map(({ line }) => line).join(''));
        await file.datasync();
        for (const { done } of batch) done();
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    writing = false;
  }

  return {
    append(entry) {
      return new Promise((done, failed) => {
        waiting.push({ line: `${JSON.stringify(entry)}\n`, done, failed });
        if (!writing) void write();
      });
    },
  };
}

/** Returns all entries so far, in order of arrival. */
export async function readLog(path: string): Promise<Entry[]> {
  const text = await readFile(path, 'utf8');
  // The last line may be incomplete.
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  const entries = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Entry);
  return entries.toSorted((one, other) => one.arrival - other.arrival);
}
