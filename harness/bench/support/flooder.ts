/** The people of the bench of abuse, each of whom comes from an address of their own. */
import { sleep } from '../../../src/platform/time/time.ts';
import type { Call, Person } from '../../../test/support/app.ts';
import { ownedFields, type Ids } from '../../../test/support/http/access.ts';
import type { DocumentedOperation } from '../../../test/support/http/openapi.ts';
import { createOwnedResources } from '../../../test/support/http/owned-resources.ts';
import { film } from '../../../test/support/inputs/films.ts';
import { call, clientOf, PASSWORD, Refused, signUp, type Client } from './client.ts';
import { validBodyOf, invalidBodyOf } from './flood-bodies.ts';
import type { Flood } from './flood.ts';

export const KINDS = ['valid', 'invalid', 'slow'] as const;
export type Kind = (typeof KINDS)[number];

/** A person with as many workspaces of their own as the service lets them have. */
export interface Flooder {
  name: string;
  url: string;
  address: string;
  workspaces: ReadonlyArray<{ id: number; ids: Ids }>;
}

/** So many were enough to slow everybody down while there was no limit of those that a person owns. */
const WORKSPACES_WANTED = 13;
const CAMPAIGNS = 20;
const FILM = film({ bytes: 2_000 });
const SIGN_IN_LIMIT_MS = 60_000;
const PAUSE_MS = 200;

/** Signs a person up at an address. The service must trust this machine as a proxy. */
export async function signUpAt(url: string, name: string, address: string): Promise<Client> {
  const { token } = await signUp(url, name);
  return clientOf(url, name, token, { 'x-forwarded-for': address });
}

/** Signs a person up and gives them workspaces with one of everything that the operations name by its id. */
export async function createFlooder(
  url: string,
  {
    name,
    address,
    operations,
    workspaces: wanted = WORKSPACES_WANTED,
  }: { name: string; address: string; operations: readonly DocumentedOperation[]; workspaces?: number | undefined },
): Promise<Flooder> {
  const person = await signUpAt(url, name, address);
  const { user_info } = await person.call<{ user_info: { user_id: Person['userId'] } }>('user/get_profile');
  const { workspaces: first } = await person.call<{ workspaces: Array<{ workspace_id: number }> }>(
    'workspace/list-workspaces',
  );
  const ids = first.map((one) => one.workspace_id);
  while (ids.length < wanted) {
    const given = await receiveWorkspace(person, user_info.user_id, ids.length);
    if (given === undefined) break;
    ids.push(given);
  }
  const workspaces = await Promise.all(
    ids.map(async (id) => ({ id, ids: await stock({ person, id, userId: user_info.user_id }, operations) })),
  );
  return { name, url, address, workspaces };
}

/** Another person hands their workspace over. Resolves to undefined when the service permits no more. */
async function receiveWorkspace(person: Client, user_id: number, number: number): Promise<number | undefined> {
  const giver = await signUp(person.url, `${person.name}-${number}`);
  const { code } = await giver.call<{ code: string }>('workspace/invite-member', { role: 'manager' });
  try {
    const { workspace_id } = await person.call<{ workspace_id: number }>('workspace/accept-invitation', { code });
    await giver.call('workspace/hand-over-workspace', { user_id });
    return workspace_id;
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

async function stock(
  { person, id, userId }: { person: Client; id: number; userId: Person['userId'] },
  operations: readonly DocumentedOperation[],
): Promise<Ids> {
  const headers = { 'content-type': 'application/json', ...person.headers, 'x-workspace': String(id) };
  const callThere: Call = async (path, body = {}) => {
    const answer = await fetch(`${person.url}/api/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const answered = await answer.json();
    if (!answer.ok) throw new Error(`${path} answered ${JSON.stringify(answered)}`);
    return { status: answer.status, headers: answer.headers, body: answered as never };
  };
  const there = { name: person.name, userId, token: person.token, call: callThere };
  // A second factor would have to be shown at each sign-in; an operation on one does without.
  const fields = new Set(operations.flatMap(ownedFields).filter((field) => field !== 'factor_id'));
  const ids = await createOwnedResources(there, fields);
  return { ...ids, ...(await stockFurther({ url: person.url, headers, call: callThere }, ids)), factor_id: 1 };
}

/** Posts, a poll, a film and a link to a report. Enables the webhook, which is disabled so that it has no more messages. */
async function stockFurther(
  { url, headers, call: callThere }: { url: string; headers: Record<string, string>; call: Call },
  ids: Ids,
): Promise<Ids> {
  const group_metadata_ids = ids['group_metadata_ids'];
  const send = async (further: object) => {
    const campaign = { name: 'Hello', html: 'Hello', group_metadata_ids, ...further };
    return (await callThere<Ids>('venom/add-campaign', campaign)).body.data['campaign_id'];
  };
  for (let n = 0; n < CAMPAIGNS; n++) await send({});
  await callThere('venom/update-webhook', { webhook_id: ids['webhook_id'], is_enabled: true });
  const report = { start_date: '2026-01-01', end_date: '2026-01-31' };
  const { token } = (await callThere<Ids>('analytics/share-report', report)).body.data;
  const file = await fetch(`${url}/api/v1/media/upload`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/octet-stream' },
    body: new Uint8Array(FILM),
  });
  const { data } = (await file.json()) as { data: Ids };
  return {
    sent_campaign_id: await send({}),
    poll_campaign_id: await send({ html: '', poll: { question: 'When?', options: ['Now', 'Then'], open_hours: 48 } }),
    film_id: data['media_id'],
    token,
  };
}

/** Returns a flood of an operation by a person who signs in anew for it, from the first so many of their workspaces. */
export async function prepareFlood(
  operation: DocumentedOperation,
  { kind, flooder, workspaces, inFlight }: { kind: Kind; flooder: Flooder; workspaces: number; inFlight: number },
): Promise<Flood> {
  const { url, name, address } = flooder;
  const from = { 'x-forwarded-for': address };
  const token = await signIn(url, name, from);
  const requests = flooder.workspaces.slice(0, workspaces).map(({ id, ids }) => {
    const headers = { ...from, authorization: `Bearer ${token}`, 'x-workspace': String(id) };
    return requestOf(operation, kind, { headers, name, ids });
  });
  return { url: url + operation.path, requests, inFlight, isSlow: kind === 'slow' };
}

/** Sign-ins of the last flood may still be in line. */
async function signIn(url: string, user_name: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const until = performance.now() + SIGN_IN_LIMIT_MS;
  for (;;) {
    const signingIn = call<{ token: string }>(url, 'user/authorize_user', { user_name, password: PASSWORD }, headers);
    const answer = await signingIn.catch((error: unknown) => {
      if (performance.now() > until) throw error;
    });
    if (answer) return answer.token;
    await sleep(PAUSE_MS);
  }
}

/** Returns a flood of valid bodies without a token, from an address. */
export function prepareFloodWithoutToken(
  operation: DocumentedOperation,
  { flooder, address, inFlight }: { flooder: Flooder; address: string; inFlight: number },
): Flood {
  const [{ ids } = { ids: {} }] = flooder.workspaces;
  const request = requestOf(operation, 'valid', { headers: { 'x-forwarded-for': address }, name: flooder.name, ids });
  return { url: flooder.url + operation.path, requests: [request], inFlight, isSlow: false };
}

function requestOf(
  operation: DocumentedOperation,
  kind: Kind,
  { headers, name, ids }: { headers: Record<string, string>; name: string; ids: Ids },
) {
  const valid = validBodyOf(operation, { name, password: PASSWORD, ids });
  const type = typeof valid === 'string' ? 'application/json' : 'application/octet-stream';
  const body = kind === 'invalid' ? invalidBodyOf(operation, valid) : valid;
  return { headers: { ...headers, 'content-type': type }, body };
}
