import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { captionWarning } from '../../../src/content/text/warnings.ts';
import { convertHtml } from '../../../src/content/text/html-to-whatsapp.ts';
import { parseWhatsApp, type TextStyle, type SeenLine } from '../../../src/content/text/parse-whatsapp.ts';
import { CASES, REFUSED_HTML, WARNED } from '../../support/inputs/formatting-cases.ts';

const PAGE = join(import.meta.dirname, '../../../docs/reference/formatting.md');
const LONGEST_SHOWN = 90;
const TAGS: Record<TextStyle, string> = { bold: 'b', italic: 'i', strike: 's', code: 'code', mono: 'code' };

/** Code for a table cell. Long code is shortened in the middle. */
function code(text: string): string {
  const cut = text.length > LONGEST_SHOWN ? `${text.slice(0, 40)} … ${text.slice(-20)}` : text;
  const shown = visibly(cut)
    .replaceAll('|', String.raw`\|`)
    .replaceAll('\n', '⏎')
    .replaceAll('\t', '⇥');
  const longest = Math.max(0, ...Array.from(shown.matchAll(/`+/g), ([row]) => row.length));
  const fence = '`'.repeat(longest + 1);
  return longest > 0 ? `${fence} ${shown} ${fence}` : `${fence}${shown}${fence}`;
}

function visibly(text: string): string {
  return text.replaceAll(/\u034f|[\u00a0\u200b-\u200f\u2060\ufeff]/g, (character) => {
    return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}

function seen({ kind, number, runs }: SeenLine): string {
  const head = { text: '', bullet: '• ', number: `${number}. `, quote: '▌ ' }[kind];
  const text = runs.map(({ text, styles }) =>
    styles.reduceRight((inner, look) => `<${TAGS[look]}>${inner}</${TAGS[look]}>`, plain(text)),
  );
  return plain(head) + text.join('');
}

/** Escapes text for Markdown, and prevents links from addresses. */
function plain(text: string): string {
  const bare = text.replaceAll(/[\u034f\u200b\u200d](?![\p{Extended_Pictographic}])/gu, '');
  return bare.replaceAll(/[\\`*_~|<>[\]&#]|:(?=\/\/)/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `${lines.join('\n')}\n`;
}

function casesTable(): string {
  return Object.entries(CASES)
    .map(([name, cases]) => {
      const rows = cases.map((html) => {
        const { text, problems } = convertHtml(html);
        expect(problems).toEqual([]);
        return [code(html), code(text), parseWhatsApp(text).map(seen).join('<br>')];
      });
      return `## ${name}\n\n${table(['HTML', 'text sent', 'what members see'], rows)}`;
    })
    .join('\n');
}

function warningsTable(): string {
  const rows = WARNED.flatMap((html) => {
    const { text, warnings } = convertHtml(html);
    const caption = captionWarning(text);
    const all = caption ? [...warnings, caption] : warnings;
    return all.map(({ code: name, message }) => [code(html), `\`${name}\``, message]);
  });
  return table(['HTML', 'code', 'message'], rows);
}

function refusalsTable(): string {
  const rows = REFUSED_HTML.map((html) => [
    code(html),
    convertHtml(html)
      .problems.map(({ field, issue }) => plain(`${field} ${issue}`))
      .join('<br>'),
  ]);
  return table(['HTML', 'issue'], rows);
}

test('matches the tables of the formatting page (vitest -u rewrites them)', async () => {
  const tables = { cases: casesTable(), warnings: warningsTable(), refusals: refusalsTable() };
  let page = await readFile(PAGE, 'utf8');
  for (const [name, text] of Object.entries(tables)) {
    const [before, rest = ''] = page.split(`<!-- begin: ${name} -->\n`);
    const after = rest.slice(rest.indexOf(`<!-- end: ${name} -->`));
    page = `${before}<!-- begin: ${name} -->\n\n${text}\n${after}`;
  }
  await expect(page).toMatchFileSnapshot(PAGE);
});
