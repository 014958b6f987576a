/** The mention of everybody in a group: phones show it as `@all` in the text. */

/** What is read as the mention: not a part of a word or of an address. */
const MENTION = /(?<![\p{L}\p{N}_@.])@all(?![\p{L}\p{N}_])/iu;

/**
 * Returns the text of a post that mentions everybody. A text that has `@all` stays as it is. Otherwise it stands on a line of its own
 * before the text, so that it is no part of a list, a quotation or a code block.
 */
export function withMentionAll(text: string): string {
  if (MENTION.test(text)) return text;
  return text === '' ? '@all' : `@all\n${text}`;
}

const MENTION_LENGTH = 4;

/** Whether two texts together have a mention of everybody that neither has. */
export function makesMention(left: string, right: string): boolean {
  const end = left.slice(1 - MENTION_LENGTH);
  return end.includes('@') && /@all/i.test(end + right.slice(0, MENTION_LENGTH - 1));
}
