import type { ChangeWindow } from '../../messengers/windows.ts';
import type { MessengerCapabilities } from '../../messengers/messenger.ts';
import type { RevisedPost, RevisionTurn } from './claim-revisions.ts';
import { hasRow, readRows, type Connection } from '../../platform/database/statements.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { AppError } from '../../platform/errors/errors.ts';
import { ADVICE, describeFailure, type Failure } from '../../platform/errors/failures.ts';

/** The changes that the messaging application allows for a while only. */
type Kind = 'recall' | 'correct';

/**
 * Returns why a post can no longer be revised (contract §4); undefined if it can, or its age is unknown. Without `windows` it always
 * can, and so can a pin.
 */
export function whyTooLate(
  windows: MessengerCapabilities['changeWindows'],
  { kind }: Pick<RevisionTurn, 'kind'>,
  { ageMs, isChannel }: Pick<RevisedPost, 'ageMs' | 'isChannel'>,
): Failure | undefined {
  if (kind === 'pin' || kind === 'unpin') return undefined;
  const window = windows?.[kind];
  if (!window || ageMs === null) return undefined;
  const { groupMs, channelMs } = window;
  return ageMs > (isChannel ? channelMs : groupMs) ? tooLate(window, kind) : undefined;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export function tooLate({ groupMs, channelMs }: ChangeWindow, kind: Kind): Failure {
  const days = channelMs / (24 * HOUR_MS);
  return kind === 'recall'
    ? describeFailure('recall_too_late', { hours: groupMs / HOUR_MS, days })
    : describeFailure('correct_too_late', { minutes: groupMs / MINUTE_MS, days });
}

/** Without them every post can be changed. */
export interface WindowDeps {
  messengers?: ReadonlyMap<string, MessengerCapabilities> | undefined;
}

/**
 * Throws 409 (`too_late`) if the last post of each of these runs left so long ago that its messaging application changes none of them. Runs
 * of several messengers have the longest of their windows.
 */
export async function requireInTime(
  trx: Connection,
  { messengers }: WindowDeps,
  { workspaceId, runIds, kind }: { workspaceId: WorkspaceId; runIds: readonly number[]; kind: 'recall' | 'correct' },
): Promise<void> {
  const used = await readRows<{ messenger: string }>(trx)`
    select distinct messenger from accounts where workspace_id = ${workspaceId}`;
  const windows = used.map(({ messenger }) => messengers?.get(messenger)?.changeWindows?.[kind]);
  const [longest] = windows.toSorted((one, other) => (other?.groupMs ?? Infinity) - (one?.groupMs ?? Infinity));
  if (!longest) return;
  const isFound = await hasRow(trx)`
    select from runs r
    where r.workspace_id = ${workspaceId} and r.run_id = any(${[...runIds]}::bigint[]) and (
      r.progress_at > campanile_now() - ${longest.groupMs}::float8 * interval '1 millisecond'
      or r.progress_at > campanile_now() - ${longest.channelMs}::float8 * interval '1 millisecond' and exists (
        select from contents c join groups g on g.group_id = any(c.group_ids)
        where c.content_id = r.content_id and g.kind = 'channel'))
    limit 1`;
  if (!isFound) throw new AppError('too_late', `${tooLate(longest, kind).reason}. ${ADVICE.send_correction}`);
}
