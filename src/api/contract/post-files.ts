/** The files of a post that takes them from the library. */
import { z } from 'zod';
import { CAPTION_LIMIT } from '../../content/text/caption.ts';
import { count, optional, storedFile, text, named, objects, list } from './fields.ts';

/** WhatsApp's own clients send up to 30 at once; more than ten are hardly a post. */
export const MOST_FILES = 10;

const postFile = z.object({
  media_id: z.int({ error: 'must be a whole number' }).describe('As `upload` or `list-media` returns it.'),
  caption: optional(text(1, CAPTION_LIMIT)).describe(
    'Marks as typed on a phone, or the tags of `html`. Default: the message for the first file.',
  ),
  file_name: optional(text(1, 200)).describe('As recipients see it. Default: its name in the library.'),
});

export const postFiles = optional(list(postFile, MOST_FILES)).meta({
  id: 'PostFiles',
  description:
    'Files of your workspace, 10 at most, instead of `image`. Several pictures and films are an album in groups; other files follow.',
});

/** The same in an answer that is a body for another request. */
export const postFilesData = objects({
  media_id: count,
  caption: z.string().optional(),
  file_name: z.string().optional(),
})
  .nullable()
  .meta({ id: 'PostFilesCopy' });

/** Files in an answer, with what is known of each. */
export const shownFiles = z.array(
  named('ShownFile', {
    media_id: count,
    ...storedFile.shape,
    file_name: z.string().nullable().describe('As recipients see it. `null`: `file`.'),
    caption: z.string().nullable().describe('`null`: none of its own.'),
    has_still: z.boolean().describe('Of a film: whether members see a picture of it at once.'),
  }),
);
