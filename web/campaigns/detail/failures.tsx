import { Button } from '@mantine/core';
import { Link } from 'wouter';
import type { Advice } from '../../../src/platform/errors/failures.ts';
import type { Analytics, GroupRow } from '../../api/operations.ts';
import { useMay } from '../../api/workspace.ts';
import { Section } from '../../parts/page.tsx';
import { failureText } from '../../format/failure-text.ts';
import { t, type PlainKey } from '../../i18n/translate.ts';
import { SaveListButton } from '../../groups/save-list-button.tsx';
import { useRetry } from '../use-retry.tsx';
import { DuplicateButton } from './duplicate-button.tsx';
import { ExcludeGroupsButton } from './exclude-groups-button.tsx';
import { OutcomeReason, OutcomeList } from './outcome-list.tsx';

/** The reasons of failures, each with its groups and advice. */
export function Failures({ analytics }: { analytics: Analytics }) {
  const { campaign, groups, totals } = analytics;
  const retrying = useRetry();
  const maySend = useMay('manager') !== false;
  const failing = groups.filter((group) => group.failed > 0);
  if (failing.length === 0) return null;
  const reasons = [...Map.groupBy(failing, (group) => textOf(group).what).values()].toSorted(
    (one, other) => other.length - one.length,
  );
  return (
    <Section
      title={t('campaign.failures', { failed: totals.failed })}
      aside={
        maySend && (
          <Button
            size="xs"
            loading={retrying.isPending}
            onClick={() => retrying.mutate({ campaign_id: campaign.campaign_id, name: campaign.name })}
          >
            {t('campaign.retry', { posts: totals.failed })}
          </Button>
        )
      }
    >
      <OutcomeList>
        {reasons.map((hit) => {
          const [first] = hit;
          if (!first) return null;
          const { what, todo, advice } = textOf(first);
          const page = advice && PAGES[advice];
          return (
            <OutcomeReason
              key={what}
              what={t('campaign.couldNot', { groups: hit.length, why: what })}
              hit={hit}
              more={todo}
              action={
                page && (
                  <Button component={Link} href={page.href} variant="default" size="xs">
                    {t(page.action)}
                  </Button>
                )
              }
              withGroups={<GroupActions analytics={analytics} hit={hit} />}
            />
          );
        })}
      </OutcomeList>
    </Section>
  );
}

/** Actions on all groups with failed posts. */
function GroupActions({ analytics, hit }: { analytics: Analytics; hit: readonly GroupRow[] }) {
  const { campaign, groups, runs } = analytics;
  const ids = new Set(hit.map((group) => group.group_metadata_id));
  const others = groups.filter((group) => !ids.has(group.group_metadata_id));
  const goesOn = campaign.is_schedule && runs.some((run) => run.status === 'planned');
  return (
    <>
      <SaveListButton groups={hit} size="xs" />
      <DuplicateButton campaign={campaign} groups={[...hit]} isToAll label={t('campaign.onlyThese')} size="xs" />
      {others.length > 0 && goesOn && <ExcludeGroupsButton campaign={campaign} left={hit.length} others={others} />}
      {others.length > 0 && !goesOn && (
        <DuplicateButton campaign={campaign} groups={others} label={t('campaign.withoutThese')} size="xs" />
      )}
    </>
  );
}

const textOf = ({ last_error: error, ...group }: GroupRow) => failureText({ ...group, error });

/** Where the owner can follow an advice. */
const PAGES: Partial<Record<Advice, { href: string; action: PlainKey }>> = {
  join_group: { href: '/groups', action: 'failures.toGroups' },
  ask_admin: { href: '/groups', action: 'failures.toGroups' },
  check_account: { href: '/account', action: 'failures.toAccount' },
};
