/** Writes the index of decisions, docs/explanation/decisions/README.md, from the pages themselves. */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../docs/explanation/decisions');

/** The page docs/explanation/decisions/README.md. Throws for a page without number, title, status and date in its first lines. */
export function decisionsIndex(): string {
  const rows = globSync('0*.md', { cwd: FOLDER })
    .toSorted()
    .map((file) => {
      const [, number, title, status] =
        /^# (\d{4}) (.+)\n\n- Status: (Proposed|Accepted|Superseded)\b.*\n- Date: \d{4}-\d\d-\d\d\n/.exec(
          readFileSync(join(FOLDER, file), 'utf8'),
        ) ?? [];
      if (!number || !title || !status || !basename(file).startsWith(number))
        throw new Error(`${file} does not begin with "# NNNN Title", "- Status: …" and "- Date: …"`);
      return `| [${number}](${file}) | ${title} | ${status} |`;
    });
  return `# Decisions

Choices that shape the code and could have gone another way, with their reasons. [0001](0001-record-architecture-decisions.md) says how a page is written. \`npm run docs\` writes this index.

| number | decision | status |
| --- | --- | --- |
${rows.join('\n')}
`;
}

if (import.meta.main) writeFileSync(join(FOLDER, 'README.md'), decisionsIndex());
