/** oEmbed (oembed.com): video sites describe a page as JSON, where their HTML is large, or for browsers with scripts only. */
import { DESCRIPTION_LIMIT, TITLE_LIMIT } from '../post/stored-card.ts';
import { toOneLine } from './link-card.ts';
import type { PageCard } from './read-page.ts';

export interface OembedProvider {
  /** Of the page. */
  hosts: RegExp;
  /** The address of the page is appended, encoded. */
  endpoint: string;
}

/** Sites that are asked without reading the page first. */
export const OEMBED_PROVIDERS: readonly OembedProvider[] = [
  {
    hosts: /^((www|m|music)\.)?youtube\.com$|^youtu\.be$/,
    endpoint: 'https://www.youtube.com/oembed?format=json&url=',
  },
  { hosts: /^((www|player)\.)?vimeo\.com$/, endpoint: 'https://vimeo.com/api/oembed.json?url=' },
  { hosts: /^((www|m|vm)\.)?tiktok\.com$/, endpoint: 'https://www.tiktok.com/oembed?url=' },
  {
    hosts: /^(www\.)?dailymotion\.com$|^dai\.ly$/,
    endpoint: 'https://www.dailymotion.com/services/oembed?format=json&url=',
  },
];

/** Returns the address of the description of a page; undefined if its site is not known to have one. */
export function oembedUrlOf(pageUrl: string, providers: readonly OembedProvider[]): string | undefined {
  const { hostname } = new URL(pageUrl);
  const provider = providers.find(({ hosts }) => hosts.test(hostname));
  return provider && provider.endpoint + encodeURIComponent(pageUrl);
}

/** Undefined if it is no description with a title. */
export function readOembed(json: string): PageCard | undefined {
  const said = parseObject(json);
  const text = (name: string, limit: number) => (typeof said[name] === 'string' ? toOneLine(said[name], limit) : '');
  const title = text('title', TITLE_LIMIT);
  if (title === '') return undefined;
  const image = URL.parse(typeof said['thumbnail_url'] === 'string' ? said['thumbnail_url'] : '');
  const description = [text('author_name', DESCRIPTION_LIMIT), text('provider_name', DESCRIPTION_LIMIT)];
  return {
    title,
    description: toOneLine(description.filter(Boolean).join(' · '), DESCRIPTION_LIMIT),
    imageUrl: image && /^https?:$/.test(image.protocol) ? image.href : undefined,
  };
}

function parseObject(json: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(json);
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
}
