import { sleep } from '../../../platform/time/time.ts';
import type { LidMapping } from '../client/client.ts';
import { samePerson } from './participants.ts';
import type { EmitMemberEvents } from './member-event-emitter.ts';
import type { AccountId } from '../../../platform/database/schema.ts';

/** A send waits for the key store, so a database that is down must not hold it up for longer. */
const MAX_WAIT_MS = 5_000;

/**
 * Reports that LIDs and phone numbers belong to the same people, and waits until that is recorded. To be called before a new pair is
 * stored: a stored pair is not reported again, and what was counted for the number would stay counted.
 */
export async function emitLidMappings(
  emit: EmitMemberEvents,
  accountId: AccountId,
  pairs: readonly LidMapping[],
): Promise<void> {
  if (pairs.length === 0) return;
  const timeout = new AbortController();
  const recorded = emit(pairs.map(({ lid, number }) => samePerson(accountId, lid, number)));
  await Promise.race([recorded, sleep(MAX_WAIT_MS, timeout.signal)]);
  timeout.abort();
}
