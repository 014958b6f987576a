import type { Body } from '../api/operations.ts';
import { withMentionAll } from '../../src/content/text/mention-all.ts';

export type PinFor = NonNullable<Body<'venom/pin-campaign'>['pin_for']>;
export const PIN_FORS: readonly PinFor[] = ['24h', '7d', '30d'];

export interface ReplyTo {
  campaign_id: string;
  run_id: number | null;
}

/** A post that leaves out groups that have read an earlier campaign. */
export interface FollowUp extends ReplyTo {
  under_percent: number;
}

/** The members that a post mentions, the groups that it leaves out, how long it is pinned, and which campaign it replies to. */
export interface Reach {
  mentionAll: boolean;
  pinFor: PinFor | null;
  replyTo: ReplyTo | null;
  followUp: FollowUp | null;
}

export const NO_REACH: Reach = { mentionAll: false, pinFor: null, replyTo: null, followUp: null };

interface WireReach {
  mention_all: boolean;
  pin_for: PinFor | null;
  reply_to: ReplyTo | null;
  follow_up: FollowUp | null;
}

/** Reads it from a campaign, a copy or a draft of the service. */
export function toReach(wire: WireReach): Reach {
  const { mention_all: mentionAll, pin_for: pinFor, reply_to: replyTo, follow_up: followUp } = wire;
  return { mentionAll, pinFor, replyTo, followUp };
}

/** Returns the fields of a request, without those that are off. */
export function reachFields({ mentionAll, pinFor, replyTo, followUp }: Reach) {
  return {
    ...(mentionAll && { mention_all: true }),
    ...(pinFor && { pin_for: pinFor }),
    ...(replyTo && { reply_to: replyTo }),
    ...(followUp && { follow_up: followUp }),
  };
}

/** Returns the changed fields as the body of update-campaign. */
export function diffReach(before: Reach, now: Reach): Partial<Body<'venom/update-campaign'>> {
  const isSame = before.replyTo?.campaign_id === now.replyTo?.campaign_id;
  const remove = [
    ...(before.pinFor !== null && now.pinFor === null ? ['pin_for' as const] : []),
    ...(before.replyTo !== null && now.replyTo === null ? ['reply_to' as const] : []),
    ...(before.followUp !== null && now.followUp === null ? ['follow_up' as const] : []),
  ];
  return {
    ...(before.mentionAll !== now.mentionAll && { mention_all: now.mentionAll }),
    ...(now.pinFor !== null && now.pinFor !== before.pinFor && { pin_for: now.pinFor }),
    ...(now.replyTo !== null && !isSame && { reply_to: now.replyTo }),
    ...(now.followUp !== null &&
      now.followUp.under_percent !== before.followUp?.under_percent && { follow_up: now.followUp }),
    ...(remove.length > 0 && { remove }),
  };
}

/** The text as members see it. */
export function shownText(text: string, { mentionAll }: Pick<Reach, 'mentionAll'>): string {
  return mentionAll ? withMentionAll(text) : text;
}
