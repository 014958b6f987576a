import { parseWhatsApp } from '../../content/text/parse-whatsapp.ts';
import { TEXT_LIMIT } from '../../content/text/html-to-whatsapp.ts';
import { hasVisible } from '../../content/text/boundaries.ts';
import { describeFailure, type Failure } from '../../platform/errors/failures.ts';
import type { Post } from '../messenger.ts';

const LETTER = /[^\P{L}\u115f\u1160\u3164\uffa0]/u;

const known = new WeakMap<Post, Failure | undefined>();

/**
 * Why WhatsApp would reject a post to any group: its text is too long, or invisible. Undefined if it would accept the post. Cached for
 * each post.
 */
export function findPostRejection(post: Post): Failure | undefined {
  if (!known.has(post)) known.set(post, findReason(post));
  return known.get(post);
}

function findReason({ text, media, extras }: Post): Failure | undefined {
  if (extras?.poll ?? extras?.event) return undefined;
  if (text.length > TEXT_LIMIT) return describeFailure('text_too_long', { limit: TEXT_LIMIT });
  // Letters are never a part of the markup, and most texts begin with one.
  if (media !== null || LETTER.test(text)) return undefined;
  const isSeen = parseWhatsApp(text).some(({ runs }) => runs.some((run) => hasVisible(run.text)));
  return isSeen ? undefined : describeFailure('nothing_visible');
}
