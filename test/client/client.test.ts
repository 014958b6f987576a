import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createClient, type Client } from '../../clients/typescript/client.ts';
import type { LiveEvent } from '../../clients/typescript/events.ts';
import { CampanileError } from '../../clients/typescript/failure.ts';
import { IDEMPOTENCY } from '../../clients/typescript/idempotency.ts';
import { parseEvents } from '../../clients/typescript/parse-events.ts';
import { startTestApp, PASSWORD, type TestApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

async function signUp(user_name: string): Promise<Client> {
  const visitor = createClient({ url: app.url });
  const numbers = { phone_number: '+49 151 1234567', whatsapp_number: '+49 151 1234567' };
  const names = { first_name: user_name, last_name: '', user_name, email: `${user_name}@example.com` };
  await visitor.call('user/create_user', { ...names, ...numbers, password: PASSWORD });
  const { token } = await visitor.call('user/authorize_user', { user_name, password: PASSWORD });
  return visitor.withToken(token);
}

describe('with the real service', () => {
  test('knows every operation and which are idempotent', async () => {
    const { paths } = (await (await fetch(`${app.url}/openapi.json`)).json()) as {
      paths: Record<
        string,
        { post?: { security: Array<{ api_key?: string[] }>; parameters?: Array<{ $ref?: string }> } }
      >;
    };
    const documented = Object.entries(paths).flatMap(([path, { post }]) => {
      if (!post) return [];
      const isKeyed = post.parameters?.some(({ $ref }) => $ref === '#/components/parameters/Idempotency-Key') ?? false;
      const name = path.replace('/api/v1/', '');
      // Saving the same draft or template, keeping the same file or its still, giving the same name or role, opening the same workspace, or disabling the same user again, and
      // asking for or deciding on the same approval again changes nothing (contract §4), nor does banning a banned account of the sandbox. link-preview only reads, a page elsewhere.
      const changesNothing =
        post.security.some(({ api_key: scopes }) => scopes?.includes('read')) ||
        /^(user|admin)\/(get|list|export)_|^workspace\/(list-|get-invitation$|(rename|update|open)-workspace$|set-member-role$|set-approval-rules$)|^admin\/(dis|en)able_user$|^venom\/(save-(draft|template)|import-plan|set-senders|link-preview|(request|decide|withdraw)-approval)$|^media\/(upload|import|set-still)$|^sandbox\/simulate-incident$/.test(
          name,
        );
      return [[name, isKeyed ? 'keyed' : changesNothing ? 'always' : 'never'] as const];
    });
    expect(IDEMPOTENCY).toEqual(Object.fromEntries(documented));
  });

  test('uploads a file under its name, for a campaign', async () => {
    const ada = await signUp('ada');
    const { groups } = await ada.call('venom/list-groups');
    const file = new File(['%PDF-1.7\n%%EOF\n'], 'Menü.pdf');
    const { media_id, name } = await ada.call('media/upload', file);
    expect(name).toBe('Menü.pdf');
    const text = await ada.call('media/upload', new Blob(['a;b\n'], { type: 'text/csv' }), { fileName: 'list.csv' });
    expect(text).toMatchObject({ mime: 'text/csv', name: 'list.csv' });
    const { group_count } = await ada.call('venom/add-campaign', {
      name: 'Fair',
      html: '',
      media: [{ media_id }, { media_id: text.media_id }],
      group_metadata_ids: groups.slice(0, 1).map((group) => group.group_metadata_id),
    });
    expect(group_count).toBe(1);
  });

  test('sends a campaign and follows its events to the end', async () => {
    const alice = await signUp('alice');
    const { groups } = await alice.call('venom/list-groups');
    const heard: LiveEvent[] = [];
    let campaignId: string | undefined;
    for await (const one of alice.events()) {
      heard.push(one);
      if (one.event === 'account') {
        const group_metadata_ids = groups.map((group) => group.group_metadata_id);
        const added = await alice.call('venom/add-campaign', { name: 'Fair', html: '<b>Nine</b>', group_metadata_ids });
        campaignId = added.campaign_id;
      }
      if (one.event === 'campaign' && one.data.status === 'completed') break;
    }
    expect(heard.slice(0, 2)).toMatchObject([
      { event: 'connected' },
      { event: 'account', data: { status: 'connected' } },
    ]);
    expect(heard.at(-1)).toMatchObject({ data: { campaign_id: campaignId, progress: { sent: 3 } } });
  });

  test('throws an error with status, message, details and request id', async () => {
    const visitor = createClient({ url: app.url });
    const refusal = visitor.call('user/authorize_user', { user_name: '', password: 'x' });
    await expect(refusal).rejects.toBeInstanceOf(CampanileError);
    await expect(refusal).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('user_name'),
      details: [{ field: 'user_name', issue: expect.any(String) }],
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    await expect(visitor.call('user/get_profile')).rejects.toMatchObject({ status: 401 });
    await expect(visitor.events().next()).rejects.toMatchObject({ status: 401 });
  });

  test('returns the headers of an answer', async () => {
    const bob = await signUp('bob');
    const { groups } = await bob.call('venom/list-groups');
    const year = new Date().getUTCFullYear() + 1;
    const { data, headers } = await bob.ask('venom/add-campaign-batch', {
      name: 'Good morning',
      html: 'Hello',
      group_metadata_ids: groups.map((group) => group.group_metadata_id),
      is_schedule: true,
      start_date: `${year}-01-01`,
      end_date: `${year}-01-03`,
      schedule_time: '09:00:00',
    });
    expect(data).toEqual({ data: true });
    const campaign_id = headers.get('x-campaign-id') ?? '';
    expect((await bob.call('venom/get-campaign', { campaign_id })).runs).toHaveLength(3);
  });
});

interface Asked {
  url: string;
  headers: IncomingHttpHeaders;
}

/** Starts a server that gives the scripted answers in order, and repeats the last one. */
async function scripted(...answers: Array<(response: ServerResponse) => void>) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    asked.push({ url: request.url ?? '', headers: request.headers });
    request.resume().once('end', () => (answers.length > 1 ? answers.shift() : answers[0])?.(response));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const closing: Array<() => void> = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const refuse = (status: number, seconds?: number) => (response: ServerResponse) => {
  const headers = seconds === undefined ? {} : { 'retry-after': String(seconds) };
  response.writeHead(status, { ...headers, 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: true, code: status, message: 'Not now', details: [], request_id: 'r' }));
};
const succeed = (data: unknown) => (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: false, data }));
};
const hangUp = (response: ServerResponse) => void response.destroy();
const campaign = { name: 'Fair', html: 'Hello', group_metadata_ids: [1] };

describe('with an unreliable service', () => {
  test('retries a read after 429, 503 and a lost connection', async () => {
    const { url, asked } = await scripted(refuse(503, 0), hangUp, refuse(429, 0), succeed({ groups: [] }));
    expect(await createClient({ url }).call('venom/list-groups')).toEqual({ groups: [] });
    expect(asked).toHaveLength(4);
  });

  test('retries a send with the same idempotency key, and uses a new key for each call', async () => {
    const { url, asked } = await scripted(refuse(503, 0), hangUp, succeed({}), succeed({}));
    const client = createClient({ url });
    await client.call('venom/add-campaign', campaign);
    await client.call('venom/add-campaign', campaign);
    await client.call('venom/add-campaign', campaign, { idempotencyKey: 'mine' });
    const keys = asked.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[0-9a-f]{36}$/);
    expect(keys).toEqual([keys[0], keys[0], keys[0], expect.not.stringMatching(String(keys[0])), 'mine']);
  });

  test('does not retry an operation that is not idempotent, except after 429', async () => {
    const { url, asked } = await scripted(refuse(429, 0), refuse(503, 0), succeed({}));
    const changed = createClient({ url }).call('user/update_profile', { first_name: 'Al' });
    await expect(changed).rejects.toMatchObject({ status: 503, message: 'Not now', requestId: 'r', retryAfterMs: 0 });
    expect(asked).toHaveLength(2);
  });

  test('gives up after the configured tries, and on a Retry-After that is too long', async () => {
    const busy = await scripted(refuse(503, 0));
    await expect(createClient({ url: busy.url, tries: 3 }).call('user/get_profile')).rejects.toMatchObject({
      status: 503,
    });
    expect(busy.asked).toHaveLength(3);
    const locked = await scripted(refuse(429, 900));
    const signIn = createClient({ url: locked.url }).call('user/authorize_user', { user_name: 'a', password: 'b' });
    await expect(signIn).rejects.toMatchObject({ status: 429, retryAfterMs: 900_000 });
    expect(locked.asked).toHaveLength(1);
  });

  test('throws an error for a lost connection and for an answer of a proxy', async () => {
    const { url } = await scripted(hangUp);
    await expect(createClient({ url, tries: 1 }).call('user/get_profile')).rejects.toMatchObject({
      name: 'CampanileError',
      status: 0,
      cause: expect.any(Error),
    });
    const proxy = await scripted((response) => response.writeHead(502).end('<html>Bad gateway</html>'));
    await expect(createClient({ url: proxy.url }).call('user/get_profile')).rejects.toMatchObject({
      status: 502,
      message: 'The service answered 502',
    });
  });

  test('aborts a call with the reason of its signal, during a backoff, too', async () => {
    const { url } = await scripted(refuse(503, 20));
    const giveUp = new AbortController();
    const call = createClient({ url }).call('user/get_profile', {}, { signal: giveUp.signal });
    giveUp.abort(new Error('the page was left'));
    await expect(call).rejects.toThrow('the page was left');
  });
});

describe('a stream of events', () => {
  const stream =
    (...frames: string[]) =>
    (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(frames.join(''));
    };
  const account = (status: string) => `event: account\ndata: {"status":"${status}"}\n\n`;

  test('reconnects with the last event id after the requested delay, until an error is permanent', async () => {
    const ending = (text: string) => (response: ServerResponse) => {
      stream(text)(response);
      response.end();
    };
    const { url, asked } = await scripted(
      ending(`retry: 1\n\n: hello\n\n${account('linking')}`),
      refuse(503, 0),
      hangUp,
      ending(`id: 7\n${account('connected')}event: message\nid: 8\nda`),
      ending('id: 9\n\n: still here\n\n'),
      refuse(401),
    );
    const heard: LiveEvent[] = [];
    const listening = async () => {
      for await (const one of createClient({ url, token: 'abc' }).events()) heard.push(one);
    };
    await expect(listening()).rejects.toMatchObject({ status: 401 });
    expect(heard.map(({ event, lastEventId }) => [event, lastEventId])).toEqual([
      ['connected', undefined],
      ['account', undefined],
      ['connected', undefined],
      ['account', '7'],
      ['connected', '7'],
    ]);
    // A truncated event is dropped, and an id on its own counts.
    const lastIds = asked.map(({ headers }) => headers['last-event-id']);
    expect(lastIds).toEqual([undefined, undefined, undefined, undefined, '7', '9']);
    for (const { url, headers } of asked)
      expect([url, headers.authorization]).toEqual(['/api/v1/events', 'Bearer abc']);
  });

  test('starts after the given id and types its messages', async () => {
    const message = { type: 'run.completed', timestamp: '2026-01-01T00:00:00.000Z', data: { sent: 3 } };
    const { url, asked } = await scripted(
      stream(`id: 8\nevent: message\ndata: ${JSON.stringify(message)}\n\n`, 'event: unheard of\ndata: 1\n\n'),
    );
    const heard: LiveEvent[] = [];
    for await (const one of createClient({ url }).events({ lastEventId: '7' })) {
      heard.push(one);
      if (one.event === 'message' && one.data.type === 'run.completed' && one.data.data.sent === 3) break;
    }
    expect(heard.slice(1)).toEqual([{ event: 'message', data: message, lastEventId: '8' }]);
    expect(asked.map(({ headers }) => headers['last-event-id'])).toEqual(['7']);
  });

  test('reconnects when the stream is silent for too long', async () => {
    const { url, asked } = await scripted(stream(`retry: 1\n\n${account('connected')}`));
    let heard = 0;
    for await (const { event } of createClient({ url }).events({ silenceMs: 200 })) {
      if (event === 'account') heard += 1;
      if (heard === 2) break;
    }
    expect(asked.length).toBeGreaterThan(1);
  });

  test('closes when the iteration ends', async () => {
    let isClosed = false;
    const { url } = await scripted((response) => {
      response.once('close', () => (isClosed = true));
      stream(account('connected'))(response);
    });
    for await (const { event } of createClient({ url }).events()) if (event === 'account') break;
    await expect.poll(() => isClosed).toBe(true);
  });

  test('aborts with the reason of its signal', async () => {
    const { url } = await scripted(stream(account('connected')));
    const giveUp = new AbortController();
    const listening = async () => {
      for await (const { event } of createClient({ url }).events({ signal: giveUp.signal }))
        if (event === 'account') giveUp.abort(new Error('seen enough'));
    };
    await expect(listening()).rejects.toThrow('seen enough');
  });

  test('parses the same for every chunking and line ending', () => {
    const text = `: hi\n\nretry: 250\n\nevent: account\ndata: {"a":"1: 2"}\n\nevent: campaign\ndata:x\ndata: y\n\ndata: z\n\nevent: no data\n\nid: 1\ndata: w\nid: 2\n\nid\n\nid: 3\n\n`;
    const expected = [
      { kind: 'retry', ms: 250 },
      { kind: 'event', event: 'account', data: '{"a":"1: 2"}' },
      { kind: 'event', event: 'campaign', data: 'x\ny' },
      { kind: 'event', event: 'message', data: 'z' },
      { kind: 'id', id: '2' },
      { kind: 'event', event: 'message', data: 'w' },
      { kind: 'id', id: '' },
      { kind: 'id', id: '3' },
    ];
    fc.assert(
      fc.property(fc.constantFrom('\n', '\r\n'), fc.array(fc.nat(200)), (end, cuts) => {
        const whole = text.replaceAll('\n', end);
        const places = [0, ...cuts.map((cut) => cut % whole.length).toSorted((a, b) => a - b), whole.length];
        const parse = parseEvents();
        const frames = places.slice(1).flatMap((to, index) => parse(whole.slice(places[index], to)));
        expect(frames).toEqual(expected);
      }),
    );
  });
});
