import type { z } from 'zod';
import { plainFileName } from '../../content/media/file-name.ts';
import { EXTRAS_FIELDS, EXTRAS_NAMES, type PostExtras } from '../../content/post/post-extras.ts';
import { describeCard } from './link-preview.ts';
import type { postExtras, postExtrasNames } from '../contract/post-extras.ts';
import type { FromWire } from '../wire.ts';
import { toFiles } from './post-files.ts';
import { describeBallot, toBallot } from './ballot-fields.ts';

/** How long posts stay pinned, in seconds. */
export const PIN_SECONDS = { '24h': 86_400, '7d': 604_800, '30d': 2_592_000 } as const;
type PinFor = keyof typeof PIN_SECONDS;

export type PostExtrasBody = Partial<FromWire<z.output<z.ZodObject<typeof postExtras>>>> & {
  withFields?: boolean | undefined;
  groupMetadataIds?: readonly number[] | undefined;
};

const PIN_FORS = Object.keys(PIN_SECONDS) as PinFor[];

/** Returns the extras of a request, but for the card, which has to be prepared (`toCardRequest`). */
export function toExtras(body: PostExtrasBody): PostExtras {
  const { fileName, mentionAll, pinFor, replyTo, followUp, accountId, fromTemplate, withFields } = body;
  const { groupListIds: lists = [], groupMetadataIds: groupIds = [] } = body;
  return {
    ...(fileName !== undefined && { fileName: withFields ? fileName : plainFileName(fileName) }),
    ...(mentionAll && { mentionAll }),
    ...(pinFor !== undefined && { pinSeconds: PIN_SECONDS[pinFor] }),
    ...(replyTo && { replyTo }),
    ...(followUp && { followUp }),
    ...(accountId !== undefined && { accountId }),
    ...(lists.length > 0 && { groupLists: { listIds: [...new Set(lists)], groupIds: [...new Set(groupIds)] } }),
    ...(fromTemplate !== undefined && { fromTemplate }),
    ...toFiles(body.media, withFields),
    ...toBallot(body),
  };
}

/** Returns which extras a change takes away. */
export function toRemovedExtras({
  remove,
  mentionAll,
  groupListIds,
}: PostExtrasBody & { remove: ReadonlyArray<z.output<typeof postExtrasNames>> }): Array<keyof PostExtras> {
  const fields = new Set<string>([
    ...remove,
    ...(mentionAll === false ? ['mention_all'] : []),
    ...(groupListIds?.length === 0 ? ['group_list_ids'] : []),
  ]);
  return EXTRAS_NAMES.filter((name) => fields.has(EXTRAS_FIELDS[name]));
}

/** Returns how long posts stay pinned as requests and answers have it; null if they are not. */
export function toPinFor(seconds: number | null | undefined): PinFor | null {
  return PIN_FORS.find((pinFor) => PIN_SECONDS[pinFor] === seconds) ?? null;
}

/** Returns the extras as answers have them. */
export function describeExtras(extras: PostExtras) {
  const { fileName, mentionAll = false, pinSeconds, replyTo, followUp, accountId, fromTemplate, groupLists } = extras;
  return {
    fileName,
    mentionAll,
    pinFor: toPinFor(pinSeconds),
    replyTo: replyTo && { ...replyTo, runId: replyTo.runId },
    followUp: followUp && { ...followUp, runId: followUp.runId },
    accountId,
    groupListIds: groupLists && [...groupLists.listIds],
    fromTemplate,
    linkPreview: describeCard(extras),
    ...describeBallot(extras),
  };
}

/** Returns what a post with fields says to one group, beside its text. */
export function describeSaid(extras: PostExtras) {
  const { fileName, files: media, linkPreview: card } = extras;
  return { fileName, media, linkPreview: card && { ...card }, ...describeBallot(extras) };
}

/** Returns the extras as answers have them that are bodies for other requests. */
export function copyExtras(extras: PostExtras) {
  return { ...describeExtras(extras), media: extras.files };
}
