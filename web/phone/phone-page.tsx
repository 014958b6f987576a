import { Box, NavLink, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Group } from '../api/operations.ts';
import { groupsQuery } from '../api/queries.ts';
import { zoneName } from '../format/time.ts';
import { useZone } from '../format/zone-context.tsx';
import boxClasses from '../parts/box.module.css';
import { Empty } from '../parts/empty.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { LoadMoreButton } from '../parts/load-more-button.tsx';
import { Page, RowsSkeleton } from '../parts/page.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { useDebouncedQueryParam } from '../parts/use-query-param.ts';
import { t } from '../i18n/translate.ts';
import { Chat } from './chat.tsx';
import { Incidents } from './incidents.tsx';
import classes from './phone-page.module.css';

/** From this many groups on, a search field is shown. */
const MANY_GROUPS = 8;

/** A sandbox member's phone. */
export default function PhonePage() {
  const zone = useZone();
  const { typed, setTyped, settled: search } = useDebouncedQueryParam('search');
  const found = useInfiniteQuery(groupsQuery({ kind: undefined, search }));
  const groups = found.data?.pages.flatMap((page) => page.groups) ?? [];
  const [chosen, setChosen] = useState<Group>();
  // The open group stays open during a search.
  const group = groups.find((one) => chosen && isSame(one, chosen)) ?? chosen ?? groups[0];
  const isSearching = search !== '' || groups.length > MANY_GROUPS;
  return (
    <Page title={t('pages.phone')}>
      <Text size="sm" c="dimmed" mb="md">
        {t('phone.lead', { zone, short: zoneName(zone) })}
      </Text>
      {found.isPending && !group && <RowsSkeleton rows={4} />}
      {found.isError && <ErrorAlert error={found.error} retry={() => void found.refetch()} />}
      {found.isSuccess && groups.length === 0 && search === '' && (
        <Empty title={t('groups.none')} sample="groups" link={{ href: '/groups', label: t('groups.goThere') }}>
          {t('groups.noneHint')}
        </Empty>
      )}
      {group && (
        <div className={classes.page}>
          <div className={`${boxClasses.surface} ${classes.side}`}>
            {isSearching && (
              <SearchField label={t('groups.search')} value={typed} onSearch={setTyped} size="sm" m={10} mb={4} />
            )}
            <nav className={classes.groups} aria-label={t('pages.groups')}>
              {groups.map((one) => (
                <Choice key={one.group_metadata_id} group={one} isOpen={isSame(one, group)} choose={setChosen} />
              ))}
              {found.isSuccess && groups.length === 0 && (
                <Text size="sm" c="dimmed" p="sm">
                  {t('groups.noneFound')}
                </Text>
              )}
              <LoadMoreButton of={found} variant="subtle" fullWidth />
            </nav>
          </div>
          <Chat key={group.group_metadata_id} group={group} />
        </div>
      )}
      {group && (
        <Box mt="lg">
          <Incidents group={group} />
        </Box>
      )}
    </Page>
  );
}

function Choice({ group, isOpen, choose }: { group: Group; isOpen: boolean; choose: (group: Group) => void }) {
  return (
    <NavLink
      component="button"
      active={isOpen}
      aria-current={isOpen ? 'true' : undefined}
      label={group.group_name}
      description={t(`kinds.${group.kind}`)}
      onClick={() => choose(group)}
      className={classes.group}
    />
  );
}

function isSame(one: Group, other: Group): boolean {
  return one.group_metadata_id === other.group_metadata_id;
}
