/** The files of a workspace (contract §4, files). */
import { z } from 'zod';
import { campaignId, campaignStatus } from './campaigns.ts';
import { defineOperations } from './define-operations.ts';
import {
  count,
  cursor,
  fileBody,
  instant,
  nextCursor,
  optional,
  pageLimit,
  search,
  storedFile,
  text,
  named,
  objects,
} from './fields.ts';

/** 100 KiB in base64, with the head of a data URL. */
const LONGEST_STILL = 136_600;

const mediaId = z.int({ error: 'must be a whole number' });

const libraryFile = named('LibraryFile', {
  media_id: count,
  kind: z.enum(['image', 'video', 'audio', 'document']).describe('How members see it.'),
  ...storedFile.shape,
  name: z.string().nullable().describe('As it was uploaded. `null`: it came in base64.'),
  width: count.nullable().describe('Of a film, in pixels.'),
  height: count.nullable(),
  seconds: count.nullable().describe('The length of a film.'),
  has_still: z.boolean().describe('Of a film: whether it has a picture (`set-still`).'),
  used_at: instant.describe('When it was last uploaded or put into a campaign.'),
});

export const media = defineOperations('Media', {
  uploadMedia: {
    path: '/api/v1/media/upload',
    access: 'write',
    idempotency: 'always',
    summary: 'Upload a file',
    description:
      'The body is the file itself. Its leading bytes determine the type, as in `add-campaign`; TXT, CSV and VCF files need their type as `content-type`. Limits: 64 MiB for films and documents, 16 MiB for pictures and sounds.',
    takesFile: true,
    body: fileBody,
    data: libraryFile,
    requestHeaders: { 'x-file-name': 'The name of the file: percent-encoded UTF-8, 200 characters at most.' },
    errors: ['media_busy', 'storage_full'],
    requiresDiskSpace: true,
  },
  importMedia: {
    path: '/api/v1/media/import',
    operationId: 'import-media',
    access: 'write',
    idempotency: 'always',
    summary: 'Import a file from a URL',
    description:
      'Downloads the file, with the limits of `upload`. The address must be public. The download may take 45 s.',
    body: z.object({
      url: text(1, 2_000).meta({ examples: ['https://files.example.com/programme.pdf'] }),
      file_name: optional(text(1, 200)).describe('Default: the last part of the URL.'),
    }),
    data: libraryFile,
    errors: ['media_busy', 'storage_full'],
    fetchesFile: true,
    requiresDiskSpace: true,
  },
  listMedia: {
    path: '/api/v1/media/list-media',
    access: 'read',
    summary: 'List the files of your workspace',
    description: 'Newest first, with the 10 newest campaigns, and the drafts and templates, that have each.',
    body: z.object({ search, limit: pageLimit(100, 50), cursor }),
    data: z.object({
      files: z.array(
        libraryFile.extend({
          campaigns: objects({ campaign_id: campaignId, name: z.string(), status: campaignStatus }),
          drafts: objects({ draft_id: z.guid(), name: z.string() }),
          templates: objects({ template_id: z.guid(), name: z.string() }),
        }),
      ),
      next_cursor: nextCursor,
    }),
    longAnswer: 'pieces',
  },
  setStill: {
    path: '/api/v1/media/set-still',
    access: 'write',
    idempotency: 'always',
    summary: 'Give a film a still',
    description:
      'The picture that members see before they play the film. It is shrunk to a JPEG within 320 pixels. Posts that leave later have it. Without `still` the film has none.',
    body: z.object({
      media_id: mediaId,
      still: optional(text(1, LONGEST_STILL)).describe('A picture in base64, 100 KiB at most.'),
    }),
    data: libraryFile,
    errors: ['media_not_found', 'media_in_use'],
  },
  deleteMedia: {
    path: '/api/v1/media/delete-media',
    access: 'write',
    summary: 'Delete a file',
    description:
      'A file that a draft or template has, a post that waits for an approval, or a campaign that has not ended, is a 409. Posts that were sent keep it.',
    body: z.object({ media_id: mediaId }),
    errors: ['media_not_found', 'media_in_use'],
  },
});
