import type { Problem } from '../lib/errors.ts';
import { hasVisible } from './boundaries.ts';
import { DocumentWriter } from './document-writer.ts';
import { TEXT_LIMIT, type Document } from './document.ts';
import { readHtml } from './read-html.ts';
import { render } from './render.ts';
import { DEPTH_LIMIT } from './tags.ts';
import type { Findings } from './tokenize-html.ts';
import type { Warning } from './warnings.ts';

export { TEXT_LIMIT } from './document.ts';

/** The longest HTML that is taken, in UTF-16 code units. The request's schema checks it; what is longer is still read safely. */
export const HTML_LIMIT = 262_144;

/** What HTML comes to. With `problems` it is refused, and `text` is empty. */
export interface Converted {
  text: string;
  warnings: Warning[];
  problems: Problem[];
}

/**
 * The message that a campaign's HTML comes to, in WhatsApp's markup. Everything that is wrong with the HTML is told at once. Never
 * throws, whatever it is given, and takes time linear in its length.
 */
export function convertHtml(html: string): Converted {
  const { document, warnings, isTooLong, findings } = readDocument(html);
  const problems = describeFindings(findings);
  if (problems.length > 0) return { text: '', warnings, problems };
  if (isTooLong) return refused(warnings, TOO_LONG);
  if (!document.some(({ runs }) => runs.some((run) => hasVisible(run.text))))
    return refused(warnings, 'has no text in it');
  const text = render(document, TEXT_LIMIT);
  return text === undefined ? refused(warnings, TOO_LONG) : { text, warnings, problems };
}

const TOO_LONG = `comes to more than the ${TEXT_LIMIT} characters a message can have`;

function refused(warnings: Warning[], issue: string): Converted {
  return { text: '', warnings, problems: [problem(issue)] };
}

/**
 * The document that HTML makes, without regard to how WhatsApp writes it. It is empty when there are findings, and when it
 * `isTooLong` for any message.
 */
export function readDocument(html: string): {
  document: Document;
  warnings: Warning[];
  isTooLong: boolean;
  findings: Findings | undefined;
} {
  const writer = new DocumentWriter();
  const findings = readHtml(html, writer);
  return findings ? { document: [], warnings: [], isTooLong: false, findings } : { ...writer.finish(), findings };
}

const NAMED_AT_MOST = 20;
const LONGEST_NAME = 60;

function describeFindings(findings: Findings | undefined): Problem[] {
  if (findings === undefined) return [];
  const problems: Problem[] = [];
  if (findings.tags.size > 0)
    problems.push(problem(`has tags that are not allowed: ${listNames(findings.tags, tagInBrackets)}`));
  if (findings.links.size > 0) {
    problems.push(
      problem(
        `has links that are not whole http, https, mailto or tel addresses: ${listNames(findings.links, quoted)}`,
      ),
    );
  }
  if (findings.tooDeep) problems.push(problem(`has tags nested over ${DEPTH_LIMIT} deep`));
  return problems;
}

function problem(issue: string): Problem {
  return { field: 'html', issue };
}

function listNames(names: ReadonlySet<string>, write: (name: string) => string): string {
  const listed = Array.from(names)
    .slice(0, NAMED_AT_MOST)
    .map((name) => write(name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME).toWellFormed()}…` : name))
    .join(', ');
  return names.size > NAMED_AT_MOST ? `${listed} and ${names.size - NAMED_AT_MOST} more` : listed;
}

function tagInBrackets(name: string): string {
  return `<${name}>`;
}

function quoted(href: string): string {
  return JSON.stringify(href);
}
