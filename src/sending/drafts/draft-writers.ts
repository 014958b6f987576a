import { sql, type RawBuilder } from '../../platform/database/statements.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';

/** The words of a post, as it is sent or saved. */
export interface PostWords {
  html: string;
  poll?: { question: string; options: readonly string[] } | null | undefined;
  event?: { name: string; description?: string | null | undefined } | null | undefined;
}

/** SQL: the SHA-256 of the words of a post in `content`, a jsonb value like `PostWords`; null if it has none. */
export function hashWords(content: RawBuilder<unknown>): RawBuilder<Buffer | null> {
  return sql`
    sha256(convert_to(nullif(concat(
      ${content} ->> 'html', ${content} #>> '{poll,question}', ${content} #>> '{poll,options}',
      ${content} #>> '{event,name}', ${content} #>> '{event,description}'), ''), 'UTF8'))`;
}

/**
 * SQL: an array of those who wrote the draft of this id or any draft with the same words, which may have been deleted since. `words` is
 * undefined for a post without any.
 */
export function listDraftWriters(workspaceId: WorkspaceId, draftId: string, words: PostWords | undefined) {
  const hash = words ? hashWords(sql`${JSON.stringify(words)}::jsonb`) : sql`null::bytea`;
  return sql`array(
    select u.user_id
    from (select d.draft_id, ${hashWords(sql`d.content`)} as text_hash, d.written_by from drafts d
          where d.workspace_id = ${workspaceId}
          union all
          select e.draft_id, e.text_hash, e.written_by from deleted_drafts e
          where e.workspace_id = ${workspaceId}) w
    cross join unnest(w.written_by) with ordinality u (user_id, place)
    where w.draft_id = ${draftId} or w.text_hash = ${hash}
    order by w.draft_id <> ${draftId}, w.draft_id, u.place)`;
}
