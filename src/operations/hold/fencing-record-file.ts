/** The fencing record of an installation in STATE_DIR: how far its ledger had come when this machine last served it. */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCodeOf } from '../../platform/errors/errors.ts';
import { z } from 'zod';

const FencingRecord = z.object({ number: z.number(), token: z.string() });

export type FencingRecord = z.infer<typeof FencingRecord>;

/** Where fencing records are kept, by the installations' ids. */
export interface FencingRecords {
  /** Undefined where there is none, or one that a crash of the machine has cut off. */
  read(installationId: string): Promise<FencingRecord | undefined>;
  /** Puts the fencing record in place of the one before, whole. */
  write(installationId: string, record: FencingRecord): Promise<void>;
}

export const fencingRecordsIn = (stateDir: string): FencingRecords => ({
  read: (installationId) => readFencingRecord(stateDir, installationId),
  write: (installationId, record) => writeFencingRecord(stateDir, installationId, record),
});

const fileOf = (stateDir: string, installationId: string) => join(stateDir, 'marks', `${installationId}.json`);

async function readFencingRecord(stateDir: string, installationId: string): Promise<FencingRecord | undefined> {
  try {
    const text = await readFile(fileOf(stateDir, installationId), 'utf8');
    return FencingRecord.safeParse(text === '' ? undefined : JSON.parse(text)).data;
  } catch (error) {
    if (error instanceof SyntaxError || errorCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** It is not forced onto the disk: what a power cut takes leaves an earlier fencing record, which holds nothing that would not be held anyway. */
async function writeFencingRecord(stateDir: string, installationId: string, record: FencingRecord): Promise<void> {
  const file = fileOf(stateDir, installationId);
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  await mkdir(join(stateDir, 'marks'), { recursive: true, mode: 0o700 });
  try {
    await writeFile(draft, `${JSON.stringify(record)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}
