import { PLAIN, type Document, type Head, type Line } from './document.ts';
import { keepLiteral, type Sign } from './literal-marks.ts';
import { writeMarks } from './marks.ts';

const FENCE = /`{3,}/g;
const ZERO_WIDTH_SPACE = '\u200b';
const GRAPHEME_JOINER = '\u034f';
// A bullet, a quote or a number of a list, with the one space that makes it one.
const LINE_HEAD = /^(?:[-*•>]|\d{1,2}\.) ./;

/**
 * Writes a document in WhatsApp's markup, so that a reader of that markup sees what the document says and nothing else: whatever in
 * its text looks like markup stays text. Undefined when that comes to more than `limit` UTF-16 units. Linear in its length.
 */
export function render(document: Document, limit: number): string | undefined {
  const lines: string[] = [];
  let length = document.length - 1;
  for (const line of document) {
    const text = renderLine(line);
    lines.push(text);
    length += text.length;
    if (length > limit) return undefined;
  }
  const text = lines.join('\n');
  const whole = text.includes('```') ? breakFences(text) : text;
  return whole.length > limit ? undefined : whole;
}

function renderLine({ head, runs, hasSigns }: Line): string {
  const [only] = runs;
  if (!hasSigns && runs.length === 1 && only?.style === PLAIN) return writeHead(head, only.text);
  if (!hasSigns) return writeHead(head, writeMarks(runs, undefined));
  const signs: Sign[] = [];
  const text = writeMarks(runs, signs);
  return writeHead(head, keepLiteral(text, signs));
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
  return text.replace(FENCE, (fence) => Array.from(fence).join(GRAPHEME_JOINER));
}
