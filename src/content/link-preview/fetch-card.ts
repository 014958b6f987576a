/** Fetches the card of a link from its site. Everything that a site answers is hostile: its size, its time and its addresses are bounded. */
import type { PageAnswer, PageReader } from '../../platform/http-client/safe-http-client.ts';
import { unlessAborted } from '../../platform/concurrency/unless-aborted.ts';
import { toCardPicture, type JpegPicture } from '../media/pictures.ts';
import { sniff } from '../media/sniff.ts';
import { oembedUrlOf, readOembed, type OembedProvider } from './oembed.ts';
import type { FetchedCard } from './link-card.ts';
import type { FetchedPage, PageCard } from './read-page.ts';

export interface CardSources {
  http: PageReader;
  /** Reads a page outside of the event loop. */
  read(page: FetchedPage, signal: AbortSignal): Promise<PageCard>;
  providers: readonly OembedProvider[];
}

/** Of a page, a picture, or a description. */
export const MOST_BYTES = 2 * 1024 * 1024;
const MOST_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** In pixels. Smaller pictures count visits, or are icons. */
const SMALLEST_EDGE = 48;
/** Sites describe themselves to WhatsApp's phones where they ask browsers to agree to something first. */
const HEADERS = {
  'user-agent': 'Mozilla/5.0 (compatible; Campanile link preview) WhatsApp/2',
  'accept-encoding': 'identity',
  'accept-language': 'en;q=0.5, *;q=0.1',
};

/**
 * Undefined if the page has no title to show. A picture that cannot be had is left out. Throws when the site does not answer, or leads to an
 * address that is not public.
 */
export async function fetchCard(
  sources: CardSources,
  url: string,
  signal: AbortSignal,
): Promise<FetchedCard | undefined> {
  const page = await describePage(sources, url, signal);
  if (!page || page.title === '') return undefined;
  const { title, description, imageUrl } = page;
  return { title, description, picture: imageUrl === undefined ? null : await fetchPicture(sources, imageUrl, signal) };
}

async function describePage(sources: CardSources, url: string, signal: AbortSignal): Promise<PageCard | undefined> {
  const known = await askSite(sources, oembedUrlOf(url, sources.providers), signal);
  if (known) return known;
  const { url: at, answer } = await get(sources, url, { accept: 'text/html,application/xhtml+xml;q=0.9', signal });
  if (!isUsable(answer) || !isHtml(answer)) return undefined;
  return sources.read({ url: at, bytes: answer.bytes, contentType: answer.contentType }, signal);
}

/** Undefined if there is no description, or the site does not give it. */
async function askSite(
  sources: CardSources,
  url: string | undefined,
  signal: AbortSignal,
): Promise<PageCard | undefined> {
  if (url === undefined) return undefined;
  const fetched = await get(sources, url, { accept: 'application/json', signal }).catch(() => undefined);
  return fetched && isUsable(fetched.answer) ? readOembed(fetched.answer.bytes.toString('utf8')) : undefined;
}

/** Null if the picture cannot be had in time, or is none. */
async function fetchPicture(sources: CardSources, url: string, signal: AbortSignal): Promise<JpegPicture | null> {
  try {
    const { answer } = await get(sources, url, { accept: 'image/jpeg,image/png,image/webp,image/*;q=0.8', signal });
    if (!isUsable(answer) || answer.bytes.length >= MOST_BYTES) return null;
    // Formats that can point elsewhere, such as SVG, are no pictures here.
    if ((await sniff('image', answer.bytes)).kind !== 'image') return null;
    const picture = await unlessAborted(toCardPicture({ field: 'image', bytes: answer.bytes, signal }), signal);
    return Math.min(picture.width, picture.height) >= SMALLEST_EDGE ? picture : null;
  } catch {
    // The card is shown without it.
    return null;
  }
}

/** Follows redirects. Each address is checked, and resolved once: SSRF. */
async function get(
  { http }: CardSources,
  from: string,
  { accept, signal }: { accept: string; signal: AbortSignal },
): Promise<{ url: string; answer: PageAnswer }> {
  let url = withoutFragment(from);
  for (let hops = 0; ; hops += 1) {
    const answer = await http.get(url, { headers: { ...HEADERS, accept }, maxBytes: MOST_BYTES, signal });
    const next = REDIRECTS.has(answer.status) && answer.location ? URL.parse(answer.location, url) : null;
    if (!next) return { url, answer };
    if (hops === MOST_REDIRECTS) throw new Error('the site redirects too often');
    url = withoutFragment(next.href);
  }
}

function withoutFragment(address: string): string {
  const url = new URL(address);
  url.hash = '';
  return url.href;
}

const isUsable = ({ status, contentEncoding }: PageAnswer) =>
  status >= 200 && status < 300 && (contentEncoding === undefined || contentEncoding === 'identity');

const isHtml = ({ contentType }: PageAnswer) =>
  contentType === undefined || /^\s*(text\/html|application\/xhtml\+xml|text\/plain)\b/i.test(contentType);
