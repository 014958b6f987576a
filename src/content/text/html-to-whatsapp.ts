import type { FieldError } from '../../platform/errors/errors.ts';
import { hasVisible } from './boundaries.ts';
import { TEXT_LIMIT, type Document } from './document.ts';
import { DocumentWriter } from './reading/document-writer.ts';
import { readHtml, type Findings } from './reading/read-html.ts';
import { DEPTH_LIMIT } from './reading/tags.ts';
import { walkTree } from './reading/walk-tree.ts';
import type { Warning } from './warnings.ts';
import { render } from './writing/render.ts';

export { TEXT_LIMIT } from './document.ts';

/** The result of a conversion. With `problems` the HTML is rejected, and `text` is empty. Without problems `text` is empty if nothing of it is visible. */
export interface Converted {
  text: string;
  warnings: Warning[];
  problems: FieldError[];
}

/** Converts a campaign's HTML into WhatsApp's markup. Returns all problems of the HTML at once. Never throws. */
export function convertHtml(html: string): Converted {
  const { document, warnings, findings } = readDocument(html);
  const problems = describeFindings(findings);
  if (problems.length > 0) return { text: '', warnings, problems };
  const text = render(document);
  if (text.length > TEXT_LIMIT)
    return rejected(warnings, `is longer than the ${TEXT_LIMIT} characters that a message can have`);
  const isVisible = document.some(({ runs }) => runs.some((run) => hasVisible(run.text)));
  return { text: isVisible ? text : '', warnings, problems };
}

/** Returns the result for HTML that is too complex to convert. */
export function rejectAsTooComplex(): Converted {
  return rejected([], TOO_COMPLEX);
}

const TOO_COMPLEX = 'is too tangled to be read';

function rejected(warnings: Warning[], issue: string): Converted {
  return { text: '', warnings, problems: [problem(issue)] };
}

/** The document that HTML makes, without regard to how WhatsApp writes it. It is empty when there are findings. */
export function readDocument(html: string): { document: Document; warnings: Warning[]; findings: Findings } {
  const { tree, findings } = readHtml(html);
  if (describeFindings(findings).length > 0) return { document: [], warnings: [], findings };
  const writer = new DocumentWriter();
  walkTree(tree, writer);
  return { ...writer.finish(), findings };
}

const NAMED_AT_MOST = 20;
const LONGEST_NAME = 60;

function describeFindings(findings: Findings): FieldError[] {
  const problems: FieldError[] = [];
  if (findings.tags.size > 0)
    problems.push(problem(`has tags that are not allowed: ${listNames(findings.tags, tagInBrackets)}`));
  if (findings.links.size > 0) {
    problems.push(
      problem(
        `has links that are not complete http, https, mailto or tel addresses: ${listNames(findings.links, quoted)}`,
      ),
    );
  }
  if (findings.isTooDeep) problems.push(problem(`has tags nested over ${DEPTH_LIMIT} deep`));
  if (findings.isTooComplex) problems.push(problem(TOO_COMPLEX));
  return problems;
}

function problem(issue: string): FieldError {
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
