import type { z } from 'zod';
import { AppError, invalid, fieldError } from '../../platform/errors/errors.ts';
import { toUrl } from '../../content/link-preview/find-links.ts';
import { FETCHES_PER_MINUTE, type LinkPreviews } from '../../content/link-preview/link-previews.ts';
import type { PostExtras } from '../../content/post/post-extras.ts';
import type { CardRequest } from '../../sending/campaigns/accept/prepare-card.ts';
import { linkPreviews, type linkPreviewField } from '../contract/link-preview.ts';
import type { Caller, Handlers } from '../operation.ts';
import type { FromWire } from '../wire.ts';
import { requireRole, requireScope } from '../server/auth.ts';

export interface LinkPreviewDeps {
  linkPreviews: Pick<LinkPreviews, 'find'>;
}

export const linkPreviewHandlers: Handlers<typeof linkPreviews, LinkPreviewDeps> = {
  async findLinkPreview({ linkPreviews: previews }, { body: { url } }) {
    if (!URL.canParse(toUrl(url))) throw invalid([fieldError('url', 'link')]);
    const { card, ...none } = await previews.find(toUrl(url));
    if (card) {
      const { title, description, picture } = card;
      const image = picture && `data:image/jpeg;base64,${picture.bytes.toString('base64')}`;
      return { linkPreview: { url, title, description, image }, reason: null };
    }
    if (none.reason !== 'rate_limited') return { linkPreview: null, reason: none.reason };
    throw new AppError('rate_limited', `Rate limit exceeded: ${FETCHES_PER_MINUTE} link previews a minute`, {
      retryAfterSeconds: none.retryAfterSeconds ?? 1,
    });
  },
};

/** SSRF: a check with `fetch_link_preview` makes the service read a page, as `link-preview` does, and needs what that needs. */
export function requireFetching({ fetchLinkPreview, linkPreview }: CardBody, caller: Caller): void {
  if (!fetchLinkPreview || linkPreview) return;
  const { access: scope, role } = linkPreviews.findLinkPreview;
  requireScope(caller, { scope });
  requireRole(caller, role);
}

/** The fields of a request about the card of its post. */
export interface CardBody {
  linkPreview?: FromWire<z.output<typeof linkPreviewField>>;
  fetchLinkPreview?: boolean | undefined;
}

/** Undefined: the request says nothing about it. */
export function toCardRequest({
  linkPreview: card,
  fetchLinkPreview: isFetched = false,
}: CardBody): CardRequest | undefined {
  if (!card && !isFetched) return undefined;
  return { card: card && { ...card, image: card.image ?? null }, isFetched };
}

/** Returns a card as answers have it that send files by their hash. */
export function describeCard({ linkPreview: card }: PostExtras) {
  return card && { ...card, picture: card.picture && { ...card.picture, mime: 'image/jpeg' } };
}
