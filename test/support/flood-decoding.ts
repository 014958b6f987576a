import type { Person } from './app.ts';
import { drawBlack } from './inputs/draw-png.ts';

/** 25 megapixels, the most that are decoded, in 3 KB of base64. */
export const LARGEST_PICTURE = drawBlack(5_000, 5_000).toString('base64');

/** Saves a new draft whose card has this picture. */
export function saveCard({ call }: Pick<Person, 'call'>, image: string) {
  const link_preview = { url: 'https://example.com/', title: 'Fair', description: '', image };
  return call('venom/save-draft', { draft_id: crypto.randomUUID(), version: 0, link_preview });
}

/** Sends 50 pictures of a person to be decoded, all at once. Resolves when the first is decoded. */
export async function floodDecoding(person: Pick<Person, 'call'>) {
  const answers = Array.from({ length: 50 }, () => saveCard(person, LARGEST_PICTURE));
  let done = 0;
  for (const answer of answers) void answer.then(() => done++);
  await Promise.race(answers);
  return { answers: Promise.all(answers), countDone: () => done };
}
