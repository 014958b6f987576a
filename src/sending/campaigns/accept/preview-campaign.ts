import { findLinks } from '../../../content/link-preview/find-links.ts';
import { invalid } from '../../../platform/errors/errors.ts';
import type { Convert } from '../../../content/text/convert-in-worker.ts';
import { TEXT_LIMIT, type UnknownTags } from '../../../content/text/html-to-whatsapp.ts';
import { captionWarning, type Warning } from '../../../content/text/warnings.ts';
import { NO_TEXT } from './prepare-post.ts';

export interface Preview {
  text: string;
  /** UTF-16 code units, as WhatsApp counts. */
  length: number;
  limit: number;
  warnings: Warning[];
  /** The links as the text has them, each once: one of them can have a card. */
  links: string[];
}

const LINKS_LISTED = 100;

/** The very text that would be sent (contract §4, preview-campaign). Throws 400 with everything that is wrong with the html. */
export async function previewCampaign(
  { convert }: { convert: Convert },
  { html, withFile, unknownTags }: { html: string; withFile: boolean; unknownTags?: UnknownTags | undefined },
): Promise<Preview> {
  const { text, warnings, problems } = await convert(html, unknownTags);
  if (problems.length > 0) throw invalid(problems);
  if (text === '' && !withFile) throw invalid([NO_TEXT]);
  const caption = captionWarning(text);
  return {
    text,
    length: text.length,
    limit: TEXT_LIMIT,
    warnings: caption ? [...warnings, caption] : warnings,
    links: [...new Set(findLinks(text))].slice(0, LINKS_LISTED),
  };
}
