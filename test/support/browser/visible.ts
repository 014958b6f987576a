/**
 * The expected appearance of a document and the actual appearance of a message, in one comparable form. Independent of the implementation
 * of `render`: omits only signs, numbers that WhatsApp does not know, and invisible characters.
 */
import type { Document } from '../../../src/content/text/document.ts';
import type { SeenLine } from '../../../src/content/text/parse-whatsapp.ts';

export interface Sight {
  kind: string;
  number: number | undefined;
  text: string;
  /** One letter for each character of `text`: `-`, `b`, `i`, `B` for both, `?` for anything else; a blank for white space. */
  styles: string;
}

/** What members should see of a document. */
export function visible(document: Document): Sight[] {
  return document.map(({ head, runs }) => {
    const styled = runs.map(({ text, style }) => ({ text, look: '-biB'.charAt(style) }));
    if (head === undefined) return sight('text', undefined, styled);
    if (head === 'bullet') return sight('bullet', undefined, styled);
    // WhatsApp takes one or two digits for a number; any other reads the same, but as text.
    if (head >= 0 && head <= 99) return sight('number', head, styled);
    return sight('text', undefined, [{ text: `${head}. `, look: '-' }, ...styled]);
  });
}

/** What members do see of a message, by our reader of WhatsApp's markup. */
export function seen(lines: readonly SeenLine[]): Sight[] {
  return lines.map(({ kind, number, runs }) =>
    sight(
      kind,
      number,
      runs.map(({ text, styles }) => ({ text, look: letterFor(styles) })),
    ),
  );
}

function letterFor(styles: readonly string[]): string {
  switch (styles.toSorted().join(' ')) {
    case '':
      return '-';
    case 'bold':
      return 'b';
    case 'italic':
      return 'i';
    case 'bold italic':
      return 'B';
    default:
      return '?';
  }
}

function sight(kind: string, number: number | undefined, runs: readonly { text: string; look: string }[]): Sight {
  let text = '';
  let styles = '';
  for (const run of runs) {
    for (const character of run.text) {
      if (/[\p{Cf}\p{Cc}\u034f]/u.test(character)) continue;
      text += character;
      styles += /\s/.test(character) ? ' ' : /\p{Variation_Selector}/u.test(character) ? '' : run.look;
    }
  }
  return { kind, number, text, styles };
}
