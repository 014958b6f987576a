import type { EventExtra, PollExtra } from './ballot.ts';

import type { StoredCard } from './stored-card.ts';
import type { AccountId } from '../../platform/database/schema.ts';

/**
 * Everything a post has beside its text and its one file, as `contents.extras` stores it. Each property is absent if the post has no
 * such thing. A property that is added stays readable for ever: stored posts have it.
 */
export interface PostExtras {
  /** What recipients see as the name of the file, without what file systems forbid. Its extension is that of the file. */
  fileName?: string;
  /** The files of a post that takes them from the library, in their order; instead of the one file. */
  files?: PostFile[];
  poll?: PollExtra;
  event?: EventExtra;
  /** The card of a link in the text. */
  linkPreview?: StoredCard;
  /** Everybody in each group is mentioned, unless the workspace's cap for that is used up. */
  mentionAll?: true;
  /** For how many seconds the post is pinned in each group once it is sent. */
  pinSeconds?: number;
  /** The post replies to those of an earlier campaign. */
  replyTo?: ReplyTo;
  /** The post goes only to groups that have not read those of an earlier campaign. */
  followUp?: FollowUp;
  /** The account of the workspace that sends to all groups that it can post to; the senders of each group unless given. */
  accountId?: AccountId;
  /** The post goes to saved lists, as they are when a run begins. */
  groupLists?: GroupTargets;
  /** The template that the post began with. It may have been deleted since. */
  fromTemplate?: string;
}

/** Saved lists, and the groups that a post goes to besides theirs. */
export interface GroupTargets {
  listIds: readonly number[];
  groupIds: readonly number[];
}

/** The public id of a campaign of the same workspace. Without a run: the latest one that has begun by then. */
export interface ReplyTo {
  campaignId: string;
  runId?: number | undefined;
}

/** Groups in which fewer members than that have read the campaign, or its run, when a delivery is written. */
export interface FollowUp {
  /** The public id of a campaign of the same workspace. */
  campaignId: string;
  runId?: number | undefined;
  underPercent: number;
}

/** A file of the workspace in a post. */
export interface PostFile {
  mediaId: number;
  /** Of its own, in the messaging application's formatting. Default: the text of the post for the first file, none for the others. */
  caption?: string | undefined;
  /** As `fileName`. Default: the name that the file was uploaded with. */
  fileName?: string | undefined;
}

/** Those that ask recipients something: such a post is a message of its own, without text and file. */
export const ASKING = ['poll', 'event'] as const;

export const NO_EXTRAS: PostExtras = {};

/** Their names in requests and answers. */
export const EXTRAS_FIELDS = {
  fileName: 'file_name',
  files: 'media',
  mentionAll: 'mention_all',
  pinSeconds: 'pin_for',
  replyTo: 'reply_to',
  followUp: 'follow_up',
  accountId: 'account_id',
  groupLists: 'group_list_ids',
  fromTemplate: 'from_template',
  linkPreview: 'link_preview',
  poll: 'poll',
  event: 'event',
} as const satisfies Readonly<Record<keyof PostExtras, string>>;

export const EXTRAS_NAMES = Object.keys(EXTRAS_FIELDS) as Array<keyof PostExtras>;

/** Returns whether a stored post has a file. */
export const hasFileIn = ({ mediaId, extras }: { mediaId: number | null; extras: PostExtras }): boolean =>
  mediaId !== null || extras.files !== undefined;

/** Returns the field of a request that names the groups of a post: that of its lists if it has no others. */
export const groupsFieldOf = ({ groupLists }: PostExtras) =>
  groupLists?.groupIds.length === 0 ? EXTRAS_FIELDS.groupLists : 'group_metadata_ids';

/** Returns what is stored of the extras: null for none. */
export function storeExtras(extras: PostExtras): string | null {
  return Object.keys(extras).length === 0 ? null : JSON.stringify(extras);
}
