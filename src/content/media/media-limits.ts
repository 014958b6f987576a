import type { MediaKind } from './sniff.ts';

export const MEBIBYTE = 1024 ** 2;

/** The most bytes of a file that comes as it is, and not in base64 (contract §9). WhatsApp takes no larger pictures and sounds. */
export const MEDIA_LIMITS: Readonly<Record<MediaKind, number>> = {
  image: 16 * MEBIBYTE,
  audio: 16 * MEBIBYTE,
  video: 64 * MEBIBYTE,
  document: 64 * MEBIBYTE,
};
export const LARGEST_MEDIA = Math.max(...Object.values(MEDIA_LIMITS));
