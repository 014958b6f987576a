import { AppError, invalid } from '../../../platform/errors/errors.ts';
import { acceptMedia, type Media } from '../../../content/media/accept-media.ts';
import { NO_EXTRAS, type PostExtras } from '../../../content/post/post-extras.ts';
import type { Convert } from '../../../content/text/convert-in-worker.ts';
import type { UnknownTags } from '../../../content/text/html-to-whatsapp.ts';
import type { Warning } from '../../../content/text/warnings.ts';
import { fieldError, type FieldError } from '../../../platform/errors/issues.ts';

/** What both ways of sending have in common, as it comes from outside but already of the right types and lengths. */
export interface PostInput {
  name: string;
  description: string;
  html: string;
  unknownTags?: UnknownTags | undefined;
  /** base64, with or without a data URL head. */
  image: string | null;
  groupIds: readonly number[];
  isChannelCampaign: boolean;
  /** A test post: in no list and no figure. */
  isTest?: boolean;
  /** Default is none. */
  extras?: PostExtras | undefined;
  /** Of a check: a file that is not sent along belongs to the post. */
  withFile?: boolean;
}

/** A post without text needs a file (contract §3, add-campaign). */
export const NO_TEXT: FieldError = fieldError('html', 'no_text');

export const NO_FILE: FieldError = fieldError('file_name', 'no_file');

/** What the post says once it is understood. */
export interface PreparedPost {
  /** As it is to be stored. */
  html: string;
  text: string;
  media: Media | null;
  extras: PostExtras;
  /** Without repeats, in the order first given. */
  groupIds: number[];
  /** What the author will want to know; none keeps it from being sent. */
  warnings: Warning[];
}

/**
 * Converts the html and recognises the file. Throws 400 with all problems of both, the `known` problems of the request, and, without
 * known ones, those that `plan` throws.
 */
export async function preparePost(
  { convert }: { convert: Convert },
  userId: number,
  input: PostInput,
  known: readonly FieldError[],
  plan: () => Promise<unknown>,
): Promise<PreparedPost> {
  const { html = '', text = '', media, warnings, problems } = await understand({ convert }, userId, input);
  if (problems.length + known.length > 0)
    throw invalid([...problems, ...(known.length > 0 ? known : await problemsOf(plan))]);
  return { html, text, media, extras: input.extras ?? NO_EXTRAS, groupIds: [...new Set(input.groupIds)], warnings };
}

/**
 * `preparePost` for what a campaign is changed to, where html and image may be left out. The text of no html is undefined, and the
 * media of no image null.
 */
export async function prepareChange(
  deps: { convert: Convert },
  userId: number,
  change: SentPost,
  known: readonly FieldError[],
): Promise<Omit<Understood, 'problems'>> {
  // Whether the campaign keeps a file is known only when it is locked.
  const { problems, ...understood } = await understand(deps, userId, { ...change, withFile: true });
  if (problems.length + known.length > 0) throw invalid([...problems, ...known]);
  return understood;
}

/** Everything that is wrong with a post of which other fields are wrong already, beside what is `known`. */
export async function findPostProblems(
  deps: { convert: Convert },
  userId: number,
  post: SentPost,
  known: readonly FieldError[],
): Promise<FieldError[]> {
  const { problems } = await understand(deps, userId, post);
  return [...problems, ...known];
}

/** What a 400 that `act` throws would tell. */
async function problemsOf(act: () => Promise<unknown>): Promise<readonly FieldError[]> {
  try {
    await act();
    return [];
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'invalid') throw error;
    return error.details;
  }
}

/** As `PostInput` has it. */
interface SentPost extends Partial<Pick<PostInput, 'unknownTags' | 'withFile' | 'extras'>> {
  html: string | undefined;
  image: string | null | undefined;
}

interface Understood {
  html: string | undefined;
  text: string | undefined;
  media: Media | null;
  warnings: Warning[];
  problems: FieldError[];
}

async function understand(
  { convert }: { convert: Convert },
  userId: number,
  { html: sent, image = null, withFile = false, unknownTags, extras = NO_EXTRAS }: SentPost,
): Promise<Understood> {
  const converted = sent === undefined ? undefined : await convert(sent, userId, unknownTags);
  const { html, text, warnings = [] } = converted ?? {};
  const problems = [...(converted?.problems ?? [])];
  if (text === '' && problems.length === 0 && image === null && !withFile) problems.push(NO_TEXT);
  if (extras.fileName !== undefined && image === null && !withFile) problems.push(NO_FILE);
  const media = await recognise(image, problems);
  return { html, text, media, warnings, problems };
}

/** The media, or null where there is none or something is wrong with it, which is then added to `problems`. */
async function recognise(image: string | null, problems: FieldError[]): Promise<Media | null> {
  if (image === null) return null;
  try {
    return await acceptMedia('image', image);
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'invalid') throw error;
    problems.push(...error.details);
    return null;
  }
}
