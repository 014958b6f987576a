import { execFile, spawnSync } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contract } from '../../src/api/contract/contract.ts';
import { PASSWORD, startTestApp, type Person, type TestApp } from '../support/app.ts';
import { PATIENCE_MS } from '../support/patience.ts';

const CLIENT = join(import.meta.dirname, '../../clients/python');
const run = promisify(execFile);

/** Returns whether a supported version of Python is installed. */
function hasPython(): boolean {
  const { status } = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))']);
  return status === 0;
}

/** Runs a program with the client and `argv`, and returns the JSON it prints. */
async function python(program: string, ...words: string[]): Promise<unknown> {
  const head = `import json, sys\nfrom campanile import Campanile, CampanileError\nargv = sys.argv[1:]\n`;
  const { stdout } = await run('python3', ['-c', head + program, ...words], {
    env: { PATH: process.env['PATH'], PYTHONPATH: CLIENT, PYTHONDONTWRITEBYTECODE: '1' },
    timeout: PATIENCE_MS,
  });
  return JSON.parse(stdout);
}

describe.skipIf(!hasPython())('the Python client', () => {
  let app: TestApp;
  let alice: Person;
  beforeAll(async () => {
    app = await startTestApp();
    alice = await app.signUp('alice');
  });
  afterAll(() => app.stop());

  test('has the seven operations', async () => {
    const program = `
them = dict(first_name="Ada", last_name="L", user_name="ada", email="ada@example.org", phone_number="+49 151 234567",
            whatsapp_number="+49 151 234567", password=argv[1])
visitor = Campanile(argv[0])
created = visitor.create_user(**them)
token = visitor.authorize_user(user_name="ada", password=argv[1])["token"]
mine = visitor.with_token(token)
ids = [group["group_metadata_id"] for group in mine.call("venom/list-groups")["groups"]]
sent = mine.add_campaign(name="Fair", html="<b>Nine</b>", group_metadata_ids=ids, idempotency_key="one")
again = mine.add_campaign(name="Fair", html="<b>Nine</b>", group_metadata_ids=ids, idempotency_key="one")
planned = mine.add_campaign_batch(name="Week", html="x", group_metadata_ids=ids, start_date="2032-06-01", end_date="2032-06-03",
                                  schedule_time="09:00:00", time_zone="Europe/Berlin", weekdays=[1, 2, 3, 4, 5])
channel = mine.create_channel(name="News")
community = mine.create_community(community_name="Chess")
analytics = mine.get_campaign_group_analytics_master(campaign_id=planned["campaign_id"])
print(json.dumps([created["user_info"]["user_name"], sent == again, sent["group_count"], channel["resp"]["title"], community["group_name"],
                  analytics["campaign"]["name"], analytics["totals"]["runs"]]))`;
    expect(await python(program, app.url, PASSWORD)).toEqual(['ada', true, 3, 'News', 'Chess', 'Week', 3]);
  });

  test('sends what each group has', async () => {
    const program = `
mine = Campanile(argv[0], argv[1])
ids = [group["group_metadata_id"] for group in mine.call("venom/list-groups")["groups"]]
mine.call("venom/set-fields", {"fields": [{"name": "host"}]})
mine.call("venom/set-group-fields", {"groups": [{"group_metadata_id": ids[0], "fields": {"host": "Ana"}}]})
post = {"html": "Ask {{ host }}", "with_fields": True, "group_metadata_ids": ids}
try:
    mine.add_campaign(name="Fair", **post)
except CampanileError as error:
    problem = error.details[0]["field"]
sent = mine.add_campaign(name="Fair", on_missing_value="leave_out", **post)
copy = mine.call("venom/get-campaign", {"campaign_id": sent["campaign_id"]})
print(json.dumps([problem, sent["group_count"], copy["with_fields"], copy["on_missing_value"], copy["text"]]))`;
    expect(await python(program, app.url, alice.token)).toEqual([
      'group_metadata_ids',
      3,
      true,
      'leave_out',
      'Ask {{ host }}',
    ]);
  });

  test("accepts the specification's bodies, as a dict and as keywords", async () => {
    const program = `
mine = Campanile(argv[0], argv[1])
ids = [group["group_metadata_id"] for group in mine.call("venom/list-groups")["groups"]]
post = {"name": "Fair", "desc": "", "html": "<b>Nine</b>", "image": None, "group_metadata_ids": ids, "is_channel_campaign": False}
now = {**post, "is_schedule": False, "schedule_time": "2032-06-01 09:00:00"}
week = {**post, "is_schedule": True, "start_date": "2032-06-01", "end_date": "2032-06-03", "schedule_time": "09:00:00"}
channel = {"name": "News", "description": "x", "image": None}
community = {"community_name": "Chess", "description": "x"}
answers = [[mine.add_campaign(now), mine.add_campaign(**now)],
           [mine.add_campaign_batch(week), mine.add_campaign_batch(**week)],
           [mine.create_channel(channel), mine.create_channel(**channel)],
           [mine.create_community(community), mine.create_community(**community)]]
try:
    mine.add_campaign(name="Fair", words="x")
except TypeError as error:
    unknown = str(error)
print(json.dumps([[sorted(one), sorted(other)] for one, other in answers] + [unknown]))`;
    const twice = (...fields: string[]) => [fields, fields];
    expect(await python(program, app.url, alice.token)).toEqual([
      twice('campaign_id', 'group_count', 'scheduled_for', 'status'),
      twice('campaign_id', 'data'),
      twice('group_metadata_id', 'resp'),
      twice('group_metadata_id', 'group_name'),
      'AddCampaign has no field words',
    ]);
  });

  test('names every field of the seven bodies as the contract does', async () => {
    const program = `
import campanile
print(json.dumps({name: sorted(getattr(campanile, name).__annotations__) for name in argv}))`;
    const bodies = {
      CreateUser: contract.users.createUser.body,
      AuthorizeUser: contract.users.authorizeUser.body,
      AddCampaign: contract.campaigns.addCampaign.body,
      AddCampaignBatch: contract.campaigns.addCampaignBatch.body,
      CreateChannel: contract.groups.createChannel.body,
      CreateCommunity: contract.groups.createCommunity.body,
      GetAnalytics: contract.analytics.getCampaignGroupAnalyticsMaster.body,
    };
    const fields = Object.entries(bodies).map(([name, { shape }]) => [name, Object.keys(shape).toSorted()]);
    expect(await python(program, ...Object.keys(bodies))).toEqual(Object.fromEntries(fields));
  });

  test('uploads a file under its name, for a campaign', async () => {
    const program = `
mine = Campanile(argv[0], argv[1])
file = mine.upload(b"%PDF-1.7\\n%%EOF\\n", "Menü.pdf")
ids = [group["group_metadata_id"] for group in mine.call("venom/list-groups")["groups"]][:1]
sent = mine.add_campaign(name="Fair", html="", media=[{"media_id": file["media_id"]}], group_metadata_ids=ids)
print(json.dumps([file["name"], file["mime"], sent["group_count"]]))`;
    expect(await python(program, app.url, alice.token)).toEqual(['Menü.pdf', 'application/pdf', 1]);
  });

  test('raises an error with a message and an error code', async () => {
    const program = `
try:
    Campanile(argv[0], argv[1]).add_campaign(name="", html="x", group_metadata_ids=[1])
except CampanileError as error:
    told = [error.status, error.error_code, error.details, error.message, len(error.request_id)]
try:
    Campanile("http://127.0.0.1:9", tries=1).call("user/get_profile")
except CampanileError as error:
    told += [error.status, error.error_code, str(error)]
print(json.dumps(told))`;
    expect(await python(program, app.url, alice.token)).toEqual([
      400,
      'invalid_request',
      [{ field: 'name', issue: 'must not be empty', code: 'empty' }],
      'name must not be empty',
      36,
      0,
      null,
      'The service cannot be reached',
    ]);
  });

  test('receives events', async () => {
    const program = `
for event in Campanile(argv[0], argv[1]).events():
    print(json.dumps([event.event, event.data["status"]]))
    break`;
    expect(await python(program, app.url, alice.token)).toEqual(['account', 'connected']);
  });

  test('retries with the same idempotency key after Retry-After, and resumes events after the last id', async () => {
    const keys: unknown[] = [];
    const lastIds: unknown[] = [];
    const answers = [503, 0, 200];
    const answer = (request: IncomingMessage, response: ServerResponse) => {
      if (request.method === 'GET') {
        lastIds.push(request.headers['last-event-id'] ?? null);
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(
          `: hello\n\nid: ${lastIds.length}\nevent: account\ndata: {"n":\ndata: 1}\n\nid: ${lastIds.length}b\n\nevent: cut\ndata: {`,
        );
        return;
      }
      keys.push(request.headers['idempotency-key']);
      const status = answers.shift() ?? 200;
      if (status === 0) return void request.socket.destroy();
      response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' });
      response.end(JSON.stringify({ message: 'Not now', data: { group_name: 'Chess', group_metadata_id: 7 } }));
    };
    const server = createServer((request, response) => {
      request.resume().once('end', () => answer(request, response));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const program = `
campanile = Campanile(argv[0])
made = campanile.create_community(community_name="Chess")
heard = []
for event in campanile.events(last_event_id="0"):
    heard.append([event.event, event.data, event.id])
    if len(heard) == 2:
        break
print(json.dumps([made, heard]))`;
    const account = (id: string) => ['account', { n: 1 }, id];
    expect(await python(program, url)).toEqual([
      { group_name: 'Chess', group_metadata_id: 7 },
      [account('1'), account('2')],
    ]);
    server.close();
    // An id on its own counts, too.
    expect(lastIds).toEqual(['0', '1b']);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{36}$/);
  });
});
