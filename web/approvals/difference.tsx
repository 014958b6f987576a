import type { FullApproval } from '../api/operations.ts';
import { Section, SectionNote } from '../parts/page.tsx';
import { findMessage, t } from '../i18n/translate.ts';
import classes from './approvals.module.css';

type Difference = NonNullable<FullApproval['difference']>;

/** What changed since the version that was decided on last, word by word. */
export function DifferenceSection({ of: approval }: { of: FullApproval }) {
  const { difference, groups } = approval;
  if (!difference) return null;
  const { fields, groups_added: added, groups_removed: removed } = difference;
  const names = new Map(groups.map((group) => [group.group_metadata_id, group.group_name]));
  if (fields.length + added.length + removed.length === 0)
    return <SectionNote title={t('approvals.changes')}>{t('approvals.unchanged')}</SectionNote>;
  return (
    <Section title={t('approvals.changes')}>
      <dl className={classes.fields}>
        {fields.map(({ field, pieces }) => (
          <div key={field}>
            <dt>{findMessage(`audit.fields.${field}`) ?? field.replaceAll('_', ' ')}</dt>
            <dd>
              <Pieces pieces={pieces} />
            </dd>
          </div>
        ))}
        {added.length + removed.length > 0 && (
          <div>
            <dt>{t('audit.fields.groups')}</dt>
            <dd>
              <Pieces
                pieces={[
                  ...removed.map((group) => ({ change: 'removed' as const, text: group.group_name })),
                  ...added.map((id) => ({ change: 'added' as const, text: names.get(id) ?? String(id) })),
                ]}
                separator=", "
              />
            </dd>
          </div>
        )}
      </dl>
    </Section>
  );
}

const ELEMENTS = { same: 'span', added: 'ins', removed: 'del' } as const;

function Pieces({ pieces, separator }: { pieces: Difference['fields'][number]['pieces']; separator?: string }) {
  return (
    <p className={classes.pieces} dir="auto">
      {pieces.map(({ change, text }, index) => {
        const Element = ELEMENTS[change];
        return (
          <span key={index}>
            {separator !== undefined && index > 0 && separator}
            <Element>{text}</Element>
          </span>
        );
      })}
    </p>
  );
}
