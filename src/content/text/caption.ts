/** Where the text of a post with files stands. The dashboard loads this file, too. */

/** In UTF-16 units, as WhatsApp counts. */
export const CAPTION_LIMIT = 1_024;

/** Whether the text of a post is the caption of its first file. Otherwise it is a message of its own, after the files. */
export function isCaption(text: string, first: { mime: string; caption?: string | null | undefined } | null): boolean {
  if (text === '' || first === null || text.length > CAPTION_LIMIT) return false;
  const hasOwn = first.caption !== undefined && first.caption !== null && first.caption !== '';
  return !hasOwn && !first.mime.startsWith('audio/');
}
