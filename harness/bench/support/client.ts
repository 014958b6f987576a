/** A user of the service as a program is one: over HTTP and nothing else. */
export interface Client {
  name: string;
  url: string;
  token: string;
  /** Those of each request. */
  headers: Readonly<Record<string, string>>;
  /** Calls an operation, `venom/add-campaign` say, and resolves to its `data`. Throws a Refused for any other answer. */
  call<Data>(operation: string, body?: object): Promise<Data>;
}

/** The service answered, and it was no. */
export class Refused extends Error {
  readonly status: number;

  constructor(operation: string, status: number, text: string) {
    super(`${operation} answered ${status}: ${text}`);
    this.name = 'Refused';
    this.status = status;
  }
}

const PATIENCE_MS = 30_000;
export const PASSWORD = 'correct horse battery';

/** `headers` are added to those every request has. */
export async function call<Data>(
  url: string,
  operation: string,
  body: object = {},
  headers: Readonly<Record<string, string>> = {},
  signal = AbortSignal.timeout(PATIENCE_MS),
): Promise<Data> {
  const response = await fetch(`${url}/api/v1/${operation}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal,
  });
  if (!response.ok) throw new Refused(operation, response.status, await response.text());
  const answer = (await response.json()) as { data: Data };
  return answer.data;
}

/** Signs up a new user and signs in. `whatsappNumber`: the same for everybody unless given. */
export async function signUp(url: string, name: string, whatsappNumber = '+49 151 2345-6789'): Promise<Client> {
  await call(url, 'user/create_user', {
    first_name: name,
    last_name: '',
    user_name: name,
    email: `${name}@example.com`,
    phone_number: '+49 151 2345-6789',
    whatsapp_number: whatsappNumber,
    password: PASSWORD,
  });
  const { token } = await call<{ token: string }>(url, 'user/authorize_user', { user_name: name, password: PASSWORD });
  return clientOf(url, name, token);
}

/** The same user of a service that has been started again and listens elsewhere. */
export function clientOf(
  url: string,
  name: string,
  token: string,
  further: Readonly<Record<string, string>> = {},
): Client {
  const headers = { authorization: `Bearer ${token}`, ...further };
  return { name, url, token, headers, call: (operation, body) => call(url, operation, body, headers) };
}

/** Returns the ids of the first groups, or of those that are searched. */
export async function listGroupIds(client: Client, searched: object = {}): Promise<number[]> {
  const { groups } = await client.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups', searched);
  return groups.map((group) => group.group_metadata_id);
}
