import type { z } from 'zod';
import { plainFileName } from '../../content/media/file-name.ts';
import { EXTRAS_FIELDS, EXTRAS_NAMES, type PostExtras } from '../../content/post/post-extras.ts';
import { toWireCard } from './link-preview.ts';
import type { postExtras, postExtrasNames } from '../contract/post-extras.ts';
import { toFiles, toWireFiles } from './post-files.ts';
import { toBallot, toWireBallot } from './ballot-fields.ts';
import type { AccountId } from '../../platform/database/schema.ts';

/** How long posts stay pinned, in seconds. */
export const PIN_SECONDS = { '24h': 86_400, '7d': 604_800, '30d': 2_592_000 } as const;
type PinFor = keyof typeof PIN_SECONDS;

export type PostExtrasBody = Partial<z.output<z.ZodObject<typeof postExtras>>>;

const PIN_FORS = Object.keys(PIN_SECONDS) as PinFor[];

/** Returns the extras of a request, but for the card, which has to be prepared (`toCardRequest`). */
export function toExtras(body: PostExtrasBody): PostExtras {
  const { file_name: fileName, mention_all: mentionAll, pin_for: pinFor, reply_to: reply, follow_up: follow } = body;
  return {
    ...(fileName !== undefined && { fileName: plainFileName(fileName) }),
    ...(mentionAll && { mentionAll }),
    ...(pinFor !== undefined && { pinSeconds: PIN_SECONDS[pinFor] }),
    ...(reply && {
      replyTo: { campaignId: reply.campaign_id, ...(reply.run_id !== undefined && { runId: reply.run_id }) },
    }),
    ...(follow && {
      followUp: {
        campaignId: follow.campaign_id,
        ...(follow.run_id !== undefined && { runId: follow.run_id }),
        underPercent: follow.under_percent,
      },
    }),
    ...(body.account_id !== undefined && { accountId: body.account_id as AccountId }),
    ...toFiles(body.media),
    ...toBallot(body),
  };
}

/** Returns which extras a change takes away. */
export function toRemovedExtras({
  remove,
  mention_all: mentionAll,
}: PostExtrasBody & { remove: ReadonlyArray<z.output<typeof postExtrasNames>> }): Array<keyof PostExtras> {
  const fields: readonly string[] = mentionAll === false ? [...remove, 'mention_all'] : remove;
  return EXTRAS_NAMES.filter((name) => fields.includes(EXTRAS_FIELDS[name]));
}

/** Returns how long posts stay pinned as requests and answers have it; null if they are not. */
export function toPinFor(seconds: number | null | undefined): PinFor | null {
  return PIN_FORS.find((pinFor) => PIN_SECONDS[pinFor] === seconds) ?? null;
}

/** Returns the extras as answers have them. */
export function toWireExtras(extras: PostExtras) {
  const { fileName = null, mentionAll = false, pinSeconds, replyTo, followUp } = extras;
  return {
    file_name: fileName,
    mention_all: mentionAll,
    pin_for: toPinFor(pinSeconds),
    reply_to: replyTo ? { campaign_id: replyTo.campaignId, run_id: replyTo.runId ?? null } : null,
    follow_up: followUp
      ? { campaign_id: followUp.campaignId, run_id: followUp.runId ?? null, under_percent: followUp.underPercent }
      : null,
    account_id: extras.accountId ?? null,
    link_preview: toWireCard(extras),
    ...toWireBallot(extras),
  };
}

/** Returns the extras as answers have them that are bodies for other requests. */
export function toCopiedExtras(extras: PostExtras) {
  return { ...toWireExtras(extras), media: toWireFiles(extras.files) };
}
