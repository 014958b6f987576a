/**
 * `npm run bench`: measures each part beside its yardstick, in one run on one machine, and exits with 1 if one misses its goal or fails.
 * After `--` some of them by name, `--quick` or `--smallest`, `--markdown`, `--json FILE` to save the figures, and `--compare FILE` to print
 * them as multiples of saved ones. `abuse` takes `--all`, for every operation of the API, or `--only NAME`, which can be repeated.
 */
import { parseArgs } from 'node:util';
import { benchAbuse } from './abuse.ts';
import { benchAbuseOfOperations } from './abuse-operations.ts';
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
import { benchPictures } from './pictures.ts';
import { benchProcess } from './process.ts';
import { benchReceipts } from './receipts.ts';
import { benchText } from './text.ts';
import { benchUploads } from './uploads.ts';
import { benchWebhooks } from './webhooks.ts';
import { benchWhatsApp } from './whatsapp.ts';
import { benchWhatsAppAccounts } from './whatsapp-accounts.ts';
import { runBenches, type Bench } from './support/run-benches.ts';

const { values, positionals } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    smallest: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
    json: { type: 'string' },
    compare: { type: 'string' },
    all: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
  },
  allowPositionals: true,
});

const BENCHES: Record<string, (bench: Bench) => Promise<void>> = {
  drain: benchDrain,
  accounts: benchAccounts,
  'add-campaign': benchAddCampaign,
  due: benchDue,
  'due-million': benchDueMillion,
  growth: benchGrowth,
  receipts: benchReceipts,
  notifications: benchNotify,
  process: benchProcess,
  http: benchHttp,
  live: benchLive,
  uploads: benchUploads,
  async abuse(bench) {
    await bench.report('abuse of operations', () => benchAbuseOfOperations(bench, values));
    if (!values.all && values.only === undefined) await benchAbuse(bench);
  },
  webhooks: benchWebhooks,
  whatsapp: benchWhatsApp,
  'whatsapp-accounts': benchWhatsAppAccounts,
  analytics: benchAnalytics,
  'list-groups': benchListGroups,
  text: benchText,
  pictures: benchPictures,
};

const unknown = positionals.filter((name) => !(name in BENCHES));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(', ')}; there are ${Object.keys(BENCHES).join(', ')}.`);
  process.exit(2);
}

const chosen = Object.entries(BENCHES).filter(([name]) => positionals.length === 0 || positionals.includes(name));
const size = values.smallest ? 'smallest' : values.quick ? 'quick' : 'full';
const rows = await runBenches(Object.fromEntries(chosen), { ...values, size });
// What a bench that failed has left behind would keep the process.
process.exit(rows.every(({ reached }) => reached) ? 0 : 1);
