/** Writes the index of decisions, docs/explanation/decisions/README.md, from the pages themselves. */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../docs/explanation/decisions');

/** Every record names one of them. */
const THEMES = [
  'The project',
  'Sending',
  'WhatsApp',
  'Figures',
  'Events',
  'Workspaces and people',
  'Content',
  'API and dashboard',
  'Shares and limits',
  'Database',
  'Operations',
];

const HEAD =
  /^# (\d{4}) (.+)\n\n- Status: (?:Proposed|Accepted)\n- Date: \d{4}-\d\d-\d\d(?:, changed \d{4}-\d\d-\d\d)?\n- Theme: (.+)\n(?:- Replaces: (\d{4}(?:, \d{4})*)\n)?\n/;

/** The records in order. Throws for one without number, title, status, date and theme in its first lines. */
export function readDecisions() {
  return globSync('0*.md', { cwd: FOLDER })
    .toSorted()
    .map((file) => {
      const [, number = '', title = '', theme = '', replaced] =
        HEAD.exec(readFileSync(join(FOLDER, file), 'utf8')) ?? [];
      if (!basename(file).startsWith(`${number}-`) || !THEMES.includes(theme))
        throw new Error(
          `${file} does not begin with "# NNNN Title", "- Status: …", "- Date: …" and a "- Theme: …" of ours`,
        );
      return { file, number, title, theme, replaced: replaced?.split(', ') ?? [] };
    });
}

/** The page docs/explanation/decisions/README.md. */
export function decisionsIndex(): string {
  const decisions = readDecisions();
  const sections = THEMES.map((theme) => {
    const rows = decisions
      .filter((decision) => decision.theme === theme)
      .map(({ file, number, title, replaced }) => `| [${number}](${file}) | ${title} | ${replaced.join(', ')} |`);
    return `## ${theme}\n\n| number | decision | replaces |\n| --- | --- | --- |\n${rows.join('\n')}\n`;
  });
  return `# Decisions

Choices that shape the code and could have gone another way, with their reasons. [0001](0001-record-architecture-decisions.md) says how a page is written. A page has one mechanism as it is today. The last column has the numbers of former pages that it replaces. \`npm run docs\` writes this index.

${sections.join('\n')}`;
}

if (import.meta.main) writeFileSync(join(FOLDER, 'README.md'), decisionsIndex());
