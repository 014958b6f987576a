/** The SQL of sessions: the valid tokens of a user, with their client and last use. */
import { execute, readRows, sql, type Connection } from '../../platform/database/statements.ts';
import { clearOldRows } from '../../platform/database/clear-old-rows.ts';
import type { QuarantineDeps } from '../../platform/database/quarantine.ts';
import type { UserId } from '../../platform/database/schema.ts';
import type { Language } from '../../platform/i18n/languages.ts';

export interface UserSession {
  /** That of its token. */
  tokenId: string;
  /** The client's `User-Agent`; may be empty or false. */
  agent: string;
  /** Where it signed in from. */
  address: string;
  createdAt: Date;
  /** To five minutes. */
  lastUsedAt: Date;
  expiresAt: Date;
}

/** The client that signs in, as the API sees it. */
export interface Client {
  address: string;
  agent: string;
  /** The one that it accepts best; undefined: none that there is. */
  language: Language | undefined;
}

const LONGEST_AGENT = 300;
/** A program may sign in any number of times. The latest sessions suffice for finding a stranger. */
const MOST_LISTED = 200;

export async function insertSession(
  db: Connection,
  user: { userId: UserId; tokenGeneration: number },
  token: { tokenId: string; expiresAtMs: number },
  { address, agent }: Client,
): Promise<void> {
  const shortAgent = agent.slice(0, LONGEST_AGENT).toWellFormed().replaceAll('\0', '');
  await execute(db)`
    insert into sessions (token_id, user_id, generation, address, agent, expires_at)
    values (${token.tokenId}, ${user.userId}, ${user.tokenGeneration}, ${address}, ${shortAgent}, ${new Date(token.expiresAtMs)})`;
}

/** The sessions of a user whose tokens are taken, the last used first. */
export async function selectSessions(db: Connection, userId: UserId): Promise<UserSession[]> {
  return readRows<UserSession>(db)`
    select s.token_id as "tokenId", s.agent, s.address, s.created_at as "createdAt", s.last_used_at as "lastUsedAt",
           s.expires_at as "expiresAt"
    from sessions s join users u using (user_id)
    where s.user_id = ${userId} and s.expires_at > campanile_now()
      and (s.generation = u.token_generation or s.token_id = u.kept_token_id)
      and not exists (select from signed_out_tokens o where o.user_id = s.user_id and o.token_id = s.token_id)
    order by s.last_used_at desc, s.token_id limit ${MOST_LISTED}`;
}

/** Notes that a session is in use, once in five minutes over all processes. */
export async function recordSessionUse(db: Connection, userId: UserId, tokenId: string): Promise<void> {
  await execute(db)`
    update sessions set last_used_at = campanile_now()
    where user_id = ${userId} and token_id = ${tokenId} and last_used_at <= campanile_now() - interval '5 minutes'`;
}

export function clearOldSessions(deps: QuarantineDeps): Promise<void> {
  const isOld = sql`o.expires_at < campanile_now() - interval '1 hour'`;
  return clearOldRows(deps, { table: 'sessions', owner: 'user_id', isOld });
}
