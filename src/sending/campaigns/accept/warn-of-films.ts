import { namedWarning, type Warning } from '../../../content/text/warnings.ts';

/** WhatsApp's own clients convert these before they send them. */
const CONVERTED = 'video/quicktime';

/** Warns of films in a form that some phones cannot play. */
export function warnOfFilms(files: readonly ({ mime: string } | null)[]): Warning[] {
  return files.some((file) => file?.mime === CONVERTED) ? [namedWarning('film_may_not_play', 'MOV')] : [];
}
