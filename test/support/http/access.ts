/** IDOR: tests whether an operation gives access to resources of another user. Works with every documented operation. */
import { readZip } from '../read-zip.ts';
import { exampleOf, formsOf, type DocumentedOperation } from './openapi.ts';

/** Sends an operation and returns the answer; the body is parsed JSON, or the text. */
export type Send = (path: string, body: unknown, token: string) => Promise<{ status: number; body: unknown }>;

const bearerOf = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

/** Sends operations to the service at `url`, as the person whom `identify` names in the headers. */
export function sendTo(url: string, identify = bearerOf): Send {
  return async (path, body, token) => {
    const headers = { ...identify(token), 'content-type': 'application/json' };
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const text = bytes.toString('utf8');
    const type = answer.headers.get('content-type') ?? '';
    // An archive has the time at which it was made.
    if (type === 'application/zip') return { status: answer.status, body: Object.fromEntries(readZip(bytes)) };
    return { status: answer.status, body: type.startsWith('application/json') ? JSON.parse(text) : text };
  };
}

export type Ids = Readonly<Record<string, unknown>>;

export interface Party {
  token: string;
  /** Ids of the party's own resources, by the field of the body. */
  ids: Ids;
}

/** Names of fields with the id of an owned resource; a file is identified by its hash. */
const HOLDS_ID = /_ids?$|^sha256$/;
/** Programs choose it, and each workspace may have the same. */
const IS_CHOSEN = /^external_id$/;

/** Returns the fields of the operation's body that identify an owned resource. */
export function ownedFields({ body }: DocumentedOperation): string[] {
  const names = formsOf(body).flatMap((form) => Object.keys(form.properties ?? {}));
  return [...new Set(names)].filter((name) => HOLDS_ID.test(name) && !IS_CHOSEN.test(name));
}

const FILTERED_BY_PERSON = /\/(list|export)_audit_log$/;

/** Dates must be in the future. */
export const AHEAD: Ids = { start_date: '2032-06-01', end_date: '2032-06-03', schedule_time: '09:00:00' };
/** Values that keep a valid body from being rejected for other reasons: a message is `html` or `text`, so neither is required alone. */
const ACCEPTABLE: Ids = { ...AHEAD, html: 'Hello' };

/** Of a form that is not rejected before its account is looked up. */
export const ASSERTION = {
  id: 'AA',
  rawId: 'AA',
  type: 'public-key',
  response: { clientDataJSON: 'AA', authenticatorData: 'AA', signature: 'AA' },
};

/** Returns the parts of a view that have changed, as they were and as they are. */
function differences(before: unknown, after: unknown): string {
  if (!Array.isArray(before) || !Array.isArray(after)) return JSON.stringify([before, after]);
  const changed = before.map((one, at) => [one, after[at]].map((part) => JSON.stringify(part)));
  return changed.flatMap(([was, is]) => (was === is ? [] : [`${was} / ${is}`])).join('; ');
}

/**
 * Sends the victim's ids as an outsider. Returns a sentence for each leak, none if there is none. Each field is tried
 * alone, with the outsider's own ids in the others, and all together; the answers must equal those for unknown ids.
 */
export async function findLeaks(
  operation: DocumentedOperation,
  {
    send,
    outsider,
    victim,
    never,
    look,
    seen,
  }: {
    send: Send;
    outsider: Party;
    victim: Party;
    never: Ids;
    look(party: Party): Promise<unknown>;
    /** The victim's last view, which is stored here. */
    seen: { last?: unknown };
  },
): Promise<string[]> {
  const fields = ownedFields(operation);
  const before = (seen.last ??= await look(victim));
  const leaks: string[] = [];
  for (const { what, tried, others } of attempts(fields, outsider.ids)) {
    const answerTo = async (ids: Ids) => {
      const given = {
        ...ACCEPTABLE,
        assertion: ASSERTION,
        ...outsider.ids,
        ...Object.fromEntries(tried.map((field) => [field, ids[field]])),
      };
      return send(operation.path, exampleOf(operation.body, mixed(given, what, outsider.ids)), outsider.token);
    };
    const answer = await answerTo(victim.ids);
    const expected = await answerTo(never);
    const told = withoutIds(answer, tried, victim.ids);
    const toldOfNone = withoutIds(expected, tried, never);
    if (told !== toldOfNone) leaks.push(`${operation.path} tells ${what} from what never was: ${told} / ${toldOfNone}`);
    // A filter by a person of whom the log has nothing finds nothing, whoever it is.
    const isFilter = answer.status === 200 && FILTERED_BY_PERSON.test(operation.path);
    const isRefused = isFilter || answer.status === 404 || (others && answer.status === 409);
    if (!isRefused) leaks.push(`${operation.path} answers ${answer.status} to ${what}`);
  }
  const after = (seen.last = await look(victim));
  if (JSON.stringify(after) !== JSON.stringify(before))
    leaks.push(`${operation.path} changes what is another's: ${differences(before, after)}`);
  return leaks;
}

interface Attempt {
  what: string;
  tried: string[];
  /** Whether other fields hold the outsider's own ids. */
  others: boolean;
}

const BESIDE = 'beside one of their own';

function attempts(fields: string[], own: Ids): Attempt[] {
  const single = fields.flatMap((field): Attempt[] => {
    const attempt = { tried: [field], others: fields.length > 1 };
    const alone = { ...attempt, what: `another's ${field}` };
    return Array.isArray(own[field]) ? [alone, { ...attempt, what: `another's ${field} ${BESIDE}` }] : [alone];
  });
  return fields.length > 1 ? [...single, { what: "another's ids", tried: fields, others: false }] : single;
}

/** Lists of ids start with the outsider's own if that is being tested. */
function mixed(given: Ids, what: string, own: Ids): Ids {
  if (!what.endsWith(BESIDE)) return given;
  return Object.fromEntries(
    Object.entries(given).map(([field, ids]) => {
      const first: unknown = own[field];
      return [field, Array.isArray(ids) && Array.isArray(first) && ids !== first ? [...first, ...ids] : ids];
    }),
  );
}

/** Returns an answer as text, without the sent ids and without values that differ in every answer. */
function withoutIds(answer: { status: number; body: unknown }, tried: string[], ids: Ids): string {
  const sent = tried.flatMap((field) => ids[field]).map(String);
  const text = JSON.stringify(answer, (key, value: unknown) => (key === 'request_id' ? undefined : value));
  return sent.reduce((left, id) => left.replace(new RegExp(`(?<![\\w.-])${id}(?![\\w-])`, 'g'), 'ID'), text);
}

const READS = /^(get|list|export|account)[-_]/;
/** Operations on the installation, not on a user's resources: their data changes by itself, or exists only while a ledger is held. */
const OF_NOBODY = new Set(['get_installation', 'list_queued']);
/** Their party has a campaign without a poll. */
const OF_POLLS = new Set(['get-poll-results', 'export-poll']);

/** Returns everything that a party sees of its own resources, from every read operation. */
export async function ownView(operations: readonly DocumentedOperation[], send: Send, party: Party): Promise<unknown> {
  const seen: unknown[] = [];
  for (const { path, name, body } of operations) {
    if (!READS.test(name) || OF_NOBODY.has(name) || OF_POLLS.has(name)) continue;
    const { group_list_id: _filter, ...ids } = party.ids;
    const answer = await send(path, exampleOf(body, ids), party.token);
    if (answer.status !== 200) throw new Error(`${path} answers its owner ${JSON.stringify(answer)}`);
    seen.push([path, answer.body]);
  }
  return seen;
}
