/**
 * `npm run bench`: measures each part beside its yardstick, in one run on one machine, and exits with 1 if one misses its goal. After
 * `--` some of them by name, `--quick`, and `--markdown`. `abuse` takes `--all`, for every operation of the API, or `--only NAME`, which can be repeated.
 */
import { parseArgs } from 'node:util';
import { benchAbuse } from './abuse.ts';
import { benchAbuseOfOperations, type AbuseOptions } from './abuse-operations.ts';
import { benchAccounts } from './accounts.ts';
import { benchAddCampaign } from './add-campaign.ts';
import { benchAnalytics } from './analytics.ts';
import { benchDrain } from './drain.ts';
import { benchDue } from './due.ts';
import { benchDueMillion } from './due-million.ts';
import { benchGrowth } from './growth.ts';
import { benchNotify } from './notify.ts';
import { benchHttp } from './http.ts';
import { benchListGroups } from './list-groups.ts';
import { benchLive } from './live.ts';
import { benchProcess } from './process.ts';
import { benchText } from './text.ts';
import { benchUploads } from './uploads.ts';
import { benchWebhooks } from './webhooks.ts';
import { benchWhatsApp } from './whatsapp.ts';
import { benchWhatsAppAccounts } from './whatsapp-accounts.ts';
import { printTable, type Row } from './support/table.ts';

const BENCHES: Record<string, (options: AbuseOptions) => Promise<Row[]>> = {
  drain: benchDrain,
  accounts: benchAccounts,
  'add-campaign': benchAddCampaign,
  due: benchDue,
  'due-million': benchDueMillion,
  growth: benchGrowth,
  notifications: benchNotify,
  process: benchProcess,
  http: benchHttp,
  live: benchLive,
  uploads: benchUploads,
  abuse: async (options) => [
    ...(await benchAbuseOfOperations(options)),
    ...(options.all || options.only !== undefined ? [] : await benchAbuse(options)),
  ],
  webhooks: benchWebhooks,
  whatsapp: benchWhatsApp,
  'whatsapp-accounts': benchWhatsAppAccounts,
  analytics: benchAnalytics,
  'list-groups': benchListGroups,
  text: benchText,
};

const { values, positionals } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
  },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !(name in BENCHES));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(', ')}; there are ${Object.keys(BENCHES).join(', ')}.`);
  process.exit(2);
}

const rows: Row[] = [];
for (const [name, bench] of Object.entries(BENCHES)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  console.log(`${name} …`);
  rows.push(...(await bench(values)));
}
console.log();
printTable(rows, values);
if (rows.some(({ reached }) => !reached)) process.exitCode = 1;
