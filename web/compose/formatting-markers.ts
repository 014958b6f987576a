import { Fragment, type Mark, type Node, type Schema } from '@tiptap/pm/model';
import { isBoundary, parseWhatsApp, type TextStyle, type SeenLine } from '../../src/content/text/parse-whatsapp.ts';

/** WhatsApp's formatting markers (`*bold*`), parsed while typing and when pasting; the parser is the service's own. */

export const TRAILING_MARKER = /[*_~`]$/;
const FENCE = '```';
/** Between the cells of a spreadsheet. */
const CELL_ENDS = /(?<=\S)\t+(?=\S)/g;
const STYLES: Record<string, TextStyle> = { '*': 'bold', _: 'italic', '~': 'strike', '`': 'code' };
const MARKS: Partial<Record<TextStyle, string>> = { bold: 'bold', italic: 'italic' };

/** Returns the mark for a style; undefined if a campaign cannot hold it. */
export function markFor(style: TextStyle, schema: Schema): Mark | undefined {
  const name = MARKS[style];
  return name === undefined ? undefined : schema.mark(name);
}

interface ClosedMarker {
  style: TextStyle;
  /** The position of the opening marker. */
  from: number;
  /** The length of each marker. */
  length: number;
}

/** Returns the span that the last character of `before` closes; `after` is the rest of the line. Undefined if it closes none. */
export function findClosedMarker(before: string, after: string): ClosedMarker | undefined {
  const fence = before.endsWith(FENCE) ? before.lastIndexOf(FENCE, before.length - FENCE.length - 1) : -1;
  if (fence >= 0 && before.slice(fence + FENCE.length, -FENCE.length).trim() !== '')
    return { style: 'mono', from: fence, length: FENCE.length };
  const sign = before.at(-1) ?? '';
  const style = STYLES[sign];
  if (style === undefined || !isBoundary(Array.from(after.slice(0, 2))[0])) return undefined;
  for (let from = before.indexOf(sign); from < before.length - 1; from = before.indexOf(sign, from + 1)) {
    // This may become a code fence.
    if (style === 'code' && before[from - 1] === sign) continue;
    // Neither marks nor links cross white space at their boundary.
    const start = before.slice(0, from).search(/\S*$/);
    const runs = parseWhatsApp(before.slice(start))[0]?.runs ?? [];
    const first = runs.findIndex(({ styles }) => styles.includes(style));
    const isComplete = first >= 0 && runs.slice(first).every(({ styles }) => styles.includes(style));
    if (isComplete && textOf(runs.slice(0, first)) === before.slice(start, from)) return { style, from, length: 1 };
  }
  return undefined;
}

function textOf(runs: SeenLine['runs']): string {
  return runs.map(({ text }) => text).join('');
}

/** Parses pasted plain text into lines. `marks` are the active marks at the cursor. */
export function parsePlainText(
  text: string,
  schema: Schema,
  onPlainText: () => void,
  marks: readonly Mark[] = [],
): Node[] {
  const lines = text.replaceAll(CELL_ENDS, ' | ').split(/\r\n?|\n/);
  const paragraphs = lines.map((line) => schema.node('paragraph', null, line === '' ? [] : [schema.text(line, marks)]));
  return parseMarkers(paragraphs, schema, onPlainText);
}

/** Parses the markers in pasted lines. Calls `onPlainText` if some of them mean a style that a campaign cannot hold. */
export function parseMarkers(lines: readonly Node[], schema: Schema, onPlainText: () => void): Node[] {
  const read: Node[] = [];
  let paragraphs: Node[] = [];
  const end = () => {
    const seen = parseWhatsApp(paragraphs.map(({ textContent }) => textContent.replaceAll('\n', ' ')).join('\n'));
    const isPlain = seen.some(
      ({ kind, runs }) => kind === 'quote' || runs.some(({ styles }) => styles.some(isUnsupported)),
    );
    if (isPlain) onPlainText();
    for (const [index, paragraph] of paragraphs.entries()) addLine(read, paragraph, seen[index], schema);
    paragraphs = [];
  };
  for (const line of lines) {
    if (line.type.name === 'paragraph') paragraphs.push(line);
    else {
      end();
      read.push(line);
    }
  }
  end();
  return read;
}

const isUnsupported = (style: TextStyle) => MARKS[style] === undefined;

/** A list item joins the list before it if it continues that list. */
function addLine(lines: Node[], paragraph: Node, seen: SeenLine | undefined, schema: Schema): void {
  if (!seen) return;
  const line = schema.node('paragraph', null, applyMarks(paragraph, seen, schema));
  if (seen.kind === 'text' || seen.kind === 'quote') return void lines.push(line);
  const item = schema.node('listItem', null, [line]);
  const before = lines.at(-1);
  const isNumber = seen.kind === 'number';
  const type = isNumber ? 'orderedList' : 'bulletList';
  const next = before?.type.name === type ? Number(before.attrs['start'] ?? 0) + before.childCount : undefined;
  if (before && next !== undefined && (!isNumber || next === seen.number))
    lines[lines.length - 1] = before.copy(before.content.addToEnd(item));
  else lines.push(schema.node(type, isNumber ? { start: seen.number } : null, [item]));
}

/** Returns the visible text with its existing marks and those of its markers. */
function applyMarks(paragraph: Node, { kind, runs }: SeenLine, schema: Schema): Fragment {
  const text = paragraph.textContent.replaceAll('\n', ' ');
  let at = kind === 'number' ? text.indexOf('. ') + 2 : kind === 'text' ? 0 : 2;
  let content = Fragment.empty;
  for (const run of runs) {
    // Between two runs there are only markers.
    const from = text.indexOf(run.text, at);
    at = from + run.text.length;
    const marks = run.styles.flatMap((style) => markFor(style, schema) ?? []);
    for (const piece of paragraph.content.cut(from, at).content)
      content = content.addToEnd(piece.mark(marks.reduce((set, mark) => mark.addToSet(set), piece.marks)));
  }
  return content;
}
