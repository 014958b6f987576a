import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Analytics, GroupRow } from '../../api/operations.ts';
import { useMay } from '../../api/workspace.ts';
import { notifyError } from '../../parts/notify.ts';
import { Section } from '../../parts/page.tsx';
import { t } from '../../i18n/translate.ts';
import { SaveListButton } from '../../groups/save-list-button.tsx';
import { useCampaignAction } from '../use-campaign-action.ts';
import { DuplicateButton } from './duplicate-button.tsx';
import { ExcludeGroupsButton } from './exclude-groups-button.tsx';
import { OutcomeReason, OutcomeList } from './outcome-list.tsx';

/** The reasons of failures, each with its groups and advice. */
export function Failures({ analytics }: { analytics: Analytics }) {
  const { campaign, groups, totals } = analytics;
  const act = useCampaignAction(campaign.campaign_id);
  const retrying = useMutation({ mutationFn: () => act('retry'), onError: notifyError });
  const maySend = useMay('manager') !== false;
  const failing = groups.filter((group) => group.failed > 0);
  if (failing.length === 0) return null;
  const reasons = [...Map.groupBy(failing, (group) => group.last_error ?? '')].toSorted(
    ([, one], [, other]) => other.length - one.length,
  );
  return (
    <Section
      title={t('campaign.failures', { failed: totals.failed })}
      aside={
        maySend && (
          <Button size="xs" loading={retrying.isPending} onClick={() => retrying.mutate()}>
            {t('campaign.retry', { posts: totals.failed })}
          </Button>
        )
      }
    >
      <OutcomeList>
        {reasons.map(([reason, hit]) => {
          const { what, todo, href, action } = adviceOf(reason);
          return (
            <OutcomeReason
              key={reason}
              what={t('campaign.couldNot', { groups: hit.length, why: what })}
              hit={hit}
              more={todo}
              action={
                href !== undefined && (
                  <Button component={Link} href={href} variant="default" size="xs">
                    {action}
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

interface Advice {
  what: string;
  todo: string;
  href?: string;
  action?: string;
}

/** Why posts fail, by what the service says of it; the first that matches counts. */
const REASONS = [
  // It names the refusal of the last attempt, too.
  { pattern: /^outcome_unknown/i, key: 'outcomeUnknown', href: undefined },
  { pattern: /no longer exists|not a member/i, key: 'gone', href: '/groups' },
  { pattern: /admin/i, key: 'notAdmin', href: '/groups' },
  { pattern: /^expired/i, key: 'expired', href: '/account' },
] as const;

/** What to do about a reason; an unknown one is shown as it stands. */
function adviceOf(reason: string): Advice {
  const known = REASONS.find(({ pattern }) => pattern.test(reason));
  if (!known) return { what: reason === '' ? t('campaign.noReason') : reason, todo: t('campaign.tryOneByHand') };
  const advice = { what: t(`reasons.${known.key}.what`), todo: t(`reasons.${known.key}.todo`) };
  return known.href === undefined ? advice : { ...advice, href: known.href, action: t(`reasons.${known.key}.action`) };
}
