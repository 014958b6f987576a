import { execute, type Connection, type Database } from '../../platform/database/statements.ts';
import { AppError } from '../../platform/errors/errors.ts';
import { listQueued } from './list-queued.ts';
import { settleQueued, type Choice } from './settle-queued.ts';

/**
 * More than any earlier fencing record can have come to: so this ledger is the one that goes on, and whichever went on meanwhile is held. Without a
 * token it is one that no worker has served yet, which needs no fencing record.
 */
const RESUME_STEP = 2 ** 32;

export interface Choices {
  /** By campaign id. A choice for a campaign without queued deliveries has no effect. */
  choices: ReadonlyMap<string, Choice>;
  /** For all other campaigns. */
  others: Choice | undefined;
}

/**
 * Ends the hold. Applies the choice of each campaign with queued deliveries: its entry in `choices`, else `others`. Queued mail is
 * dropped: it has been sent already, or is too old. `also` runs in the same transaction and gets the number of campaigns per choice, such
 * as `send 1, unknown 2`. Throws `ledger_not_held`, or `release_incomplete` while a campaign has no choice, and then changes nothing.
 */
export async function resumeLedger(
  db: Database,
  { choices, others }: Choices,
  also: (trx: Connection, settled: string) => Promise<void>,
): Promise<void> {
  const queued = await listQueued(db);
  const open = queued.filter(({ campaignId }) => (choices.get(campaignId) ?? others) === undefined);
  if (open.length > 0)
    throw new AppError(
      'release_incomplete',
      `Choose "send" or "unknown" for each campaign. Still without a choice: ${open.map((one) => one.name).join(', ')}`,
    );
  const chosen = queued.map(({ campaignId }) => ({
    campaignId,
    choice: choices.get(campaignId) ?? others ?? 'unknown',
  }));
  for (const { campaignId, choice } of chosen) await settleQueued(db, campaignId, choice);
  const sent = chosen.filter(({ choice }) => choice === 'send').length;
  await db.transaction().execute(async (trx) => {
    const affected = await execute(trx)`
      update ledger set held_since = null, held_reason = null, database_identity = null, token = null, number = number + ${RESUME_STEP}::bigint
      where held_since is not null`;
    if (affected === 0) throw isNotHeld();
    await execute(trx)`update mails set sent_at = campanile_now() where sent_at is null`;
    await also(trx, `send ${sent}, unknown ${chosen.length - sent}`);
  });
}

export const isNotHeld = () => new AppError('ledger_not_held', 'The ledger is not held');
