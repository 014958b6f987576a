import { execute, sql, type Connection } from '../../../platform/database/statements.ts';
import { FAILURES } from '../../../platform/errors/failures.ts';
import { setUnsentStatus, settleRuns } from '../../deliveries/settle-runs.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';
import type { Template } from '../../../content/post/fill-post.ts';
import { compileChoice } from '../../../content/text/choose-text.ts';
import { LANGUAGE_KEY } from '../../../content/post/translations.ts';
import { replaceRemoved } from '../../values/bind-fields.ts';
import { countLanguages } from '../../values/select-values.ts';
import { insertValues, readRun, type Former, type RunPiece } from '../../values/write-values.ts';

/**
 * Gives deliveries that were just queued the present values of their groups, in the transaction that queued them. Those whose groups lack
 * one fail, or are left out, as the post has it. Ends runs with nothing left. The ledgers must be locked.
 */
export async function fixValues(
  trx: Connection,
  pieces: readonly RunPiece[],
  context: { installationZone: string; former: Former },
): Promise<void> {
  for (const piece of pieces) await writePiece(trx, piece, context);
  await settleRuns(trx, pieces);
}

async function writePiece(trx: Connection, piece: RunPiece, context: Parameters<typeof fixValues>[2]): Promise<void> {
  const begun = await readRun(trx, piece);
  if (!begun || Object.keys(begun.template.fields).length === 0) return;
  const { workspaceId, runId } = piece;
  const isAgain = context.former === 'replaced';
  const run = isAgain ? { ...begun, template: await replaceRemoved(trx, workspaceId, begun.template) } : begun;
  const { fields, leavesOut = false } = run.template;
  const isInText = await selectIsInText(trx, workspaceId, run.template);
  const missing = Object.entries(fields).flatMap(([key, { name, isRequired, requiredIn }]) => {
    const isMissing = sql`coalesce(w.field_values ->> ${key}::text, '') = ''`;
    if (isRequired) return [sql`case when ${isMissing} then ${name}::text end`];
    return requiredIn ? [sql`case when ${isMissing} and ${isInText(requiredIn)} then ${name}::text end`] : [];
  });
  const code = leavesOut ? 'left_without_value' : 'value_missing';
  const [, , reason] = FAILURES[code];
  const failure = sql`select replace(${reason}::text, '{fields}', m.names), ${code}::text, jsonb_build_object('fields', m.names)`;
  const written = await insertValues(piece, run, { trx, ...context });
  await execute(trx)`
    with written as (${written}), missing as materialized (
      select w.position, m.names
      from written w cross join lateral (select ${missing.length === 0 ? sql`null::text` : sql`nullif(concat_ws(', ', ${sql.join(missing)}), '')`} as names) m
      where m.names is not null
    ), lacking as (
      update deliveries d set ${setUnsentStatus(leavesOut ? 'cancelled' : 'failed', failure)}
      from missing m cross join lateral (
        select q.ctid from deliveries q
        where q.workspace_id = ${workspaceId} and q.run_id = ${runId} and q.position = m.position and q.status = 'queued' limit 1) at
      where d.ctid = at.ctid
      returning d.status
    )
    update runs r
    set queued = r.queued - n.count, failed = r.failed + n.failed, cancelled = r.cancelled + n.cancelled, skipped = r.skipped + n.cancelled,
        sent = r.sent + n.sent
    from (select count(*)::int as count, count(*) filter (where status = 'failed')::int as failed,
                 count(*) filter (where status = 'cancelled')::int as cancelled, count(*) filter (where status = 'sent')::int as sent
          from lacking) n
    where r.workspace_id = ${workspaceId} and r.run_id = ${runId} and n.count > 0`;
}

/** Returns the condition that the group of the values `w` gets one of the texts in some languages. */
async function selectIsInText(trx: Connection, workspaceId: WorkspaceId, { fields, translations }: Template) {
  const hasOthers = Object.values(fields).some(({ requiredIn }) => requiredIn);
  const choose = compileChoice(translations);
  const known = hasOthers ? await countLanguages(trx, workspaceId) : [];
  const chosen = JSON.stringify(Object.fromEntries(known.map(({ language }) => [language, choose(language)])));
  return (languages: readonly string[]) =>
    sql`coalesce(${chosen}::jsonb ->> (w.field_values ->> ${LANGUAGE_KEY}::text), '') = any(${[...languages]}::text[])`;
}
