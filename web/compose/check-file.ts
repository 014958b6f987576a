import { fileSize } from '../format/numbers.ts';
import { t } from '../i18n/translate.ts';

/** 16 MiB (contract §3). */
export const FILE_LIMIT_BYTES = 16 * 1024 * 1024;

/** The files that a campaign takes (contract §3), by the media type and the endings that browsers know them by. */
export const ACCEPTED_FILES: Readonly<Record<string, string[]>> = {
  'image/jpeg': ['.jpg', '.jpeg'],
  'image/png': ['.png'],
  'image/webp': ['.webp'],
  'image/avif': ['.avif'],
  'image/heic': ['.heic'],
  'image/heif': ['.heif'],
  'image/gif': ['.gif'],
  'image/bmp': ['.bmp'],
  'video/mp4': ['.mp4', '.m4v'],
  'video/quicktime': ['.mov'],
  'video/3gpp': ['.3gp'],
  'video/webm': ['.webm'],
  'audio/mpeg': ['.mp3'],
  'audio/ogg': ['.ogg', '.opus', '.oga'],
  'audio/mp4': ['.m4a'],
  'audio/aac': ['.aac'],
  'audio/wav': ['.wav'],
  'application/pdf': ['.pdf'],
  'application/msword': ['.doc'],
  'application/vnd.ms-excel': ['.xls'],
  'application/vnd.ms-powerpoint': ['.ppt'],
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': ['.docx'],
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': ['.xlsx'],
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': ['.pptx'],
  'application/vnd.oasis.opendocument.text': ['.odt'],
  'application/vnd.oasis.opendocument.spreadsheet': ['.ods'],
  'application/vnd.oasis.opendocument.presentation': ['.odp'],
  'application/zip': ['.zip'],
  'text/plain': ['.txt'],
  'text/csv': ['.csv'],
  'text/vcard': ['.vcf'],
};

/** Other names that browsers give accepted types. */
const ALIASES = new Set(['application/x-zip-compressed', 'audio/x-m4a', 'audio/x-wav', 'audio/wave', 'text/x-vcard']);

/**
 * Returns why a campaign cannot take the file, or undefined. It goes by name and type, as the browser's choice of files does; the service
 * recognises the content.
 */
export function fileProblem({ name, type, size }: Pick<File, 'name' | 'type' | 'size'>): string | undefined {
  if (!isAccepted(name, type)) return t('compose.fileType', { name });
  if (size === 0) return t('compose.fileEmpty');
  if (size > FILE_LIMIT_BYTES) return t('compose.fileTooLarge', { limit: fileSize(FILE_LIMIT_BYTES) });
  return undefined;
}

function isAccepted(name: string, type: string): boolean {
  const mime = type.replace(/;.*$/, '').toLowerCase();
  const ending = /\.[^.]+$/.exec(name.toLowerCase())?.[0] ?? '';
  if (Object.hasOwn(ACCEPTED_FILES, mime) || ALIASES.has(mime)) return true;
  return Object.values(ACCEPTED_FILES).some((endings) => endings.includes(ending));
}
