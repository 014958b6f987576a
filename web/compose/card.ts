import type { Data } from '../api/operations.ts';

/** The link preview of a draft. Without a title the author has removed it. Its picture is a data URL. */
export type Card = NonNullable<Data<'venom/link-preview'>['link_preview']>;

/** Returns the card if the text has its link. */
export function attachedCard(card: Card | null, text: string): Card | null {
  return card !== null && text.includes(card.url) ? card : null;
}

/** Returns the card as members see it: none without a title. */
export function shownCard(card: Card | null, text: string): Card | null {
  const attached = attachedCard(card, text);
  return attached !== null && attached.title.trim() !== '' ? attached : null;
}

const EDGE = 800;
const QUALITY = 0.8;

/** Shrinks a picture of the author to what a link preview shows. Rejects if it cannot be read. */
export async function shrinkPicture(file: Blob): Promise<string> {
  const picture = await createImageBitmap(file);
  const scale = Math.min(1, EDGE / Math.max(picture.width, picture.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  const context = canvas.getContext('2d');
  if (!context) throw new Error('this browser draws no pictures');
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  return canvas.toDataURL('image/jpeg', QUALITY);
}
