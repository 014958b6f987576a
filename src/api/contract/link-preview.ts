/** Link previews: the cards that phones show for a link (contract §4). */
import { z } from 'zod';
import { DESCRIPTION_LIMIT, TITLE_LIMIT } from '../../content/post/stored-card.ts';
import { defineOperations } from './define-operations.ts';
import { base64File, storedFile, text, units, withDefault, optional } from './fields.ts';

/** 2 MiB in base64, and the head of a data URL. */
const PICTURE_TEXT = 2_800_000;

const url = text(1, 2_000).meta({
  description: 'A link exactly as the text of the message has it.',
  examples: ['https://example.com/fair'],
});
const picture = z
  .string()
  .check(units(0, PICTURE_TEXT))
  .nullish()
  .pipe(base64File)
  .describe('A picture in base64, at most 2 MiB decoded. It is shrunk to a JPEG of 800 pixels and 128 KiB at most.');

export const linkPreviewField = optional(
  z.object({
    url,
    title: text(0, TITLE_LIMIT).describe('Empty: the link goes without a preview.'),
    description: withDefault(text(0, DESCRIPTION_LIMIT), ''),
    image: picture,
  }),
).meta({
  id: 'LinkCard',
  description: 'The preview that members see with a link of the text. `link-preview` fetches one.',
});

export const fetchLinkPreview = withDefault(z.boolean(), false).meta({
  id: 'FetchLinkCard',
  description:
    'Fetches the preview of the first link, unless `link_preview` is sent: the operation takes up to 3 seconds longer. Without an answer the link goes without one, and `x-campanile-warnings` says so.',
});

/** In answers that send files by their hash. */
export const linkPreviewData = z
  .object({ url: z.string(), title: z.string(), description: z.string(), picture: storedFile.nullable() })
  .nullable()
  .meta({ id: 'LinkCardShown', description: '`null`: the link goes without a preview.' });

/** In answers that can be sent again. */
export const linkPreviewCopy = z
  .object({
    url: z.string(),
    title: z.string(),
    description: z.string(),
    image: z.string().nullable().describe('A data URL.'),
  })
  .nullable()
  .meta({ id: 'LinkCardCopy', description: 'As `link_preview` of a request.' });

export const linkPreviews = defineOperations('Campaigns', {
  findLinkPreview: {
    path: '/api/v1/venom/link-preview',
    access: 'write',
    idempotency: 'always',
    summary: 'Fetch the preview of a link',
    description:
      'Reads the page of the link, and returns its title, description and picture to send as `link_preview` of a campaign. Takes 3 seconds at most. Limited to 30 fetches a minute and workspace.',
    body: z.object({ url }),
    data: z.object({
      link_preview: linkPreviewCopy,
      reason: z
        .enum(['disabled', 'no_answer', 'no_card'])
        .nullable()
        .describe(
          'Why there is none: the operator has switched fetches off, the site did not answer in time or has no public address, or its page has no title.',
        ),
    }),
  },
});
