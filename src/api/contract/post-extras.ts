/** What a post may have beside its text and its one file: fields that every operation about a post has in common. */
import { z } from 'zod';
import { ballotFields, ballotFieldsData } from './ballot-fields.ts';
import { optional, text } from './fields.ts';
import { linkPreviewData, linkPreviewField } from './link-preview.ts';

export const postExtras = {
  file_name: optional(text(1, 200)).meta({
    id: 'FileName',
    description: 'The name of the file as recipients see it; its extension becomes that of the type. Default: `file`.',
    examples: ['Programme.pdf'],
  }),
  ...ballotFields,
  link_preview: linkPreviewField,
};

/** Names of extras, for a change that takes some away. */
export const postExtrasNames = z.enum(['file_name', 'link_preview', 'poll', 'event']);

/** The same fields in an answer. */
export const postExtrasData = {
  file_name: z.string().nullable().meta({ description: '`null`: recipients see `file`.' }),
  ...ballotFieldsData,
  link_preview: linkPreviewData,
};
