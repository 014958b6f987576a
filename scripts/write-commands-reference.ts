/**
 * Writes the output of commands into the documents (`npm run docs`). A block of a document that begins with `$ campanile` is replaced; its
 * arguments are a line of `SCENE`.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readVersion } from '../src/platform/config/version.ts';
import { post } from '../test/support/app.ts';
import { campanile } from '../test/support/service/campanile.ts';
import { until } from '../test/support/ledger.ts';
import { startService, type Service } from '../test/support/service/service.ts';

const ROOT = join(import.meta.dirname, '..');
const BLOCK = /^```console\n\$ campanile ([^\n]*)\n([\s\S]*?)^```$/gm;
const PASSPHRASE = '--passphrase-file /etc/campanile/passphrase';
/** Posts of a campaign are an hour apart: the first goes out, the others stay queued. */
const PACE = { SANDBOX_GAP_MS: '3600000-3600000', SANDBOX_SPEED: '0' };

interface Stage {
  /** Stands for the machine's root. */
  folder: string;
  environment: Record<string, string>;
  service: Service;
  /** The output of the last command, verbatim. */
  last: string;
}

/** In this order, on one installation: the words behind `campanile`, or what happens between them. */
const SCENE: ReadonlyArray<string | ((stage: Stage) => Promise<void>)> = [
  '--version',
  '--help',
  ...['doctor', 'upgrade', 'users', 'keys', 'secrets', 'accounts', 'backup', 'restore', 'release'].map(
    (name) => `help ${name}`,
  ),
  ...['mcp', 'completion'].map((name) => `help ${name}`),
  'users create ada ada@example.com +442079460123',
  furnish,
  'users invite grace@example.com',
  'users list',
  'users list --json',
  'keys list ada',
  'accounts list',
  'doctor',
  'upgrade --check',
  `backup /var/backups/campanile/monday.campanile ${PASSPHRASE}`,
  `backup verify /var/backups/campanile/monday.campanile ${PASSPHRASE}`,
  loseData,
  `restore /var/backups/campanile/monday.campanile ${PASSPHRASE}`,
  startAgain,
  'release',
  'release --unknown all',
  'users reset-password ada',
  'users delete ada',
  'secrets rotate',
];

/** Runs the scene. Returns the output of each command by its arguments, with daily changing values replaced. */
export async function playScene(): Promise<Map<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'campanile-show-'));
  await mkdir(join(folder, 'var/backups/campanile'), { recursive: true });
  await mkdir(join(folder, 'etc/campanile'), { recursive: true });
  await writeFile(join(folder, 'etc/campanile/passphrase'), 'a passphrase that is long\n');
  const state = join(folder, 'var/lib/campanile');
  const environment = {
    DATA_DIR: join(state, 'data'),
    STATE_DIR: join(state, 'state'),
    PUBLIC_URL: 'https://campanile.example',
    // The doctor would say whether this machine reaches other sites.
    LINK_PREVIEWS: 'false',
  };
  const service = await startService({ folder, environment: { ...environment, ...PACE } });
  const stage: Stage = { folder, environment, service, last: '' };
  const said = new Map<string, string>();
  try {
    for (const step of SCENE)
      if (typeof step === 'string') {
        const words = step.split(' ').map((word) => (word.startsWith('/') ? join(folder, word) : word));
        stage.last = (await campanile(environment, ...words)).said;
        said.set(step, settle(stage.last.replaceAll(folder, '')));
      } else await step(stage);
  } finally {
    await stage.service.kill();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  return said;
}

/** A user with a key, and a campaign of which one post has gone out. */
async function furnish({ service: { url }, last }: Stage): Promise<void> {
  const password = / Password: (\S+)\. /.exec(last)?.[1];
  const { body } = await post(url, 'user/authorize_user', { user_name: 'ada', password });
  const token = String(body.data?.['token']);
  await post(url, 'user/create_api_key', { name: 'The website', scopes: ['read', 'send'] }, token);
  const listed = (await post(url, 'venom/list-groups', {}, token)).body.data as unknown as {
    groups: Array<{ group_metadata_id: number }>;
  };
  const campaign = {
    name: 'Spring fair',
    html: 'Come',
    group_metadata_ids: listed.groups.map((one) => one.group_metadata_id),
  };
  const campaign_id = (await post(url, 'venom/add-campaign', campaign, token)).body.data?.['campaign_id'];
  const analytics = () => post(url, 'analytics/get-campaign-group-analytics-master', { campaign_id }, token);
  await until(analytics, (answer) => (answer.body.data?.['totals'] as { sent?: number } | undefined)?.sent === 1);
}

async function loseData({ service, environment }: Stage): Promise<void> {
  await service.stop();
  await rename(environment['DATA_DIR'] ?? '', `${environment['DATA_DIR']}-broken`);
}

/** Its worker has to have looked, and found that it is held. */
async function startAgain(stage: Stage): Promise<void> {
  const { folder, environment } = stage;
  stage.service = await startService({ folder, environment: { ...environment, ...PACE } });
  await until(
    () => stage.service.log(),
    (log) => log.includes('sends nothing'),
  );
}

/** Replaces values that change daily or with each version by typical ones. */
function settle(text: string): string {
  return (
    text
      .replaceAll(/(?<="user_id":)\d+/g, '1')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '2027-03-01T09:00:00.000Z')
      .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, '0b0e7a0c-6c0e-4f0a-9c55-2d1d1c3a7f10')
      .replaceAll(/\d+\.\d MB in \d+\.\d s/g, '1.1 MB in 1.9 s')
      .replaceAll(/PostgreSQL [\d.]+, \d+\.\d+ GiB, \d+ of/g, 'PostgreSQL 18.1, 0.01 GiB, 6 of')
      // Each change of the schema has others.
      .replaceAll(
        /\d{3}-\S+\.sql leaves it \(epoch \d+, fingerprint [\da-f]+\)/g,
        '007-example.sql leaves it (epoch 12, fingerprint 6b5fc1a27a70)',
      )
      .replaceAll(/\(epoch \d+\)/g, '(epoch 12)')
      .replaceAll(/\d+\.\d GiB( of)? free/g, '40.2 GiB$1 free')
      .replaceAll(/\d+\.\d s apart/g, '0.0 s apart')
      .replaceAll(/(?<=This release has version )[\d.]+, \d+ days old/g, '2.3000.1040000000, 12 days old')
      .replaceAll(/(?<=encryption key )[\da-f]{16}/g, '5f0c2a9d81e7b346')
      .replaceAll(/(?<=Password: )\S{20}(?=\.)/g, 'Gv3-mT0wKq81_yRzLd5e')
      .replaceAll(/(?<=accept-invite#)\S+/g, '1.hT4cQm9ZkVw2')
      .replaceAll(/cmp_\S{4}/g, 'cmp_Xq7d')
      // A commit is known in a checkout alone.
      .replaceAll(/ \([\da-f]{12}\)/g, '')
      .replaceAll(readVersion().version, '1.2.3')
  );
}

/** The blocks of all documents: which command, and what it is said to say. */
export function readShown(): Array<{ document: string; command: string; text: string }> {
  return documents().flatMap((document) =>
    [...readFileSync(join(ROOT, document), 'utf8').matchAll(BLOCK)].map(([, command = '', text = '']) => ({
      document,
      command,
      text,
    })),
  );
}

function documents(): string[] {
  return globSync('docs/**/*.md', { cwd: ROOT });
}

if (import.meta.main) {
  const said = await playScene();
  for (const document of documents()) {
    const path = join(ROOT, document);
    const text = readFileSync(path, 'utf8');
    const written = text.replaceAll(BLOCK, (block, command: string) =>
      said.has(command) ? `\`\`\`console\n$ campanile ${command}\n${said.get(command)}\`\`\`` : block,
    );
    if (written !== text) writeFileSync(path, written);
  }
}
