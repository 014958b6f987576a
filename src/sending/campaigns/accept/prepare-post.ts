import { invalid, fieldError, type FieldError } from '../../../platform/errors/errors.ts';
import { acceptMedia, type Media } from '../../../content/media/accept-media.ts';
import { NO_EXTRAS, type PostExtras } from '../../../content/post/post-extras.ts';
import type { Convert } from '../../../content/text/convert-in-worker.ts';
import type { UnknownTags } from '../../../content/text/html-to-whatsapp.ts';
import { CAPTION_LIMIT } from '../../../content/text/caption.ts';
import { warnOfCaption } from '../../../content/text/read-caption.ts';
import type { Warning } from '../../../content/text/warnings.ts';
import { findFieldProblems, warnOfFields } from '../../../content/post/fill-post.ts';
import type { TemplateText } from '../../../content/text/placeholders.ts';
import type { FieldsInPost } from '../../values/bind-fields.ts';
import type { CampaignOwnData } from '../tags.ts';
import { findBallotProblems, isBallot } from './ballot-problems.ts';
import { prepareTranslations } from './prepare-translations.ts';
import type { TranslatedText, Translation } from '../../../content/post/translations.ts';
import { collectProblems, prepareCard, type CardDeps, type CardPreparation, type CardRequest } from './prepare-card.ts';

/** What both ways of sending have in common, as it comes from outside but already of the right types and lengths. */
export interface PostInput extends CampaignOwnData {
  name: string;
  description: string;
  html: string;
  unknownTags?: UnknownTags | undefined;
  /** What groups get in place of `html`, by their language. Default is none. */
  translations?: readonly Translation[] | undefined;
  /** Its placeholders are filled for each group. Default is `false`. */
  withFields?: boolean | undefined;
  /** Groups without a value are left out of each run. Default is `false`: the post is rejected. */
  leavesOut?: boolean | undefined;
  /** base64, with or without a data URL head. */
  image: string | null;
  /** Default is none: it goes to lists alone. */
  groupIds?: readonly number[] | undefined;
  isChannelCampaign: boolean;
  /** A test post: in no list and no figure. */
  isTest?: boolean;
  /** Default is none. */
  extras?: PostExtras | undefined;
  /** Default is none. */
  cardRequest?: CardRequest | undefined;
  /** Of a check: a file that is not sent along belongs to the post. */
  withFile?: boolean;
}

/** A post without text needs a file (contract §3, add-campaign). */
export const NO_TEXT: FieldError = fieldError('html', 'no_text');

export const NO_FILE: FieldError = fieldError('file_name', 'no_file');

const TWO_KINDS_OF_FILES: FieldError = fieldError('media', 'not_with_image');

/** A post has groups, or lists with some. */
export function findMissingGroups(groupIds: readonly number[] | undefined, { groupLists }: PostExtras): FieldError[] {
  if (groupLists || (groupIds && groupIds.length > 0)) return [];
  return [fieldError('group_metadata_ids', groupIds ? 'empty' : 'required')];
}

/** What the post says once it is understood. */
export interface PreparedPost {
  /** As it is to be stored. */
  html: string;
  text: string;
  /** Of a post with fields or translations. */
  fields: FieldsInPost | undefined;
  media: Media | null;
  /** With the words of the author's card, whose picture is not stored yet. */
  extras: PostExtras;
  card: CardPreparation['card'];
  /** Without repeats, in the order first given. */
  groupIds: number[];
  /** What the author will want to know; none keeps it from being sent. */
  warnings: Warning[];
}

/** A card that its author wants to be fetched is waited for, some seconds at most. */
export type PrepareDeps = CardDeps & { convert: Convert };

/**
 * Converts the html, recognises the file and prepares the card. Throws 400 with all problems of both, the `known` problems of the request, and, without
 * known ones, those that `plan` throws.
 */
export async function preparePost(
  deps: PrepareDeps,
  input: PostInput,
  known: readonly FieldError[],
  plan: () => Promise<unknown>,
): Promise<PreparedPost> {
  const { html = '', text = '', problems, ...understood } = await understand(deps, input, known);
  const { media } = understood;
  problems.push(...findMissingGroups(input.groupIds, input.extras ?? NO_EXTRAS));
  if (input.withFile && media === null)
    problems.push(...findBallotProblems(input.extras ?? NO_EXTRAS, { text: '', hasFile: true }));
  if (problems.length + known.length > 0) {
    if (known.length === 0) await collectProblems(problems, plan);
    throw invalid([...problems, ...known]);
  }
  return { html, text, ...understood, groupIds: [...new Set(input.groupIds)] };
}

/**
 * `preparePost` for what a campaign is changed to, where html and image may be left out. The text of no html is undefined, and the
 * media of no image null.
 */
export async function prepareChange(
  deps: PrepareDeps,
  change: SentPost,
  known: readonly FieldError[],
): Promise<Omit<Understood, 'problems'>> {
  return understandPost(deps, { ...change, withFile: true, isChange: true }, known);
}

/** Returns what a post says. Throws 400 with everything that is wrong with it, and what is `known`. */
export async function understandPost(
  deps: PrepareDeps,
  post: SentPost,
  known: readonly FieldError[],
): Promise<Omit<Understood, 'problems'>> {
  const { problems, ...understood } = await understand(deps, post, known);
  if (problems.length + known.length > 0) throw invalid([...problems, ...known]);
  return understood;
}

/** Everything that is wrong with a post of which other fields are wrong already, beside what is `known`. */
export async function findPostProblems(
  { convert }: { convert: Convert },
  post: SentPost,
  known: readonly FieldError[],
): Promise<FieldError[]> {
  const { problems } = await understand({ convert }, post, known);
  return [...problems, ...known];
}

/** As `PostInput` has it. */
export interface SentPost extends Partial<
  Pick<PostInput, 'unknownTags' | 'translations' | 'withFields' | 'leavesOut' | 'withFile' | 'extras' | 'cardRequest'>
> {
  html: string | undefined;
  image: string | null | undefined;
  /** What a campaign says before a change that leaves its html as it is. */
  before?: { text: string; template: TemplateText | null } | undefined;
  /** Whether the campaign keeps a file is known only when it is locked. */
  isChange?: boolean;
}

const isOfFields = ({ code }: Warning) => code === 'placeholder_left';

interface Understood extends Pick<PreparedPost, 'fields' | 'media' | 'card' | 'warnings'> {
  html: string | undefined;
  text: string | undefined;
  /** With the words of the author's card. */
  extras: PostExtras;
  problems: FieldError[];
}

async function understand(deps: PrepareDeps, post: SentPost, known: readonly FieldError[]): Promise<Understood> {
  const { html: sent, image = null, withFile = false, unknownTags, extras = NO_EXTRAS, withFields = false } = post;
  const said = post.cardRequest?.card ? { ...extras, linkPreview: post.cardRequest.card } : extras;
  const converted = sent === undefined ? undefined : await deps.convert(sent, unknownTags, withFields);
  const { html, text, template, warnings = [] } = converted ?? {};
  const translated = await prepareTranslations(deps.convert, { ...post, extras });
  const problems = [...(converted?.problems ?? []), ...translated.problems];
  if (withFields) problems.push(...findFieldProblems(said));
  const hasFile = image !== null || extras.files !== undefined;
  const isEmpty = text === '' && !hasFile && !withFile && !isBallot(extras);
  if (extras.files && image !== null) problems.push(TWO_KINDS_OF_FILES);
  if (isEmpty && problems.length === 0) problems.push(NO_TEXT);
  problems.push(...findBallotProblems(extras, { text: text ?? '', hasFile }));
  if (extras.fileName !== undefined && image === null && !withFile) problems.push(NO_FILE);
  const media = image === null ? null : await collectProblems(problems, () => acceptMedia('image', image));
  const isWrong = problems.length + known.length > 0;
  const prepared = await preparePostCard(deps, { ...post, text, template, media, isWrong });
  const ofCaptions = (extras.files ?? []).flatMap(({ caption = '' }) => warnOfCaption(caption, withFields));
  const ofFields = !withFields && !warnings.some(isOfFields) ? warnOfFields(said) : [];
  const { card } = prepared;
  // The words of a card that was fetched are those of its site: there are no fields in them.
  const words = card && !card.isFetched && { url: card.url, title: card.title, description: card.description };
  return {
    html,
    text,
    fields: text === undefined ? undefined : toFields({ text, template, leavesOut: post.leavesOut }, translated.texts),
    media,
    extras: { ...extras, ...(words && { linkPreview: words }) },
    card,
    warnings: [...warnings, ...translated.warnings, ...ofCaptions, ...ofFields, ...prepared.warnings],
    problems: [...problems, ...prepared.problems],
  };
}

/** Undefined: all groups get the same. */
function toFields(
  {
    text,
    template,
    leavesOut = false,
  }: { text: string; template: TemplateText | undefined; leavesOut?: boolean | undefined },
  translations: readonly TranslatedText[],
): FieldsInPost | undefined {
  if (translations.length === 0) return template && { ...template, leavesOut };
  const literal = { text, placeholders: [], leavesOut: false, isLiteral: true as const };
  return { ...(template ? { ...template, leavesOut } : literal), translations };
}

/** Nothing is fetched for a post that is rejected anyway. */
function preparePostCard(
  deps: PrepareDeps,
  {
    cardRequest,
    text,
    before,
    template,
    media,
    withFile = false,
    isChange = false,
    extras = NO_EXTRAS,
    isWrong,
  }: SentPost & Pick<Understood, 'text' | 'media'> & { template: TemplateText | undefined; isWrong: boolean },
): Promise<CardPreparation> {
  // Of several files the first bears the text, unless it has a caption of its own.
  const hasFile = extras.files ? extras.files[0]?.caption === undefined : withFile && !isChange;
  const hasCaption = media ? media.kind !== 'audio' : hasFile;
  // A text that could not be converted has no links to look for.
  const said = isWrong && text === '' ? undefined : (text ?? before?.text);
  return prepareCard(deps, isWrong && !cardRequest?.card ? undefined : cardRequest, {
    text: said,
    template: text === undefined ? before?.template : template,
    isCaption: hasCaption && (said ?? '').length <= CAPTION_LIMIT,
  });
}
