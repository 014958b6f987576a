import { isPartialRejection } from '../failures.ts';

/** So many refused questions are enough: whoever is behind the next ones is looked for another time. */
const MAX_REJECTIONS = 100;

/**
 * Asks about everybody, at most so many at a time, and resolves to those about whom it was refused. WhatsApp refuses a whole batch
 * for one of them: such a batch is halved until that one is found, so that nothing is lost for the others. Rejects when `ask` does
 * for another reason.
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
