import type { Document, Head, Line } from '../document.ts';
import { escapeMarks } from './literal-marks.ts';
import { writeMarks } from './marks.ts';

const FENCE = /`{3,}/g;
const ZERO_WIDTH_SPACE = '\u200b';
const GRAPHEME_JOINER = '\u034f';
// A bullet, a quote or a number of a list, with the one space that makes it one.
const LINE_HEAD = /^(?:[-*•>]|\d{1,2}\.) ./;

/**
 * Writes a document in WhatsApp's markup, so that WhatsApp shows exactly the document: text that looks like markup is escaped and stays
 * text, but in lines that are sent as typed. Linear in its length.
 */
export function render(document: Document): string {
  const lines = document.map(renderLine);
  const text = lines.join('\n');
  if (!text.includes('```')) return text;
  if (!document.some(({ isTyped }) => isTyped)) return breakFences(text);
  // Those in typed lines are meant, and could end one that is not.
  return lines.map((line, index) => (document[index]?.isTyped ? line : breakAll(line))).join('\n');
}

function renderLine({ head, runs, isTyped }: Line): string {
  if (isTyped) {
    const typed = runs.map(({ text }) => text).join('');
    return head === undefined ? typed : writeHead(head, typed);
  }
  const { text, signs } = writeMarks(runs);
  return writeHead(head, escapeMarks(text, signs));
}

function writeHead(head: Head | undefined, text: string): string {
  if (head === 'bullet') return `- ${text}`;
  // A number that WhatsApp does not take for a list's is read as text, and looks the same.
  if (head !== undefined) return `${head}. ${text}`;
  return LINE_HEAD.test(text) ? ZERO_WIDTH_SPACE + text : text;
}

/** Three backticks begin and end code wherever they stand, even lines apart; one such row alone does nothing. */
function breakFences(text: string): string {
  if (text.indexOf('```') === text.lastIndexOf('```')) return text;
  return breakAll(text);
}

function breakAll(text: string): string {
  return text.replace(FENCE, (fence) => Array.from(fence).join(GRAPHEME_JOINER));
}
