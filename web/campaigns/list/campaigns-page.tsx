import { Select } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import type { CampaignRow as Row, CampaignStatus } from '../../api/operations.ts';
import { campaignsQuery, plannedCampaignsQuery } from '../../api/queries.ts';
import { dateIn } from '../../format/time.ts';
import { useZone } from '../../format/zone-context.tsx';
import boxClasses from '../../parts/box.module.css';
import { WaitingList } from '../../approvals/waiting-list.tsx';
import { DraftsMenu } from '../../drafts/drafts-menu.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Filters } from '../../parts/filters.tsx';
import { LoadMoreButton } from '../../parts/load-more-button.tsx';
import { Page } from '../../parts/page.tsx';
import { oneOf, useQueryParam, useDebouncedQueryParam } from '../../parts/use-query-param.ts';
import { useNow } from '../../parts/relative-time.tsx';
import { QueryStatus } from '../../parts/query-status.tsx';
import { t } from '../../i18n/translate.ts';
import { AttentionBanner } from './attention-banner.tsx';
import { CampaignHeadings, CampaignRow } from './campaign-row.tsx';
import classes from './campaigns-page.module.css';
import { groupByPeriod } from './group-by-period.ts';
import { OnboardingSteps } from './onboarding-steps.tsx';
import { Overview } from './overview.tsx';

const STATUSES: readonly CampaignStatus[] = [
  'running',
  'scheduled',
  'paused',
  'completed',
  'completed_with_errors',
  'cancelled',
];
const isStatus = oneOf<CampaignStatus | 'any'>([...STATUSES, 'any']);

export default function CampaignsPage() {
  const zone = useZone();
  const today = dateIn(new Date(useNow()), zone);
  const { typed, setTyped, settled: search } = useDebouncedQueryParam('search');
  const [chosen, setStatus] = useQueryParam('status', 'any', isStatus);
  const status = chosen === 'any' ? undefined : chosen;
  const found = useInfiniteQuery(campaignsQuery({ status, search }));
  const planned = useQuery(plannedCampaignsQuery({ status, search }));
  const campaigns = mergeRows(found.data?.pages.flatMap((page) => page.campaigns) ?? [], planned.data?.campaigns ?? []);
  const isFiltered = status !== undefined || search !== '';
  const isFirstTime = found.isSuccess && campaigns.length === 0 && !isFiltered;
  return (
    <Page title={t('pages.campaigns')} actions={<DraftsMenu />}>
      {!isFirstTime && found.isSuccess && (
        <>
          <AttentionBanner />
          <Overview />
        </>
      )}
      <WaitingList />
      {!isFirstTime && (
        <Filters label={t('campaigns.search')} typed={typed} onType={setTyped}>
          <Select
            aria-label={t('campaigns.status')}
            placeholder={t('campaigns.anyStatus')}
            clearable
            clearButtonProps={{ 'aria-label': t('campaigns.anyStatus') }}
            value={status ?? null}
            onChange={(value) => setStatus(STATUSES.find((one) => one === value) ?? 'any')}
            data={STATUSES.map((value) => ({ value, label: t(`status.${value}`) }))}
          />
        </Filters>
      )}
      <QueryStatus of={found} rows={5} height={64} />
      {planned.isError && <ErrorAlert error={planned.error} retry={() => void planned.refetch()} />}
      {isFirstTime && <OnboardingSteps />}
      {found.isSuccess && campaigns.length === 0 && isFiltered && (
        <Empty title={t('campaigns.noneFound')}>{t('campaigns.noneFoundHint')}</Empty>
      )}
      {campaigns.length > 0 && (
        <div className={`${boxClasses.surface} ${classes.list}`}>
          <CampaignHeadings />
          <ul aria-label={t('pages.campaigns')}>
            {groupByPeriod(campaigns, today, zone).map(([period, own]) => (
              <Fragment key={period}>
                <li className={classes.period}>{t(`campaigns.periods.${period}`)}</li>
                {own.map((campaign) => (
                  <CampaignRow key={campaign.campaign_id} campaign={campaign} />
                ))}
              </Fragment>
            ))}
          </ul>
        </div>
      )}
      <LoadMoreButton of={found} fullWidth mt="md" />
    </Page>
  );
}

/** The rows of both lists, each once. Those without a run to come are not planned ones. */
function mergeRows(found: readonly Row[], planned: readonly Row[]): Row[] {
  const known = new Set(found.map((row) => row.campaign_id));
  return [...found, ...planned.filter((row) => row.next_run_at !== null && !known.has(row.campaign_id))];
}
