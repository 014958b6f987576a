import { Select } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { CampaignStatus } from '../../api/operations.ts';
import { campaignsQuery } from '../../api/queries.ts';
import boxClasses from '../../parts/box.module.css';
import { DraftsMenu } from '../../drafts/drafts-menu.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Filters } from '../../parts/filters.tsx';
import { LoadMoreButton } from '../../parts/load-more-button.tsx';
import { Page } from '../../parts/page.tsx';
import { oneOf, useQueryParam, useDebouncedQueryParam } from '../../parts/use-query-param.ts';
import { QueryStatus } from '../../parts/query-status.tsx';
import { words } from '../../words/words.ts';
import { Agenda } from './agenda.tsx';
import { CampaignHeadings, CampaignRow } from './campaign-row.tsx';
import classes from './campaigns-page.module.css';
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
  const { typed, setTyped, settled: search } = useDebouncedQueryParam('search');
  const [chosen, setStatus] = useQueryParam('status', 'any', isStatus);
  const status = chosen === 'any' ? undefined : chosen;
  const found = useInfiniteQuery(campaignsQuery({ status, search }));
  const campaigns = found.data?.pages.flatMap((page) => page.campaigns) ?? [];
  const isFiltered = status !== undefined || search !== '';
  const isFirstTime = found.isSuccess && campaigns.length === 0 && !isFiltered;
  return (
    <Page title={words.pages.campaigns} wide actions={<DraftsMenu />}>
      {!isFirstTime && found.isSuccess && (
        <>
          <Agenda />
          <Overview />
        </>
      )}
      {!isFirstTime && (
        <Filters label={words.campaigns.search} typed={typed} onType={setTyped}>
          <Select
            aria-label={words.campaigns.status}
            placeholder={words.campaigns.anyStatus}
            clearable
            clearButtonProps={{ 'aria-label': words.campaigns.anyStatus }}
            value={status ?? null}
            onChange={(value) => setStatus(STATUSES.find((one) => one === value) ?? 'any')}
            data={STATUSES.map((value) => ({ value, label: words.status[value] }))}
          />
        </Filters>
      )}
      <QueryStatus of={found} rows={5} height={64} />
      {isFirstTime && <OnboardingSteps />}
      {found.isSuccess && campaigns.length === 0 && isFiltered && (
        <Empty title={words.campaigns.noneFound}>{words.campaigns.noneFoundHint}</Empty>
      )}
      {campaigns.length > 0 && (
        <div className={`${boxClasses.surface} ${classes.list}`}>
          <CampaignHeadings />
          <ul aria-label={words.pages.campaigns}>
            {campaigns.map((campaign) => (
              <CampaignRow key={campaign.campaign_id} campaign={campaign} />
            ))}
          </ul>
        </div>
      )}
      <LoadMoreButton of={found} fullWidth mt="md" />
    </Page>
  );
}
