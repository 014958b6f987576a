import { shorten } from '../format/shorten.ts';
import { ballotTitle, type DraftBallot } from './ballot.ts';

const SUGGESTED_LENGTH = 60;

/**
 * Returns the name of a campaign that its author did not name: the title of its poll or event, else its first line, else the name of its
 * file.
 */
export function suggestName(ballot: DraftBallot, text: string, fileName: string): string {
  const found = [ballotTitle(ballot), firstLine(text), fileName].find((one) => one !== '');
  return shorten(found ?? '', SUGGESTED_LENGTH);
}

/** Returns the first line of the message without formatting markers, and without its full stop: names stand in sentences. */
function firstLine(text: string): string {
  const line = text.split('\n').find((one) => one.trim() !== '') ?? '';
  return line
    .replaceAll(/[*_~`\u200B]|\u034F/g, '')
    .trim()
    .replace(/(?<![.。।])[.。।]$/u, '');
}
