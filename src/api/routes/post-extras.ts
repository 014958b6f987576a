import type { z } from 'zod';
import { plainFileName } from '../../content/media/file-name.ts';
import { EXTRAS_FIELDS, EXTRAS_NAMES, type PostExtras } from '../../content/post/post-extras.ts';
import { describeCard } from './link-preview.ts';
import type { postExtras, removableNames } from '../contract/post-extras.ts';
import type { FromWire } from '../wire.ts';
import { toFiles } from './post-files.ts';
import { describeBallot, toBallot } from './ballot-fields.ts';

/** How long posts stay pinned, in seconds. */
export const PIN_SECONDS = { '24h': 86_400, '7d': 604_800, '30d': 2_592_000 } as const;
type PinFor = keyof typeof PIN_SECONDS;

export type PostExtrasBody = Partial<FromWire<z.output<z.ZodObject<typeof postExtras>>>>;

const PIN_FORS = Object.keys(PIN_SECONDS) as PinFor[];

/** Returns the extras of a request, but for the card, which has to be prepared (`toCardRequest`). */
export function toExtras(body: PostExtrasBody): PostExtras {
  const { fileName, mentionAll, pinFor, replyTo, followUp, accountId } = body;
  return {
    ...(fileName !== undefined && { fileName: plainFileName(fileName) }),
    ...(mentionAll && { mentionAll }),
    ...(pinFor !== undefined && { pinSeconds: PIN_SECONDS[pinFor] }),
    ...(replyTo && { replyTo }),
    ...(followUp && { followUp }),
    ...(accountId !== undefined && { accountId }),
    ...toFiles(body.media),
    ...toBallot(body),
  };
}

/** Returns which extras a change takes away. */
export function toRemovedExtras({
  remove,
  mentionAll,
}: PostExtrasBody & { remove: ReadonlyArray<z.output<typeof removableNames>> }): Array<keyof PostExtras> {
  const fields: readonly string[] = mentionAll === false ? [...remove, 'mention_all'] : remove;
  return EXTRAS_NAMES.filter((name) => fields.includes(EXTRAS_FIELDS[name]));
}

/** Returns how long posts stay pinned as requests and answers have it; null if they are not. */
export function toPinFor(seconds: number | null | undefined): PinFor | null {
  return PIN_FORS.find((pinFor) => PIN_SECONDS[pinFor] === seconds) ?? null;
}

/** Returns the extras as answers have them. */
export function describeExtras(extras: PostExtras) {
  const { fileName, mentionAll = false, pinSeconds, replyTo, followUp, accountId } = extras;
  return {
    fileName,
    mentionAll,
    pinFor: toPinFor(pinSeconds),
    replyTo: replyTo && { ...replyTo, runId: replyTo.runId },
    followUp: followUp && { ...followUp, runId: followUp.runId },
    accountId,
    linkPreview: describeCard(extras),
    ...describeBallot(extras),
  };
}

/** Returns the extras as answers have them that are bodies for other requests. */
export function copyExtras(extras: PostExtras) {
  return { ...describeExtras(extras), media: extras.files };
}
