import { readRows, type Connection } from '../../platform/database/statements.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { acknowledging } from '../campaigns/roll-up/roll-up-runs.ts';

/** The campaigns that began with a template. */
export interface TemplateUses {
  campaigns: number;
  /** When a run of them last began; null: none has. */
  lastSentAt: Date | null;
  read: number;
  /** Members who could have told that they read it, each once for a post. */
  acknowledging: number;
}

const NO_USES: TemplateUses = { campaigns: 0, lastSentAt: null, read: 0, acknowledging: 0 };

/** The newest posts of a template that are read; a campaign that was changed has several. */
const POSTS_READ = 100;

/** Adds to each template its campaigns, without tests and deleted ones, and who has read their posts. */
export async function addUses<Template extends { draftId: string }>(
  db: Connection,
  workspaceId: WorkspaceId,
  templates: readonly Template[],
): Promise<Array<Template & { uses: TemplateUses }>> {
  const ids = templates.map(({ draftId }) => draftId);
  const rows = await readRows<TemplateUses & { id: string }>(db)`
    select i.id, count(*)::int as campaigns, max(r.last_at) as "lastSentAt",
           coalesce(sum(r.read), 0)::float8 as read, coalesce(sum(r.acknowledging), 0)::float8 as acknowledging
    from unnest(${ids}::uuid[]) i (id)
    cross join lateral (
      select distinct campaign_id from (
        select c.campaign_id from contents t join campaigns c using (campaign_id)
        where (t.extras ->> 'fromTemplate')::uuid = i.id and t.extras ? 'fromTemplate'
          and c.workspace_id = ${workspaceId} and c.deleted_at is null and not c.is_test
        order by t.content_id desc limit ${POSTS_READ}) newest) k
    cross join lateral (
      select max(r.started_at) as last_at, sum(r.read) as read, sum(${acknowledging}) as acknowledging
      from runs r where r.campaign_id = k.campaign_id) r
    group by i.id`;
  const usesOf = new Map(rows.map(({ id, ...uses }) => [id, uses]));
  return templates.map((template) => ({ ...template, uses: usesOf.get(template.draftId) ?? NO_USES }));
}
