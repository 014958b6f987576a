import { hashBody } from '../../workspaces/idempotency/hash-body.ts';
import type { PostExtras } from '../../content/post/post-extras.ts';
import type { NewCampaign } from '../campaigns/store.ts';

/** A post as an approval binds it: everything that groups get to see, which groups, and when. Nothing in it is fetched or chosen later. */
export interface AskedPost extends Omit<NewCampaign, 'workspaceId' | 'dueAt'> {
  isTest: boolean;
  /** When its first run is due, ISO 8601 in UTC; null: once it is approved. A schedule that was asked for again later has fewer runs. */
  firstDueAt: string | null;
  /** Of all its files, in hex: an id names the bytes only within one database. */
  sha256s: string[];
  /** Of the values that a post with fields said to its groups, in hex. Absent: it has none. */
  valuesSha256?: string | undefined;
}

/** Returns the SHA-256 of a post in its canonical form: two posts with the same hash are the same campaign, but for its tags. */
export function hashPost(asked: AskedPost): Buffer {
  const { tags: _, ...post } = asked;
  // As it is read again: without what JSON leaves out.
  return hashBody(JSON.parse(JSON.stringify(post)));
}

/** Returns the ids of all files of a post, the picture of its card among them, each once. */
export function listMediaIds({ mediaId, extras }: { mediaId: number | null; extras: PostExtras }): number[] {
  const { files = [], linkPreview } = extras;
  const ids = [mediaId, ...files.map((file) => file.mediaId), linkPreview?.picture?.mediaId];
  return [...new Set(ids.filter((id) => id !== null && id !== undefined))];
}
