import type { ChangeWindow } from '../../messengers/windows.ts';
import type { MessengerCapabilities } from '../../messengers/messenger.ts';
import type { RevisedPost, RevisionTurn } from './claim-revisions.ts';
import { hasRow, readRows, type Connection } from '../../platform/database/statements.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { AppError } from '../../platform/errors/errors.ts';

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
): string | undefined {
  if (kind === 'pin' || kind === 'unpin') return undefined;
  const window = windows?.[kind];
  if (!window || ageMs === null) return undefined;
  const { groupMs, channelMs } = window;
  return ageMs > (isChannel ? channelMs : groupMs) ? tooLate(window, kind) : undefined;
}

/** In one sentence for the user. */
export function tooLate({ groupMs, channelMs }: ChangeWindow, kind: Kind): string {
  const what = kind === 'recall' ? 'be deleted for everyone' : 'be changed';
  const howLong = `${formatDuration(groupMs)}, in a channel for ${formatDuration(channelMs)}`;
  return `Too late: a post can ${what} for ${howLong}. Send a correction as a new post`;
}

const UNITS = [
  { name: 'days', ms: 24 * 60 * 60_000 },
  { name: 'hours', ms: 60 * 60_000 },
] as const;

/** In the largest unit that it is a whole number of. */
function formatDuration(ms: number): string {
  const unit = UNITS.find((one) => ms % one.ms === 0) ?? { name: 'minutes', ms: 60_000 };
  return `${ms / unit.ms} ${unit.name}`;
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
  if (!isFound) throw new AppError('too_late', tooLate(longest, kind));
}
