/** The card of a post: as its author wants it, or fetched from the site of the first link. Nothing here holds a lock or a transaction. */
import type { Connection } from '../../../platform/database/statements.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';
import { AppError, fieldError, type FieldError } from '../../../platform/errors/errors.ts';
import { acceptCardPicture, describeMedia } from '../../../content/media/accept-media.ts';
import type { JpegPicture } from '../../../content/media/pictures.ts';
import { saveMedia } from '../../../content/media/store.ts';
import {
  listPlaceholders,
  replacePlaceholders,
  writePlaceholder,
  type TemplateText,
} from '../../../content/text/placeholders.ts';
import { findLinksOf, toUrl } from '../../../content/link-preview/find-links.ts';
import { toOneLine } from '../../../content/link-preview/link-card.ts';
import { explainNoCard, type LinkPreviews } from '../../../content/link-preview/link-previews.ts';
import type { PostExtras } from '../../../content/post/post-extras.ts';
import { DESCRIPTION_LIMIT, TITLE_LIMIT, type StoredCard } from '../../../content/post/stored-card.ts';
import { namedWarning, warningOf, type Warning } from '../../../content/text/warnings.ts';
import type { Quotas } from '../../../workspaces/quotas/quotas.ts';

export interface CardDeps {
  /** Undefined: nothing is fetched. */
  linkPreviews?: Pick<LinkPreviews, 'find'> | undefined;
}

export interface CardFields {
  /** A link as the text has it. */
  url: string;
  /** Empty: the link goes without a card. */
  title: string;
  description: string;
  /** base64 */
  image: string | null;
}

export interface CardRequest {
  card: CardFields | undefined;
  /** Without `card`: that of the first link is fetched. */
  isFetched: boolean;
}

export interface PreparedCard extends Pick<StoredCard, 'url' | 'title' | 'description'> {
  picture: JpegPicture | null;
  /** It came from the site, so that it may go without its picture. */
  isFetched: boolean;
}

export interface CardPreparation {
  /** Undefined: nothing was said about a card. Null: there is none. */
  card: PreparedCard | null | undefined;
  problems: FieldError[];
  warnings: Warning[];
}

interface CardPost {
  text: string | undefined;
  /** Of a post with fields. */
  template?: TemplateText | null | undefined;
  isCaption: boolean;
}

const NOTHING: CardPreparation = { card: undefined, problems: [], warnings: [] };
const NONE: CardPreparation = { ...NOTHING, card: null };

/**
 * `text` is what the post says; undefined if it is not known, and then the link is not looked for. Below a file (`isCaption`) phones show no
 * card. A card that cannot be fetched is a warning; a card of the author's that is wrong is a problem.
 */
export async function prepareCard(
  deps: CardDeps,
  request: CardRequest | undefined,
  { text, template, isCaption }: CardPost,
): Promise<CardPreparation> {
  if (request?.card) return takeCard(request.card, { text, template, isCaption });
  if (!request?.isFetched || text === undefined) return NOTHING;
  // An address that varies leads to no page that all groups would see.
  const link = findLinksOf(text, template).find((one) => !template || listPlaceholders([one]).length === 0);
  return link === undefined || isCaption ? NONE : fetchCard(deps, link);
}

async function takeCard(
  { url: sent, title: given, description, image }: CardFields,
  { text, template, isCaption }: CardPost,
): Promise<CardPreparation> {
  const title = toOneLine(given, TITLE_LIMIT);
  if (title === '') return NONE;
  const problems: FieldError[] = [];
  const url = template ? replacePlaceholders(sent, writePlaceholder) : sent;
  if (text !== undefined && !findLinksOf(text, template).includes(url)) problems.push(NO_SUCH_LINK);
  const picture =
    image === null ? null : await collectProblems(problems, () => acceptCardPicture('link_preview.image', image));
  return {
    card: { url, title, description: toOneLine(description, DESCRIPTION_LIMIT), picture, isFetched: false },
    problems,
    warnings: isCaption ? [warningOf('link_preview_not_shown')] : [],
  };
}

export const NO_SUCH_LINK: FieldError = fieldError('link_preview.url', 'foreign_link');

/** Returns what `act` does. If it throws a 400, adds its problems to `problems`, and returns null. */
export async function collectProblems<Result>(
  problems: FieldError[],
  act: () => Promise<Result>,
): Promise<Result | null> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'invalid') throw error;
    problems.push(...error.details);
    return null;
  }
}

async function fetchCard({ linkPreviews }: CardDeps, link: string): Promise<CardPreparation> {
  const found = linkPreviews ? await linkPreviews.find(toUrl(link)) : ({ card: null, reason: 'disabled' } as const);
  if (found.card) return { ...NOTHING, card: { url: link, ...found.card, isFetched: true } };
  // Clients that word it themselves name the link alone: the reason is in English.
  const loss = namedWarning('link_preview_missing', `${link} (${explainNoCard(found.reason)})`);
  return { ...NONE, warnings: [{ ...loss, params: { names: link } }] };
}

/** Returns the extras of a post with this text: a card goes with its link. */
export function dropLostCard(extras: PostExtras, text: string, template: TemplateText | null | undefined): PostExtras {
  const { linkPreview, ...others } = extras;
  return linkPreview && !findLinksOf(text, template).includes(linkPreview.url) ? others : extras;
}

/** Stores the picture, which counts towards the quota. Throws `no_room`, unless the card came from its site and goes without. */
export async function saveCard(
  trx: Connection,
  workspaceId: WorkspaceId,
  { url, title, description, picture, isFetched }: PreparedCard,
  quotas: Quotas,
): Promise<StoredCard> {
  const card = { url, title, description };
  if (!picture) return card;
  const { bytes, width, height } = picture;
  const media = await describeMedia({ mime: 'image/jpeg', kind: 'image' }, bytes);
  try {
    const mediaId = await saveMedia(trx, workspaceId, media, quotas);
    return { ...card, picture: { mediaId, sha256: media.sha256.toString('hex'), size: media.size, width, height } };
  } catch (error) {
    if (isFetched && error instanceof AppError && error.code === 'storage_full') return card;
    throw error;
  }
}
