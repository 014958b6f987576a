import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Group } from '../api/operations.ts';
import { fetchAllGroups, groupListsQuery } from '../api/queries.ts';
import { isListId, useQueryParam } from '../parts/use-query-param.ts';
import type { Selection } from './use-selection.ts';

/** The saved lists, the one that is shown, and the one that is being edited, whose groups are then the selection. */
export function useSavedLists(selection: Selection) {
  const lists = useQuery(groupListsQuery).data?.group_lists ?? [];
  const [chosen, setChosen] = useQueryParam('list', '', isListId);
  const listId = chosen === '' ? undefined : Number(chosen);
  const choose = (id: number | undefined) => setChosen(id === undefined ? '' : String(id));
  const [changingId, setChangingId] = useState<number>();
  const stopChanging = () => {
    selection.clear();
    setChangingId(undefined);
  };
  return {
    lists,
    list: lists.find((one) => one.group_list_id === listId),
    changing: lists.find((one) => one.group_list_id === changingId),
    choose,
    change: async (id: number) => {
      selection.replace(await fetchListGroups(id));
      setChangingId(id);
      choose(undefined);
    },
    stopChanging,
    onSaved: (id: number) => {
      stopChanging();
      choose(id);
    },
  };
}

export function fetchListGroups(listId: number): Promise<Group[]> {
  return fetchAllGroups({ kind: undefined, search: '', listId });
}
