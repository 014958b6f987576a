import { Button, NavLink, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { groupsQuery } from '../api/queries.ts';
import { zoneName } from '../format/time.ts';
import { useZone } from '../format/zone.tsx';
import { Empty } from '../parts/empty.tsx';
import { Failed } from '../parts/failed.tsx';
import { Page, RowsSkeleton } from '../parts/page.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { words } from '../words/words.ts';
import { Chat } from './chat.tsx';

const WAIT_MS = 200;
/** Fewer are found by looking. */
const MANY_GROUPS = 8;

/** What a member of a sandbox group sees on their phone. */
export default function PhonePage() {
  const zone = useZone();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, WAIT_MS);
  const found = useInfiniteQuery(groupsQuery({ kind: undefined, search }));
  const groups = found.data?.pages.flatMap((page) => page.groups) ?? [];
  const [chosen, setChosen] = useState<(typeof groups)[number]>();
  // What is open stays open while another is searched for.
  const group = groups.find((one) => one.group_metadata_id === chosen?.group_metadata_id) ?? chosen ?? groups[0];
  const isSearching = search !== '' || groups.length > MANY_GROUPS;
  return (
    <Page title={words.pages.phone} wide>
      <Text size="sm" c="dimmed" mb="md">
        {words.phone.lead(zone, zoneName(zone))}
      </Text>
      {found.isPending && !group && <RowsSkeleton rows={4} />}
      {found.isError && <Failed error={found.error} retry={() => void found.refetch()} />}
      {found.isSuccess && groups.length === 0 && search === '' && (
        <Empty
          title={words.groups.none}
          action={
            <Button component={Link} href="/groups">
              {words.groups.goThere}
            </Button>
          }
        >
          {words.groups.noneHint}
        </Empty>
      )}
      {group && (
        <div className="phone-page">
          <div className="surface phone-side">
            {isSearching && (
              <SearchField label={words.groups.search} value={typed} onSearch={setTyped} size="sm" m={10} mb={4} />
            )}
            <nav className="phone-groups" aria-label={words.pages.groups}>
              {groups.map((one) => (
                <NavLink
                  key={one.group_metadata_id}
                  component="button"
                  active={one.group_metadata_id === group.group_metadata_id}
                  aria-current={one.group_metadata_id === group.group_metadata_id ? 'true' : undefined}
                  label={one.group_name}
                  description={words.kinds[one.kind]}
                  onClick={() => setChosen(one)}
                  className="phone-group"
                />
              ))}
              {found.isSuccess && groups.length === 0 && (
                <Text size="sm" c="dimmed" p="sm">
                  {words.groups.noneFound}
                </Text>
              )}
              {found.hasNextPage && (
                <Button
                  variant="subtle"
                  fullWidth
                  loading={found.isFetchingNextPage}
                  onClick={() => void found.fetchNextPage()}
                >
                  {words.more}
                </Button>
              )}
            </nav>
          </div>
          <Chat key={group.group_metadata_id} group={group} />
        </div>
      )}
    </Page>
  );
}
