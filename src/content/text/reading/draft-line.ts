import type { DraftRun } from '../addresses.ts';
import { PLAIN, type Head, type Line, type Style } from '../document.ts';

/** A line while it is written. */
export interface DraftLine extends Line {
  /** Neighbours differ in style, but beside the target of a link. */
  runs: DraftRun[];
  /** Of its text, in UTF-16 units. */
  length: number;
  /** Where the author's text begins, after the marker of an inner item. */
  from: number;
  isTyped?: true;
  /** Known without a look at the text: that would put its pieces together each time. */
  endsInSpace: boolean;
}

// HTML white space, and the characters that break a line in a message but not in HTML. A single space, by far the most frequent case, is
// skipped.
const WHITE_SPACE = / [\t\n\v\f\r \u0085\u2028\u2029]+|[\t\n\v\f\r\u0085\u2028\u2029][\t\n\v\f\r \u0085\u2028\u2029]*/g;
// Nobody can see these, and no messenger takes them.
const CONTROLS = /[^\P{Cc}\t\n\v\f\r\u0085]/gu;

/** Text with every stretch of white space made one space, as HTML shows it, and without control characters. No-break spaces stay. */
export function collapseSpace(text: string): string {
  return text.replace(CONTROLS, '').replace(WHITE_SPACE, ' ');
}

/** The lines of a text that is sent as typed. Members see no space at their ends. */
export function splitTyped(text: string): string[] {
  return text.split('\n').map((line) => line.replace(CONTROLS, '').trimEnd());
}

/** A line with nothing in it yet; a space would not be seen there. */
export function beginLine(head: Head | undefined): DraftLine {
  return { head, runs: [], length: 0, from: 0, endsInSpace: true };
}

export function appendText(line: DraftLine, text: string, style: Style): void {
  const last = line.runs.at(-1);
  if (last?.style === style && !last.link) last.text += text;
  else line.runs.push({ text, style });
  line.length += text.length;
  line.endsInSpace = text.endsWith(' ');
}

/** Adds the target of a link as a run of its own. */
export function appendTarget(line: DraftLine, text: string): void {
  line.runs.push({ text, style: PLAIN, link: true });
  line.length += text.length;
  line.endsInSpace = false;
}

/** Removes the space at the end of a line; there is never more than one. */
export function trimEnd(line: DraftLine): void {
  const last = line.runs.at(-1);
  if (!line.endsInSpace || last === undefined) return;
  if (last.text.length > 1) last.text = last.text.slice(0, -1);
  else line.runs.pop();
  line.length--;
  line.endsInSpace = false;
}

/** A place in a line, in UTF-16 units from its beginning; how many runs it has by then, and how long the last of these is there. */
export interface LinePosition {
  at: number;
  runs: number;
  ofLast: number;
}

export function endOf({ runs, length }: DraftLine): LinePosition {
  return { at: length, runs: runs.length, ofLast: runs.at(-1)?.text.length ?? 0 };
}

/** Truncates a line at a position. Returns true when a removed part was bold or italic. */
export function cutAt(line: DraftLine, { at, runs: count, ofLast }: LinePosition): boolean {
  const { runs } = line;
  line.length = at;
  const last = runs[count - 1];
  const marked = runs.slice(count).some(({ style }) => style !== PLAIN);
  const isCut = last !== undefined && last.text.length > ofLast;
  if (isCut) last.text = last.text.slice(0, ofLast);
  runs.length = count;
  return marked || (isCut && last.style !== PLAIN);
}
