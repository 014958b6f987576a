import { t } from '../i18n/translate.ts';

/** Pictures and videos that members get as documents. */
const DOCUMENTS = new Set(['image/bmp', 'video/webm']);

/** Whether members see the file as this, and not as a document. */
export function isShownAs(mime: string, kind: 'image' | 'video'): boolean {
  return mime.startsWith(`${kind}/`) && !DOCUMENTS.has(mime);
}

/** Whether browsers show a file as a picture. Most cannot show HEIC, which the service turns into JPEG. */
export function isBrowserPicture(mime: string): boolean {
  return mime.startsWith('image/') && !mime.startsWith('image/hei');
}

/** What a file is called whose own name is unknown: "Picture". */
export function mediaName(mime: string): string {
  if (mime.startsWith('image/')) return t('media.image');
  if (mime.startsWith('video/')) return t('media.video');
  if (mime.startsWith('audio/')) return t('media.audio');
  if (mime === 'application/pdf') return t('media.pdf');
  return mime === 'application/zip' ? t('media.zip') : t('media.document');
}
