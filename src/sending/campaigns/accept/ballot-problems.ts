import { readCount, type Connection } from '../../../platform/database/statements.ts';
import { ASKING, groupsFieldOf, type PostExtras } from '../../../content/post/post-extras.ts';
import { invalid, fieldError, type FieldError } from '../../../platform/errors/errors.ts';

/** Whether the post is a poll or an event, which needs no text. */
export function isBallot(extras: PostExtras): boolean {
  return ASKING.some((name) => extras[name] !== undefined);
}

/** Returns what keeps a poll or an event from being sent with the rest of its post: it is a message of its own (contract §3). */
export function findBallotProblems(extras: PostExtras, rest: { text: string; hasFile: boolean }): FieldError[] {
  const asking = ASKING.filter((name) => extras[name] !== undefined);
  if (asking.length > 1) return [fieldError('event', 'not_with_poll')];
  return rest.text === '' && !rest.hasFile ? [] : asking.map((field) => fieldError(field, 'own_message'));
}

/** Throws 400 for a poll or an event to channels, where votes cannot be counted. */
export async function requireCountedGroups(db: Connection, extras: PostExtras, groupIds: readonly number[]) {
  if (!isBallot(extras)) return;
  const channels = await countChannels(db, groupIds);
  if (channels === 0) return;
  const found = channels === 1 ? 'a channel' : `${channels} channels`;
  throw invalid([fieldError(groupsFieldOf(extras), 'votes_in_channels', { found })]);
}

/** Returns how many of these groups are channels. */
export function countChannels(db: Connection, groupIds: readonly number[]): Promise<number> {
  return readCount(db)`
    select count(*) from unnest(${[...groupIds]}::bigint[]) i (group_id) join groups g on g.group_id = i.group_id
    where g.kind = 'channel'`;
}
