import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { PATIENCE_MS } from './test/support/patience.ts';
import { LongestFirst } from './test/support/run/longest-first.ts';
import { useMemory } from './test/support/run/temporary-folder.ts';

useMemory();

const ALL = ['test/**/*.test.ts'];
/**
 * What links WhatsApp, needs a browser, kills or starts processes, waits, or searches for long: `npm run test:quick` leaves it out, with what
 * `npm test` leaves out, too.
 */
const SLOW = [
  'messengers/whatsapp/**/*',
  'messengers/conformance',
  'web/{campaigns,compose,groups,journey,pages,session}',
  'platform/database/embedded*',
  'service/{command-line,journey,launcher,worker-loops}',
  'project/{api-reference,examples,own-postgresql,readme,release,sbom,witness}',
  'sending/deliveries/{lost-shard,poison,revise,rows-read,rows-read-accounts}',
  'sending/accounts/{history,send-window}',
  'sending/campaigns/{check,clock,large-requests,occurrences,revise}',
  'content/text/properties',
  'sending/receipts/rows-read',
  'sending/statements',
  'api/server/fair-shares',
  'identity/{command-line,delete-account,first-user,sign-in}',
  'operations/backup/{backup-command,before-upgrade,daily,other-platform}',
  'upgrade/*',
  'contract/{access,clients,connections,fuzz,limits,refusals}',
  'sending/analytics/{consistency,roll-up}',
  'api/server/{big-bodies,events,idempotency,overload,resume-events,session,uploads}',
  'operations/doctor/doctor',
  'sending/isolation/isolation',
  'platform/secrets/*',
  'platform/mail/mails',
  'notifications/notices/notices',
  'notifications/webhooks/deliver',
].map((name) => `test/${name}.test.ts`);

/**
 * Only `npm run test:all` runs these, so that `npm test` takes three minutes: files of more than some 20 s, most pages in a browser, rare
 * conditions of WhatsApp, browsers without a network or with two windows, backups and copies, data of older versions, processes that
 * are killed, disks that are full, clients and databases that are slow or gone, exhaustive inputs, simulated worlds.
 */
const RARE = [
  'api/server/time-zones',
  'client/{python,typescript}-package',
  'content/text/{html-to-whatsapp,properties}',
  'platform/database/{embedded-crashes,embedded-refusals,full-disk}',
  'project/{monitoring,tutorial}',
  'sending/campaigns/{clock,fair-runs}',
  'service/{crashes,low-disk,traces}',
  'upgrade/check',
  'api/server/fair-shares',
  'api/server/overload',
  'api/server/resume-events',
  'api/server/session',
  'api/server/backpressure',
  'api/server/uploads',
  'contract/{fuzz,refusals}',
  'contract/limits',
  'identity/delete-account',
  'identity/sign-in',
  'messengers/whatsapp/chats/{channel-failures,channels,create-groups}',
  'messengers/whatsapp/client/engine',
  'messengers/whatsapp/connect/{link,new-link,own-number}',
  'messengers/whatsapp/connect/survive',
  'messengers/whatsapp/connect/{account-ends,bans,client-version,codes,first-hour,former-link,no-outcome,passkey,pauses,proxies,replaced,signed-pre-key,warnings}',
  'content/{link-preview/link-previews,media/upload}',
  'messengers/whatsapp/files/{albums,media}',
  'messengers/whatsapp/inbound/members',
  'messengers/whatsapp/inbound/{history,private-chats,two-numbers}',
  'messengers/whatsapp/send/revise',
  'messengers/whatsapp/send/{announcements,answer-retries,disappearing,events,known-groups,late-acks,link-preview,month-of-two-numbers,polls,reach,reach-members,slow-queries}',
  'notifications/notices/notices',
  'notifications/webhooks/slow-endpoints',
  'operations/backup/before-upgrade',
  'operations/backup/{backup,tampered}',
  'operations/hold/{lost-fencing-records,restored}',
  'platform/database/outages',
  'platform/secrets/encryption-key',
  'platform/secrets/give-up',
  'sending/analytics/{report-consistency,report-size,roll-up}',
  'sending/campaigns/{follow-up,large-requests}',
  'sending/campaigns/occurrences',
  'sending/campaigns/revise',
  'sending/deliveries/poison',
  'sending/deliveries/revise',
  'sending/deliveries/stalled-claim',
  'sending/isolation/isolation',
  'sending/statements',
  'service/{database-access,failing-loops}',
  'service/main',
  'service/startup-errors',
  'simulation/{altered-histories,seeds}',
  'upgrade/upgrade',
  'web/campaigns',
  'web/compose',
  'web/groups',
  'web/pages',
  'web/{account,accounts,approvals,calendar-lists,clicks,drafts,editor-round-trip,factors,follow-up,hold,incidents,installation,languages,library,link-preview,notices,offline,polls,reach,url-state}',
  'client/{generated-client,*-package}',
  'api/server/{big-bodies,lists,metrics}',
  'identity/{api-keys,command-line,test-keys,test-workspaces,tokens}',
  'notifications/webhooks/deliver',
  'operations/doctor/doctor',
  'platform/database/migrate',
  'platform/mail/mails',
  'sending/campaigns/fold',
  'sending/deliveries/{rows-read,rows-read-accounts}',
  'service/compile-cache',
  'identity/first-user',
  'operations/backup/{backup-command,other-platform}',
  'platform/database/{sent-slots,work-poll,work-poll-conditions}',
  'project/{flood-bodies,own-postgresql,release,sbom,webhook-examples}',
  'sending/deliveries/clock-set-back',
  'service/{idle,two-starts}',
  'api/server/events',
  'client/python',
  'contract/clients',
  'messengers/conformance',
  'messengers/whatsapp/connect/credentials',
  'messengers/whatsapp/send/without-text',
  'notifications/webhooks/at-least-once',
  'operations/backup/daily',
  'platform/database/fingerprint',
  'project/api-reference',
  'sending/analytics/{export,report-export,report-links}',
  'sending/campaigns/{check,link-preview,mention-all,pin,reply}',
  'sending/groups/activity-sums',
  'sending/receipts/{same-person,votes}',
  'web/{members,report,session}',
  'messengers/whatsapp/*/{about-files,by-hand,channel-queries,long-text,members-killed,first-posts,refused-files,take-over}',
  'operations/backup/own-server',
  'platform/database/{cancelled-wait,failover,patroni,pgbouncer,server-crashes,statement-timeout}',
  'project/{benches,commands,server-commands}',
  'sending/campaigns/halt',
  'sending/deliveries/{revise-newest,worker-replacement}',
  'service/{package,proxies,read-only-file-system,starting}',
  'simulation/crash-points',
  'web/{accessibility,account-number,build,editor-formatting,first-load,passkey-link,settings,slow-connection,surfaces,team-story,text-overflow,users,webhooks}',
].map((name) => `test/${name}.test.ts`);

/** Exhaustive, for hours, in no other run: `npx vitest run --mode long`. */
const LONG = ['simulation/{all-crash-points,several-accounts-mutated}'].map((name) => `test/${name}.test.ts`);

/** What runs on each PostgreSQL: our statements, but for what is about processes that die, what waits or searches, and the calendar. */
const MATRIX = [
  'sending/analytics/!(consistency|report-consistency|roll-up)',
  'sending/campaigns/!(clock|fold|halt|occurrences|revise)',
  'platform/database/{fingerprint,schema}',
  'sending/deliveries/!(poison|revise-newest|stalled-claim|worker-replacement)',
  'service/journey',
].map((name) => `test/${name}.test.ts`);

function filesOf(mode: string): { include: string[]; exclude: string[] } {
  switch (mode) {
    case 'quick':
      return { include: ALL, exclude: [...LONG, ...RARE, ...SLOW] };
    case 'matrix':
      return { include: MATRIX, exclude: [] };
    case 'all':
      return { include: RARE, exclude: [] };
    case 'long':
      return { include: LONG, exclude: [] };
    default:
      return { include: ALL, exclude: [...LONG, ...RARE] };
  }
}

export default defineConfig(({ mode }) => ({
  test: {
    ...filesOf(mode),
    // Ends what hangs, and nothing else: a machine that is ten times slower than two quiet cores stays below it.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    alias: { '@node-rs/argon2': join(import.meta.dirname, 'test/support/run/remember-argon2.ts') },
    setupFiles: ['test/support/run/set-locale.ts'],
    expect: { poll: { timeout: PATIENCE_MS } },
    // Two cores are meant, and files wait for more than half of their time. A file has its own database, so files may run beside each
    // other; tests within one follow each other.
    maxWorkers: 5,
    // To load the service anew for each file would take a second of a processor for each.
    isolate: false,
    reporters: ['./test/support/run/slowest-files.ts', 'default'],
    globalSetup: ['test/support/run/dashboard.ts', 'test/support/run/postgres.ts'],
    sequence: { sequencer: LongestFirst },
  },
}));
