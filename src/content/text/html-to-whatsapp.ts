import { PlaceholderReader, type TemplateText } from './placeholders.ts';
import { hasVisible } from './boundaries.ts';
import { HTML_LIMIT, TEXT_LIMIT, type Document } from './document.ts';
import { DocumentWriter } from './reading/document-writer.ts';
import { rewriteForeign } from './foreign/rewrite-foreign.ts';
import { readForeignHtml, readHtml, type Findings } from './reading/read-html.ts';
import { DEPTH_LIMIT } from './reading/tags.ts';
import { walkTree } from './reading/walk-tree.ts';
import { findSuspicions } from './suspicions.ts';
import { namedWarning, warningOf, type NamedCode, type Warning } from './warnings.ts';
import { render } from './writing/render.ts';
import { fieldError, type FieldError } from '../../platform/errors/errors.ts';

export { TEXT_LIMIT } from './document.ts';

/** How tags that are not allowed are treated: `drop` reads the HTML as that of another program, and takes them out. */
export type UnknownTags = 'reject' | 'drop';

/**
 * The result of a conversion. With `problems` the HTML is rejected, and `text` is empty. Without problems `text` is empty if nothing of it
 * is visible.
 */
export interface Converted {
  text: string;
  /** The HTML itself, or what is left of it without the tags that were taken out. */
  html: string;
  warnings: Warning[];
  problems: FieldError[];
  /** With fields: the text before its placeholders are filled. `text` shows them. */
  template?: TemplateText | undefined;
}

/**
 * Converts a campaign's HTML into WhatsApp's markup. Tags that are not allowed are problems, or with `drop` are taken out with a warning.
 * With `withFields` placeholders are read. Returns all problems of the HTML at once. Never throws.
 */
export function convertHtml(sent: string, unknownTags: UnknownTags = 'reject', withFields = false): Converted {
  const { document, warnings, problems, html, fields } = readDocument(sent, unknownTags, withFields);
  if (problems.length > 0) return { text: '', html, warnings, problems };
  if (html !== sent && html.length > HTML_LIMIT)
    return rejected(html, warnings, fieldError('html', 'html_too_long', { limit: HTML_LIMIT }));
  const text = render(document);
  if (text.length > TEXT_LIMIT)
    return rejected(html, warnings, fieldError('html', 'text_too_long', { limit: TEXT_LIMIT, length: text.length }));
  const isVisible = document.some(({ runs }) => runs.some((run) => hasVisible(run.text)));
  const suspicions = findSuspicions(sent, document).map(({ code, found }) =>
    namedWarning(
      code,
      listNames(found, (name) => quoted(fields?.write(name) ?? name), WARNED_AT_MOST),
    ),
  );
  return {
    text: isVisible ? (fields?.write(text) ?? text) : '',
    html,
    warnings: [...warnings, ...suspicions],
    problems,
    ...(fields && { template: { text: isVisible ? text : '', placeholders: fields.placeholders } }),
  };
}

export function rejectAsTooComplex(html: string): Converted {
  return rejected(html, [], TOO_COMPLEX);
}

const TOO_COMPLEX = fieldError('html', 'too_complex');

function rejected(html: string, warnings: Warning[], problem: FieldError): Converted {
  return { text: '', html, warnings, problems: [problem] };
}

/** The document that HTML makes, without regard to how WhatsApp writes it. It is empty when there are problems. */
export function readDocument(
  html: string,
  unknownTags: UnknownTags = 'reject',
  withFields = false,
): Omit<Converted, 'text' | 'template'> & { document: Document; fields?: PlaceholderReader | undefined } {
  const fields = withFields ? new PlaceholderReader() : undefined;
  const { tree, findings } = readHtml(html, fields);
  const problems = describeFindings(findings, unknownTags);
  if (problems.length > 0) return { document: [], html, warnings: [], problems };
  if (unknownTags === 'drop' && (findings.tags.size > 0 || findings.isStyled))
    return readForeign(html, findings, withFields);
  const writer = new DocumentWriter(fields);
  walkTree(tree, writer);
  const { document, warnings } = writer.finish();
  const broken = fields?.problems('html') ?? [];
  return { document, html, warnings: [...warnings, ...describeLosses(findings)], problems: broken, fields };
}

/** Reads HTML of another program as HTML of the allowed tags that says the same. */
function readForeign(sent: string, { tags }: Findings, withFields: boolean): ReturnType<typeof readDocument> {
  const { tree, isTooComplex } = readForeignHtml(sent);
  if (isTooComplex) return { document: [], html: sent, warnings: [], problems: [TOO_COMPLEX] };
  const { html, hidden, hasEmptyLink } = rewriteForeign(tree.childNodes);
  const read = readDocument(html, 'reject', withFields);
  const isTold = !hasEmptyLink || read.warnings.some(({ code }) => code === 'link_without_text');
  const warnings = isTold ? read.warnings : [...read.warnings, warningOf('link_without_text')];
  return {
    ...read,
    warnings: [
      ...warnings,
      ...describe('tags_dropped', tags, tagInBrackets),
      ...describe('hidden_dropped', hidden, quoted),
    ],
  };
}

const NAMED_AT_MOST = 20;
/** A header carries warnings, too. */
const WARNED_AT_MOST = 5;
const LONGEST_NAME = 60;

function describeFindings(findings: Findings, unknownTags: UnknownTags): FieldError[] {
  const problems: FieldError[] = [];
  if (findings.tags.size > 0 && unknownTags === 'reject')
    problems.push(
      fieldError('html', 'tags_not_allowed', { tags: listNames(findings.tags, tagInBrackets, NAMED_AT_MOST) }),
    );
  if (findings.isTooDeep) problems.push(fieldError('html', 'too_deep', { limit: DEPTH_LIMIT }));
  if (findings.isTooComplex) problems.push(TOO_COMPLEX);
  return problems;
}

function describeLosses({ links, styles }: Findings): Warning[] {
  return [...describe('link_not_linkable', links, quoted), ...describe('style_ignored', styles, quoted)];
}

function describe(code: NamedCode, names: ReadonlySet<string>, write: (name: string) => string): Warning[] {
  return names.size > 0 ? [namedWarning(code, listNames(names, write, WARNED_AT_MOST))] : [];
}

function listNames(names: ReadonlySet<string>, write: (name: string) => string, most: number): string {
  const listed = Array.from(names)
    .slice(0, most)
    .map((name) => write(name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME).toWellFormed()}…` : name))
    .join(', ');
  return names.size > most ? `${listed} and ${names.size - most} more` : listed;
}

function tagInBrackets(name: string): string {
  return `<${name}>`;
}

function quoted(href: string): string {
  return JSON.stringify(href);
}
