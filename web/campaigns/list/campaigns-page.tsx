import { Button } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { Link } from 'wouter';
import type { CampaignRow as Row } from '../../api/operations.ts';
import { campaignsQuery, plannedCampaignsQuery } from '../../api/queries.ts';
import { dateIn } from '../../format/time.ts';
import { useZone } from '../../format/zone-context.tsx';
import boxClasses from '../../parts/box.module.css';
import { WaitingList } from '../../approvals/waiting-list.tsx';
import { DraftsMenu } from '../../drafts/drafts-menu.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { LoadMoreButton } from '../../parts/load-more-button.tsx';
import { Page } from '../../parts/page.tsx';
import { useNow } from '../../parts/relative-time.tsx';
import { QueryStatus } from '../../parts/query-status.tsx';
import { t } from '../../i18n/translate.ts';
import { AttentionBanner } from './attention-banner.tsx';
import { CampaignFilters, useCampaignFilter } from './campaign-filters.tsx';
import { CampaignRow } from './campaign-row.tsx';
import classes from './campaigns-page.module.css';
import { groupByPeriod } from './group-by-period.ts';
import { OnboardingSteps } from './onboarding-steps.tsx';
import { Overview } from './overview.tsx';

export default function CampaignsPage() {
  const zone = useZone();
  const today = dateIn(new Date(useNow()), zone);
  const { filter, isFiltered, fields } = useCampaignFilter();
  const found = useInfiniteQuery(campaignsQuery(filter));
  const planned = useQuery(plannedCampaignsQuery(filter));
  const campaigns = mergeRows(found.data?.pages.flatMap((page) => page.campaigns) ?? [], planned.data?.campaigns ?? []);
  const isFirstTime = found.isSuccess && campaigns.length === 0 && !isFiltered;
  return (
    <Page title={t('pages.campaigns')} actions={<PageActions />}>
      {!isFirstTime && found.isSuccess && (
        <>
          <AttentionBanner />
          <Overview />
        </>
      )}
      <WaitingList />
      {!isFirstTime && <CampaignFilters of={fields} today={today} />}
      <QueryStatus of={found} rows={5} height={64} />
      {planned.isError && <ErrorAlert error={planned.error} retry={() => void planned.refetch()} />}
      {isFirstTime && <OnboardingSteps />}
      {isFirstTime && <Empty sample="campaigns">{t('samples.campaigns')}</Empty>}
      {found.isSuccess && campaigns.length === 0 && isFiltered && (
        <Empty title={t('campaigns.noneFound')}>{t('campaigns.noneFoundHint')}</Empty>
      )}
      {campaigns.length > 0 && (
        <div className={`${boxClasses.surface} ${classes.list}`}>
          <ul aria-label={t('pages.campaigns')}>
            {groupByPeriod(campaigns, today, zone).map(([period, own]) => (
              <Fragment key={period}>
                <li className={classes.period}>{t(`campaigns.periods.${period}`)}</li>
                {own.map((campaign) => (
                  <CampaignRow key={campaign.campaign_id} campaign={campaign} period={period} />
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

function PageActions() {
  return (
    <>
      <DraftsMenu />
      <Button component={Link} href="/templates" variant="default">
        {t('templates.title')}
      </Button>
    </>
  );
}

/** The rows of both lists, each once. Those without a run to come are not planned ones. */
function mergeRows(found: readonly Row[], planned: readonly Row[]): Row[] {
  const known = new Set(found.map((row) => row.campaign_id));
  return [...found, ...planned.filter((row) => row.next_run_at !== null && !known.has(row.campaign_id))];
}
