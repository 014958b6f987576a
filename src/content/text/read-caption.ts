import { convertHtml } from './html-to-whatsapp.ts';
import { settleBreaks } from './typed-text.ts';
import { isSuspicion, type Warning } from './warnings.ts';

const TAG = /<\/?(?:p|br|b|strong|i|em|a|ul|ol|li|span|h[1-6])(?:\s[^<>]*)?\/?>/i;

/** Returns the text of a caption. With tags it is read as `html` is; without, it has WhatsApp's own marks and is taken as typed. */
export function readCaption(caption: string, withFields = false): string {
  return (TAG.test(caption) && convertHtml(caption, 'drop', withFields).text) || settleBreaks(caption);
}

/** Returns warnings of what members will see of a caption and its author surely did not mean. */
export function warnOfCaption(caption: string, withFields = false): Warning[] {
  const html = caption.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\n', '<br>');
  return convertHtml(html, 'reject', withFields).warnings.filter(
    ({ code }) => isSuspicion(code) && code !== 'marks_typed',
  );
}
