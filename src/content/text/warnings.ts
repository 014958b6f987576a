import type { IssueParams } from '../../platform/errors/issues.ts';
import { CAPTION_LIMIT } from './caption.ts';

/** Something about a message that its author will want to know; it does not keep the message from being sent. */
export interface Warning {
  code: WarningCode;
  message: string;
  /** The figures and names of the message. */
  params?: IssueParams;
}

const MESSAGES = {
  list_flattened: 'WhatsApp has no lists within lists: inner items are written as "- ◦ item".',
  link_text_differs:
    'WhatsApp cannot put a link behind words: the address is written after them, as in "words (address)".',
  link_shows_other_target: 'The text of a link looks like another address than the one it leads to.',
  link_without_text: 'A link without text is left out.',
  link_details_dropped: 'Of an e-mail link only the address is written: a message cannot carry its subject or text.',
  mark_not_kept: 'Addresses are never bold or italic: WhatsApp could take the signs for a part of the address.',
  caption_too_long: `The text is longer than ${CAPTION_LIMIT.toLocaleString('en')} characters: with a picture, the text follows it as a message of its own.`,
  link_preview_not_shown: 'Below a file WhatsApp shows no link preview.',
} as const;

/** Parts of the author's HTML that are left out; the message names them. */
const LOSSES = {
  link_not_linkable: 'Links need a complete http, https, mailto or tel address. The text of these stays without a link',
  tags_dropped: 'Tags that are not allowed were taken out',
  hidden_dropped: 'Text that readers of the page do not see was left out',
  style_ignored: 'Styles were ignored, since only tags such as b and i count',
  link_preview_missing: 'A link goes without its preview',
  film_may_not_play: 'Some phones cannot play these films. Save them as MP4 with H.264',
} as const;

/** What the author surely did not mean; the message names the places. */
const SUSPICIONS = {
  lines_joined: 'The text has line breaks but no tags: in html they are spaces. Use the tags p or br',
  marks_typed: 'Members see these signs: in html, bold and italic are the tags b and i',
  line_break_spelled: 'Members see a backslash and an n where a line break was meant',
  html_escaped: 'Members see HTML code, which is escaped or in a text as typed',
  placeholder_left: 'Members see placeholders: nothing fills them in, unless they are fields and with_fields is true',
  value_missing: 'Members see the name of a missing value',
  markdown_written: 'Members see the signs of Markdown: html has the tags b, a and h2',
  filler_left: 'The text still has filler',
  link_local: 'Members cannot open links into your own network',
  link_personal: 'A link has a token that belongs to one person',
  date_passed: 'The dates of the text have passed when the post leaves',
} as const;

/** Those that name something. A client that sends without a check gets at least these. */
const NAMED = { ...LOSSES, ...SUSPICIONS };

export type SuspicionCode = keyof typeof SUSPICIONS;
export type NamedCode = keyof typeof NAMED;
export type TextWarningCode = keyof typeof MESSAGES;
export type WarningCode = TextWarningCode | NamedCode;

export function isSuspicion(code: WarningCode): boolean {
  return code in SUSPICIONS;
}

export function warningOf(code: TextWarningCode): Warning {
  return { code, message: MESSAGES[code] };
}

/** `names` is empty where the whole text is meant. */
export function namedWarning(code: NamedCode, names: string): Warning {
  return names === ''
    ? { code, message: NAMED[code] }
    : { code, message: `${NAMED[code]}: ${names}`, params: { names } };
}

/** Returns the messages of the warnings that a client which sends without a check gets, too: what was left out, and is suspicious. */
export function listLosses(warnings: readonly Warning[]): string[] {
  return warnings.filter(({ code }) => code in NAMED).map(({ message }) => message);
}

/** The warning that a text is too long to go along with media, where it is. */
export function captionWarning(text: string): Warning | undefined {
  return text.length > CAPTION_LIMIT
    ? { ...warningOf('caption_too_long'), params: { limit: CAPTION_LIMIT } }
    : undefined;
}
