import { AppError, invalid, type Problem } from '../lib/errors.ts';
import { acceptMedia, type Media } from '../media/accept-media.ts';
import type { Convert } from '../text/convert-aside.ts';
import type { Warning } from '../text/warnings.ts';

/** What both ways of sending have in common, as it comes from outside but already of the right types and lengths. */
export interface PostInput {
  name: string;
  description: string;
  html: string;
  /** base64, with or without a data URL head. */
  image: string | null;
  groupIds: readonly number[];
  isChannelCampaign: boolean;
}

/** What the post says once it is understood. */
export interface PreparedPost {
  text: string;
  media: Media | null;
  /** Without repeats, in the order first given. */
  groupIds: number[];
  /** What the author will want to know; none keeps it from being sent. */
  warnings: Warning[];
}

/**
 * Converts the html and recognises the media. Throws 400 with everything that is wrong with both, beside what is `known` to be wrong
 * with the request already.
 */
export async function preparePost(
  { convert }: { convert: Convert },
  userId: number,
  input: PostInput,
  known: readonly Problem[] = [],
): Promise<PreparedPost> {
  const { text, warnings, problems } = await convert(input.html, userId);
  const media = await recognise(input.image, problems);
  if (problems.length + known.length > 0) throw invalid([...problems, ...known]);
  return { text, media, groupIds: [...new Set(input.groupIds)], warnings };
}

/**
 * `preparePost` for what a campaign is changed to, where html and image may be left out. The text of no html is undefined, and the
 * media of no image null.
 */
export async function prepareChange(
  { convert }: { convert: Convert },
  userId: number,
  { html, image }: { html: string | undefined; image: string | undefined },
  known: readonly Problem[],
): Promise<{ text: string | undefined; media: Media | null }> {
  const converted = html === undefined ? undefined : await convert(html, userId);
  const problems = [...(converted?.problems ?? [])];
  const media = await recognise(image ?? null, problems);
  if (problems.length + known.length > 0) throw invalid([...problems, ...known]);
  return { text: converted?.text, media };
}

/** The media, or null where there is none or something is wrong with it, which is then added to `problems`. */
async function recognise(image: string | null, problems: Problem[]): Promise<Media | null> {
  if (image === null) return null;
  try {
    return await acceptMedia('image', image);
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'invalid') throw error;
    problems.push(...error.details);
    return null;
  }
}
