import { sleep } from '../lib/time.ts';

const RETRY_MS = 500;

/** Writes until that succeeds, which repeats must not harm: what was done is not lost while the database is away. */
export async function writeSurely<Result>(
  write: () => Promise<Result>,
  onFailure: (error: unknown) => void,
): Promise<Result> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      onFailure(error);
      await sleep(RETRY_MS * (0.5 + Math.random()));
    }
  }
}
