import type { ChangeWindow } from '../../messengers/windows.ts';
import type { MessengerCapabilities } from '../../messengers/messenger.ts';
import type { RevisedPost, RevisionTurn } from './claim-revisions.ts';

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
