/**
 * The plan for the first hour on WhatsApp, parsed from docs/how-to/first-hour-on-whatsapp.md, so that page and command show the same
 * texts.
 */
import { readFileSync } from 'node:fs';

export interface PlannedStep {
  title: string;
  /** The description of the step for the operator. */
  about: string;
  /** The requests to the operator, in order. */
  prompts: string[];
  /** The questions about the phones afterwards: yes, no, or unsure. */
  questions: string[];
}

const PAGE = new URL('../../docs/how-to/first-hour-on-whatsapp.md', import.meta.url);

export function readPlan(page = readFileSync(PAGE, 'utf8')): PlannedStep[] {
  const steps = page.split('\n## Steps\n')[1]?.split('\n## ')[0] ?? '';
  return steps
    .split(/^### \d+\. /m)
    .slice(1)
    .map(toStep);
}

function toStep(section: string): PlannedStep {
  const [title = '', ...lines] = section.trim().split('\n');
  const startingWith = (prefix: RegExp) =>
    lines.flatMap((line) => (prefix.test(line) ? [plain(line.replace(prefix, ''))] : []));
  const about = lines.filter((line) => line !== '' && !PROMPT.test(line) && !QUESTION.test(line));
  return {
    title,
    about: about.map(plain).join('\n'),
    prompts: startingWith(PROMPT),
    questions: startingWith(QUESTION),
  };
}

const PROMPT = /^\d+\. /;
const QUESTION = /^- \[ \] /;

/** Without the marks of Markdown. */
function plain(line: string): string {
  return line.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll(/[*`]/g, '');
}
