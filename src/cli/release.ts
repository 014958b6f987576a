import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { listQueued, sumHeldParts, type HeldParts, type QueuedCampaign } from '../operations/hold/list-queued.ts';
import { readHold } from '../operations/hold/read-hold.ts';
import { resumeLedger } from '../operations/hold/resume-ledger.ts';
import type { Choice } from '../operations/hold/settle-queued.ts';
import { HOLD_FILE } from '../operations/hold/watch-ledger.ts';
import { AppError, StartupError, UsageError } from '../platform/errors/errors.ts';
import type { Shell } from './command.ts';
import { recordCommand } from './record-command.ts';
import { withDatabase } from './with-database.ts';
import { writeJson } from './write-json.ts';
import { formatTable } from './write-table.ts';

const HOW = `Choose for each campaign by its id, or for "all":
  --send ID      send the queued posts: to groups with the same message ids (WhatsApp drops repeated ids), to a channel only if the post is not found there.
                 Runs over six hours late are missed. Campaigns that are paused stay paused
  --unknown ID   do not send them: they count as failed with an unknown outcome, until a receipt proves that they were sent
Example: campanile release --unknown all`;

/**
 * `campanile release`: shows why the ledger is held and its queued deliveries. With choices, `--send ID` and `--unknown ID`, applies them
 * and ends the hold. Runs beside the service. Throws a UsageError for wrong arguments, and a StartupError with the remedy when the
 * operator has to change something.
 */
export async function release({ options, output }: Shell & { options: ReleaseOptions }): Promise<number> {
  const { choices, others } = readChoices(options);
  const isChoice = choices.size > 0 || others !== undefined;
  if (options.json && isChoice)
    throw new UsageError('--json only shows the queue: run the command without it to release');
  await withDatabase(async ({ config: { databaseUrl, dataDir }, db }) => {
    const held = await readHold(db);
    if (!held && databaseUrl === undefined && existsSync(join(dataDir, HOLD_FILE)))
      throw new StartupError(
        'The ledger is held from its first start on. Start Campanile, then run this command again.',
      );
    const queued = held ? await listQueued(db) : [];
    const parts = await sumHeldParts(db);
    if (options.json) return writeJson(output, { held: held ?? null, ...parts, campaigns: queued });
    if (!held) {
      output.write('The ledger is not held.\n');
      return;
    }
    const unknown = [...choices.keys()].find((id) => !queued.some((one) => one.campaignId === id));
    if (unknown !== undefined) throw new StartupError(`No queued campaign has the id ${unknown}`);
    // To look ends nothing.
    if (!isChoice) {
      output.write(`Held since ${held.since.toISOString()}: ${held.reason}\n`);
      if (held.servedAt) output.write(`The ledger is as of ${held.servedAt.toISOString()}\n`);
      output.write(`\n${showParts(parts)}\n${showQueued(queued)}\n${HOW}\n`);
      return;
    }
    try {
      await resumeLedger(db, { choices, others }, (trx, settled) => recordCommand(trx, 'ledger.released', settled));
    } catch (error) {
      if (error instanceof AppError) throw new StartupError(error.message, error);
      throw error;
    }
    output.write('Released the ledger. Sending resumes within a few seconds.\n');
  });
  return 0;
}

interface ReleaseOptions {
  send: readonly string[];
  unknown: readonly string[];
  json: boolean;
}

function readChoices(given: ReleaseOptions): { choices: Map<string, Choice>; others: Choice | undefined } {
  const choices = new Map<string, Choice>();
  let others: Choice | undefined;
  for (const choice of ['send', 'unknown'] as const)
    for (const id of given[choice]) {
      if (id === 'all' ? others !== undefined : choices.has(id))
        throw new UsageError(`${id} has two choices. Remove one.`);
      if (id === 'all') others = choice;
      else choices.set(id, choice);
    }
  return { choices, others };
}

function showParts({ begun, fellDue, madeSince }: HeldParts): string {
  const rows = Object.entries({
    'begun before the backup': begun,
    'fell due since': fellDue,
    'made while held, needs no choice': madeSince,
  }).map(([part, { campaigns, posts, since, lateRuns }]) => [
    part,
    String(campaigns),
    String(posts),
    String(lateRuns),
    since?.toISOString() ?? '',
  ]);
  return formatTable(['part', 'campaigns', 'posts', 'runs too late', 'first due'], rows);
}

function showQueued(queued: readonly QueuedCampaign[]): string {
  const rows = queued.map((one) => [
    one.campaignId,
    String(one.begun),
    String(one.queued - one.begun),
    String(one.latePosts),
    one.lastSentAt?.toISOString() ?? 'never',
    one.isPaused ? 'yes' : '',
    one.userName,
    one.name,
  ]);
  if (rows.length === 0) return 'Nothing is queued.\n';
  return formatTable(['campaign', 'begun', 'fell due', 'too late', 'last sent', 'paused', 'user', 'name'], rows);
}
