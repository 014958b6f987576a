import { isPartialRejection } from '../failures.ts';

/** After so many rejections the culprits in the remaining batches are not searched for. */
const MAX_REJECTIONS = 100;

/**
 * Calls `ask` with batches of at most `most` subjects. WhatsApp rejects a whole batch because of one subject, so a rejected batch is
 * bisected until that subject is found. Resolves to the rejected subjects. Throws when `ask` throws another error.
 */
export async function queryInBatches<Subject>(
  subjects: readonly Subject[],
  { most, ask }: { most: number; ask: (batch: readonly Subject[]) => Promise<void> },
): Promise<{ rejected: Subject[] }> {
  const batches = toBatches(subjects, most);
  const rejected: Subject[] = [];
  let rejections = 0;
  for (let batch = batches.pop(); batch; batch = batches.pop()) {
    try {
      await ask(batch);
    } catch (error) {
      if (!isPartialRejection(error)) throw error;
      rejections += 1;
      if (batch.length === 1) rejected.push(...batch);
      else if (rejections < MAX_REJECTIONS) batches.push(...toBatches(batch, Math.ceil(batch.length / 2)));
    }
  }
  return { rejected };
}

export function toBatches<Subject>(subjects: readonly Subject[], most: number): Subject[][] {
  return Array.from({ length: Math.ceil(subjects.length / most) }, (_, index) =>
    subjects.slice(index * most, (index + 1) * most),
  );
}
