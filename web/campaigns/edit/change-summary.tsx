import type { Run } from '../../api/operations.ts';
import type { Draft } from '../../compose/draft.ts';
import { useAudienceFigures } from '../../compose/audience.ts';
import { describeSchedule } from '../../compose/send-times.tsx';
import { count } from '../../format/numbers.ts';
import { Callout } from '../../parts/callout.tsx';
import { Receipt } from '../../parts/receipt.tsx';
import { TextChange } from '../text-change.tsx';
import { t } from '../../i18n/translate.ts';
import { isRescheduled, type DraftDiff } from './diff-draft.ts';
import classes from './change-summary.module.css';

/** A receipt before the changes are saved: warnings, how many are reached, and the changes, a line each. */
export function ChangeSummary({
  before,
  draft,
  change,
  isOtherFile,
  hasFile,
  runs,
  planned,
  texts,
  warnings,
}: {
  before: Draft;
  draft: Draft;
  change: DraftDiff;
  isOtherFile: boolean;
  hasFile: boolean;
  /** The number of runs after the change (if known), and the number of planned runs now. */
  runs: number | undefined;
  planned: number;
  /** The message as it was and as it will be. */
  texts: { before: string; after: string };
  warnings: readonly string[];
}) {
  const figures = useAudienceFigures(draft.groups);
  const lines: string[] = [];
  if (typeof change.name === 'string') lines.push(t('change.what.name', { name: change.name, before: before.name }));
  const isBallotChanged =
    Boolean(change.poll ?? change.event) || change.remove?.some((name) => name === 'poll' || name === 'event');
  if (isBallotChanged) lines.push(t('change.what.ballot'));
  else if (change.html !== undefined) lines.push(t('change.what.html'));
  if (change.translations !== undefined) lines.push(t('change.what.translations'));
  if (change.link_preview || change.remove?.includes('link_preview')) lines.push(t('change.what.card'));
  if (isOtherFile || change.media || change.remove_image)
    lines.push(t(hasFile ? 'change.what.file' : 'change.what.noFile'));
  if (change.group_metadata_ids !== undefined) {
    const [old, next] = [idsOf(before), idsOf(draft)];
    lines.push(describeGroups(old, next));
  }
  if (isReached(change)) lines.push(t('change.what.reach'));
  if (change.tags)
    lines.push(
      change.tags.length > 0 ? t('change.what.tags', { tags: change.tags.join(', ') }) : t('change.what.noTags'),
    );
  if (isRescheduled(change)) {
    lines.push(t('change.what.when', { before: describeSchedule(before) }));
    if (runs !== undefined) lines.push(t('change.what.follow', { runs, before: planned }));
  }
  return (
    <Receipt warnings={warnings} figures={figures} lines={[]}>
      <ul className={classes.changes}>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {!isBallotChanged && change.html !== undefined && <TextChange before={texts.before} after={texts.after} />}
    </Receipt>
  );
}

/** Returns whether the mention, the pin, the reply or the follow-up has changed. */
function isReached({ mention_all, pin_for, reply_to, follow_up, remove = [] }: DraftDiff): boolean {
  return [mention_all, pin_for, reply_to, follow_up].some((value) => value !== undefined) || (remove?.length ?? 0) > 0;
}

function describeGroups(old: ReadonlySet<number>, next: ReadonlySet<number>): string {
  const [more, fewer] = [next.difference(old).size, old.difference(next).size];
  const before = count(old.size);
  if (more + fewer === 0) return t('change.what.order');
  if (fewer === 0) return t('change.what.groupsAdded', { more: count(more), before });
  if (more === 0) return t('change.what.groupsRemoved', { fewer: count(fewer), before });
  return t('change.what.groupsReplaced', { more: count(more), fewer: count(fewer), before });
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
      {planned === 0 ? t('change.onlyName') : t('change.planned', { runs: planned })}
      {begun > 0 && planned > 0 && ` ${t('change.begun', { runs: begun })}`}
    </Callout>
  );
}
