import type { Run } from '../../api/operations.ts';
import type { Draft } from '../../compose/draft.ts';
import { describeSchedule } from '../../compose/send-times.tsx';
import { count } from '../../format/numbers.ts';
import { Callout } from '../../parts/callout.tsx';
import { words } from '../../words/words.ts';
import { isRescheduled, type DraftDiff } from './diff-draft.ts';
import classes from './change-summary.module.css';

/** The pending changes, a line each. */
export function ChangeSummary({
  before,
  draft,
  change,
  isOtherFile,
  hasFile,
  runs,
  planned,
}: {
  before: Draft;
  draft: Draft;
  change: DraftDiff;
  isOtherFile: boolean;
  hasFile: boolean;
  /** The number of runs after the change (if known), and the number of planned runs now. */
  runs: number | undefined;
  planned: number;
}) {
  const said = words.change.what;
  const lines: string[] = [];
  if (typeof change.name === 'string') lines.push(said.name(change.name, before.name));
  if (change.html !== undefined) lines.push(said.html);
  if (isOtherFile) lines.push(hasFile ? said.file : said.noFile);
  if (change.group_metadata_ids !== undefined) {
    const [old, next] = [idsOf(before), idsOf(draft)];
    const [more, fewer] = [next.difference(old).size, old.difference(next).size];
    lines.push(more + fewer === 0 ? said.order : said.groups(count(more), count(fewer), count(old.size)));
  }
  if (isRescheduled(change)) {
    lines.push(said.when(describeSchedule(before)));
    if (runs !== undefined) lines.push(said.follow(runs, count(runs), count(planned)));
  }
  return (
    <ul className={classes.changes}>
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

function idsOf(draft: Draft): Set<number> {
  return new Set(draft.groups.map((group) => group.group_metadata_id));
}

/** How many runs are still planned, and how many can no longer change. */
export function UnchangedRuns({ runs }: { runs: readonly Run[] }) {
  const planned = runs.filter((run) => run.status === 'planned').length;
  const begun = runs.length - planned;
  return (
    <Callout>
      {planned === 0 ? words.change.onlyName : words.change.planned(planned, count(planned))}
      {begun > 0 && planned > 0 && ` ${words.change.begun(begun, count(begun))}`}
    </Callout>
  );
}
