import type { z } from 'zod';
import { plainFileName } from '../../content/media/file-name.ts';
import { EXTRAS_FIELDS, EXTRAS_NAMES, type PostExtras } from '../../content/post/post-extras.ts';
import { toWireCard } from './link-preview.ts';
import type { postExtras, postExtrasNames } from '../contract/post-extras.ts';
import { toBallot, toWireBallot } from './ballot-fields.ts';

export type PostExtrasBody = Partial<z.output<z.ZodObject<typeof postExtras>>>;

/** Returns the extras of a request, but for the card, which has to be prepared (`toCardRequest`). */
export function toExtras(body: PostExtrasBody): PostExtras {
  return {
    ...(body.file_name !== undefined && { fileName: plainFileName(body.file_name) }),
    ...toBallot(body),
  };
}

/** Returns which extras a change takes away. */
export function toRemovedExtras(fields: ReadonlyArray<z.output<typeof postExtrasNames>>): Array<keyof PostExtras> {
  return EXTRAS_NAMES.filter((name) => fields.some((field) => field === EXTRAS_FIELDS[name]));
}

/** Returns the extras as answers have them. */
export function toWireExtras(extras: PostExtras) {
  return { file_name: extras.fileName ?? null, link_preview: toWireCard(extras), ...toWireBallot(extras) };
}
