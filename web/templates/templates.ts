import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { Data } from '../api/operations.ts';
import { createSavedDraft } from '../compose/create-draft.ts';
import { isBallot } from '../compose/ballot.ts';
import type { Draft } from '../compose/draft.ts';
import { reachFields } from '../compose/reach.ts';
import { base64 } from '../compose/send-draft.ts';
import { toDraft } from '../drafts/persisted-draft.ts';
import { toFields } from '../drafts/save-draft.ts';

export type Template = Data<'venom/list-templates'>['templates'][number];

export const templatesQuery = queryOptions({
  queryKey: ['templates'],
  queryFn: ({ signal }) => call('venom/list-templates', {}, { signal }),
});

/** Returns the present state of a template with its content. */
export async function fetchTemplate(templateId: string) {
  const [template] = (await call('venom/list-templates', { template_id: templateId })).templates;
  if (!template?.content) throw new Error('the service answered another template');
  const { content, files = [], groups = [], own_group_metadata_ids = [], group_list_ids: listIds = [] } = template;
  return { template, listIds, content: { ...content, files, groups, own_group_metadata_ids } };
}

/** Creates a draft from a template. Returns its path. */
export async function startFromTemplate(client: QueryClient, timeZone: string, templateId: string): Promise<string> {
  const { content } = await fetchTemplate(templateId);
  return createSavedDraft(client, toDraft(content, timeZone));
}

/** A post that is saved as a template. */
export interface SavedPost {
  draft: Draft;
  file: File | null;
}

/** Saves a post as a template. The groups of its lists are those of the lists alone; a poll or an event has no text and no file. */
export async function saveTemplate(
  { draft, file }: SavedPost,
  {
    listed,
    ...template
  }: { template_id: string; version: number; name: string; group_list_ids: number[]; listed: ReadonlySet<number> },
  signal: AbortSignal,
): Promise<void> {
  const { group_metadata_ids: ids, ...fields } = toFields(draft);
  const isAsking = isBallot(draft);
  await call(
    'venom/save-template',
    {
      ...fields,
      ...(isAsking && { html: '', media: null, link_preview: null }),
      ...reachFields({ ...draft, fromTemplate: null }),
      ...template,
      group_list_ids: [...new Set([...draft.groupListIds, ...template.group_list_ids])],
      group_metadata_ids: ids.filter((id) => !listed.has(id)),
      ...(file && !isAsking && { image: await base64(file) }),
    },
    { signal },
  );
}
