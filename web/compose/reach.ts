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

/** A text in place of that of the post, for groups of a language. */
export interface Translation {
  language: string;
  html: string;
}

/**
 * The members that a post mentions, the groups that it leaves out, how long it is pinned, which campaign and template it comes from, how it
 * fits each group, and its tags.
 */
export interface Reach {
  translations: readonly Translation[];
  mentionAll: boolean;
  pinFor: PinFor | null;
  replyTo: ReplyTo | null;
  followUp: FollowUp | null;
  fromTemplate: string | null;
  /** Saved lists, whose groups of that moment each run goes to as well. */
  groupListIds: readonly number[];
  /** Its placeholders are filled for each group. */
  withFields: boolean;
  /** Groups without a value get no post. */
  leavesOut: boolean;
  tags: readonly string[];
}

export const NO_REACH: Reach = {
  mentionAll: false,
  pinFor: null,
  replyTo: null,
  followUp: null,
  translations: [],
  withFields: false,
  leavesOut: false,
  fromTemplate: null,
  tags: [],
  groupListIds: [],
};

interface WireReach {
  mention_all: boolean;
  pin_for: PinFor | null;
  reply_to: ReplyTo | null;
  follow_up: FollowUp | null;
  from_template: string | null;
  translations?: readonly Translation[] | undefined;
  group_list_ids?: readonly number[] | undefined;
  with_fields?: boolean | undefined;
  on_missing_value?: 'reject' | 'leave_out' | undefined;
  tags?: readonly string[] | undefined;
}

/** Reads it from a campaign, a copy or a draft of the service. */
export function toReach(wire: WireReach): Reach {
  const { mention_all: mentionAll, pin_for: pinFor, reply_to: replyTo, follow_up: followUp } = wire;
  const { translations = [], with_fields: withFields = false, tags = [] } = wire;
  const leavesOut = wire.on_missing_value === 'leave_out';
  const { group_list_ids: groupListIds = [], from_template: fromTemplate } = wire;
  const fields = { translations, withFields, leavesOut };
  return { mentionAll, pinFor, replyTo, followUp, ...fields, fromTemplate, groupListIds, tags };
}

/** Returns the fields of a request, without those that are off. */
export function reachFields({ mentionAll, pinFor, replyTo, followUp, fromTemplate, tags, ...more }: Reach) {
  const { translations, withFields, leavesOut, groupListIds } = more;
  return {
    ...(groupListIds.length > 0 && { group_list_ids: [...groupListIds] }),
    ...(mentionAll && { mention_all: true }),
    ...(pinFor && { pin_for: pinFor }),
    ...(replyTo && { reply_to: replyTo }),
    ...(followUp && { follow_up: followUp }),
    ...(fromTemplate !== null && { from_template: fromTemplate }),
    ...(translations.length > 0 && { translations: [...translations] }),
    ...(withFields && { with_fields: true }),
    ...(leavesOut && { on_missing_value: 'leave_out' as const }),
    ...(tags.length > 0 && { tags: [...tags] }),
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
    ...(before.groupListIds.join() !== now.groupListIds.join() && { group_list_ids: [...now.groupListIds] }),
    ...(before.mentionAll !== now.mentionAll && { mention_all: now.mentionAll }),
    ...(now.pinFor !== null && now.pinFor !== before.pinFor && { pin_for: now.pinFor }),
    ...(now.replyTo !== null && !isSame && { reply_to: now.replyTo }),
    ...(now.followUp !== null &&
      now.followUp.under_percent !== before.followUp?.under_percent && { follow_up: now.followUp }),
    ...(before.withFields !== now.withFields && { with_fields: now.withFields }),
    ...(before.leavesOut !== now.leavesOut && {
      on_missing_value: now.leavesOut ? ('leave_out' as const) : ('reject' as const),
    }),
    ...(remove.length > 0 && { remove }),
    ...(before.tags.join('\n') !== now.tags.join('\n') && { tags: [...now.tags] }),
  };
}

/** The text as members see it. */
export function shownText(text: string, { mentionAll }: Pick<Reach, 'mentionAll'>): string {
  return mentionAll ? withMentionAll(text) : text;
}
