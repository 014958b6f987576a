/** Reads imports out of source files and checks them against the groups and rooms of `src/` (docs/explanation/architecture.md). */
import { dirname, join, normalize } from 'node:path';

interface Room {
  summary: string;
  /** Allowed imports besides itself: rooms, or whole groups, which must precede its own group. */
  imports: readonly string[];
}

interface Group {
  summary: string;
  /** A group may import groups above it and never one below. */
  rooms: Readonly<Record<string, Room>>;
}

/**
 * The first level of `src/`, lowest group first, and its rooms. The key of a room is its folder below the group, or a folder in that;
 * an empty key is the group itself: its own files, and the folders that are not rooms of their own.
 */
export const GROUPS: Readonly<Record<string, Group>> = {
  platform: {
    summary: 'knows nothing of campaigns: database, configuration, mail, HTTP client, secrets, loops, log',
    rooms: {
      errors: {
        summary: 'errors with their codes, and the meaning of database errors',
        imports: [],
      },
      log: { summary: 'the structured log', imports: ['platform/errors'] },
      time: { summary: 'clocks and time zones', imports: ['platform/errors'] },
      network: { summary: 'ranges of IP addresses', imports: [] },
      phone: { summary: 'reads phone numbers, and says which are one', imports: ['platform/errors'] },
      concurrency: {
        summary: 'loops, fair semaphores, mutexes, backoff, round robin, batching',
        imports: ['platform/errors', 'platform/log'],
      },
      config: {
        summary: 'the environment becomes one frozen object',
        imports: ['platform/errors', 'platform/network', 'platform/time'],
      },
      'http-client': {
        summary: 'SSRF: the only way out to addresses that users name; connects to public addresses only',
        imports: ['platform/concurrency', 'platform/errors', 'platform/network'],
      },
      database: {
        summary: 'connections, NOTIFY hints, migrations, quarantine of poison rows, table types, the embedded server',
        imports: ['platform/concurrency', 'platform/config', 'platform/errors', 'platform/log', 'platform/time'],
      },
      secrets: {
        summary: 'the encryption key and sealed data',
        imports: ['platform/config', 'platform/database', 'platform/errors', 'platform/log'],
      },
      i18n: {
        summary: 'languages, and messages from the catalogs in `messages/`',
        imports: ['platform/errors'],
      },
      mail: {
        summary: 'the outbox of mails: templates, sending, link codes',
        imports: ['platform/concurrency', 'platform/database', 'platform/errors', 'platform/i18n', 'platform/log'],
      },
    },
  },
  workspaces: {
    summary: 'shared parts of all features of a workspace',
    rooms: {
      audit: { summary: 'the actor, and the audit log', imports: ['platform'] },
      members: { summary: 'the order of roles, and the default workspace of a person', imports: ['platform'] },
      approval: { summary: 'when posts need an approval', imports: ['platform', 'workspaces/audit'] },
      failover: { summary: 'what happens when an account cannot send', imports: ['platform', 'workspaces/audit'] },
      quotas: { summary: 'limits and usage of a workspace', imports: ['platform'] },
      idempotency: { summary: 'makes a repeated request take effect once', imports: ['platform'] },
      events: { summary: 'the event log (outbox), in an order that readers can resume from', imports: ['platform'] },
    },
  },
  content: {
    summary: 'text and files of a post',
    rooms: {
      text: {
        summary:
          'converts HTML to WhatsApp text: `reading/` parses, `foreign/` reads that of other programs, `writing/` renders',
        imports: ['platform'],
      },
      media: {
        summary: 'recognises base64 files, stores them, and shrinks pictures',
        imports: ['platform', 'workspaces'],
      },
      sheets: { summary: 'reads CSV and XLSX files, in bounded time and memory', imports: ['platform'] },
      fields: {
        summary: 'what a workspace knows about its groups: names and values of fields',
        imports: ['platform', 'content/text'],
      },
      post: {
        summary: 'what a post has beside its text and its file',
        imports: ['platform', 'content/fields', 'content/text', 'content/media'],
      },
      'link-preview': {
        summary: 'SSRF: fetches the title, description and picture of a link, in bounded time and size',
        imports: ['platform', 'content/text', 'content/media', 'content/post'],
      },
    },
  },
  messengers: {
    summary: 'the port to messaging applications, and its adapters',
    rooms: {
      '': { summary: 'the port: `messenger.ts`', imports: ['platform', 'content'] },
      sandbox: {
        summary: 'simulated groups and members; needs no account',
        imports: ['platform', 'content', 'messengers'],
      },
      'whatsapp/client': {
        summary: 'the client library, Baileys, in our own terms: connections, keys, encryption, nodes, messages',
        imports: ['platform'],
      },
      whatsapp: {
        summary: 'WhatsApp: linking, chats, files, sending, receipts',
        imports: ['platform', 'content', 'messengers', 'messengers/whatsapp/client'],
      },
    },
  },
  identity: {
    summary: 'users: sign-up, sign-in, passwords, second factors, sessions, API keys, invitations',
    rooms: { '': { summary: 'all of it; its folders import each other', imports: ['platform', 'workspaces'] } },
  },
  sending: {
    summary: 'the campaign ledger: posts, accounts, times and results',
    rooms: {
      leases: { summary: 'which worker serves which shard of accounts', imports: ['platform'] },
      accounts: {
        summary: 'links, lane locks, send windows (quiet hours, caps, warm-up)',
        imports: ['platform', 'workspaces', 'messengers', 'sending/leases'],
      },
      sessions: {
        summary: 'live connections of accounts, and the commands sent to them',
        imports: ['platform', 'messengers', 'sending/leases', 'sending/accounts', 'sending/groups'],
      },
      groups: {
        summary: 'creates, syncs and lists groups, channels and communities',
        imports: ['platform', 'workspaces', 'content', 'sending/accounts'],
      },
      drafts: {
        summary: 'campaigns that are being written',
        imports: ['platform', 'workspaces', 'content', 'sending/accounts', 'sending/groups'],
      },
      deliveries: {
        summary: 'claims turns, sends, classifies and records outcomes',
        imports: [
          'platform',
          'content',
          'messengers',
          'sending/leases',
          'sending/accounts',
          'sending/sessions',
          'sending/values',
        ],
      },
      senders: {
        summary: 'rules on which account sends to a group; hands over from an account that cannot send',
        imports: [
          'platform',
          'workspaces',
          'sending/accounts',
          'sending/groups',
          'sending/deliveries',
          'sending/leases',
        ],
      },
      campaigns: {
        summary: 'campaigns and runs: `accept/`, `begin/`, `change/`, `import/`, `read/`, `roll-up/`',
        imports: [
          'platform',
          'workspaces',
          'content',
          'sending/leases',
          'sending/accounts',
          'sending/groups',
          'sending/deliveries',
          'sending/values',
        ],
      },
      approvals: {
        summary: 'posts that wait for an approval, and their acceptance as campaigns',
        imports: [
          'platform',
          'workspaces',
          'content',
          'messengers',
          'sending/accounts',
          'sending/groups',
          'sending/campaigns',
          'sending/drafts',
          'sending/values',
        ],
      },
      templates: {
        summary: 'posts that are saved to begin others with: their uses, and what of them still holds',
        imports: ['platform', 'content', 'sending/campaigns'],
      },
      values: {
        summary: 'gives posts with fields the values of their groups',
        imports: ['platform', 'content'],
      },
      receipts: {
        summary: 'counts receipts, reactions, replies and votes, and accepts them as proof of sending',
        imports: ['platform', 'content', 'messengers', 'sending/accounts', 'sending/deliveries'],
      },
      analytics: {
        summary: 'reads the results of campaigns',
        imports: ['platform', 'workspaces', 'content', 'sending/accounts', 'sending/groups', 'sending/campaigns'],
      },
      erasure: {
        summary: 'exports the data of a user, and removes that of deleted ones, in small steps',
        imports: ['platform', 'messengers', 'sending/leases', 'sending/sessions'],
      },
    },
  },
  notifications: {
    summary: 'delivers events to servers and to people',
    rooms: {
      webhooks: {
        summary: 'Standard Webhooks: delivers events to endpoints in order',
        imports: ['platform', 'workspaces'],
      },
      notices: { summary: 'notices in the dashboard, by Web Push and by mail', imports: ['platform', 'workspaces'] },
    },
  },
  operations: {
    summary: 'for operators: hold, backups, doctor, housekeeping, metrics',
    rooms: {
      hold: {
        summary: 'split brain: detects a restored or copied ledger and holds it until resumed',
        imports: ['platform', 'workspaces', 'messengers', 'identity', 'sending'],
      },
      backup: { summary: 'makes, verifies and restores backups', imports: ['platform', 'operations/hold'] },
      doctor: {
        summary: 'checks an installation and suggests remedies',
        imports: [
          'platform',
          'workspaces',
          'messengers',
          'identity',
          'sending',
          'operations/hold',
          'operations/backup',
        ],
      },
      '': {
        summary: 'housekeeping (retention) and metrics',
        imports: ['platform', 'workspaces', 'content', 'messengers', 'identity', 'sending', 'notifications'],
      },
    },
  },
  api: {
    summary: 'the HTTP API',
    rooms: {
      contract: {
        summary: 'declares the operations of each resource; clients take its types',
        imports: [
          'platform',
          'workspaces',
          'content/text',
          'content/fields',
          'content/post',
          'identity',
          'notifications',
        ],
      },
      mcp: {
        summary: 'the API as tools for language models (MCP)',
        imports: ['platform', 'api/contract', 'clients/typescript'],
      },
      '': {
        summary:
          '`server/` (envelope, limits, load shedding), `routes/`, `events/` (SSE). No SQL; only types of the database',
        imports: [
          'platform',
          'workspaces',
          'content',
          'identity',
          'sending',
          'notifications',
          'operations',
          'api/contract',
        ],
      },
    },
  },
  app: {
    summary: 'wires the groups: `main.ts` (signals, exit codes), `app.ts` (roles), `worker.ts`',
    rooms: {
      '': {
        summary: 'may import any group above, and of the dashboard whether it has been built',
        imports: [
          'platform',
          'workspaces',
          'content',
          'messengers',
          'identity',
          'sending',
          'notifications',
          'operations',
          'api',
          'web',
        ],
      },
    },
  },
  cli: {
    summary: 'the command line: `commands.ts` is the table of commands',
    rooms: {
      '': {
        summary: 'may import any group above',
        imports: [
          'platform',
          'workspaces',
          'content',
          'messengers',
          'identity',
          'sending',
          'notifications',
          'operations',
          'api',
          'app',
        ],
      },
    },
  },
};

/** Code beside `src/`. The client imports nothing. The dashboard imports only types, except for the files that browsers may load. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  'clients/typescript': [],
  web: [
    'clients/typescript',
    'api/contract',
    'messengers',
    'content/text',
    'platform/errors',
    'platform/i18n',
    'workspaces/members',
  ],
};

/** The only files of `src/` of which a browser may load code. */
const IN_BROWSERS =
  /^src\/(?:api\/contract\/.*|messengers\/windows|content\/text\/(?:boundaries|caption|choose-text|document|foreign\/rewrite-foreign|mention-all|parse-whatsapp|typed-text)|platform\/errors\/failures|platform\/i18n\/(?:languages|translate-failure|translator)|workspaces\/members\/roles)\.ts$/;

/** The message catalogs, which the dashboard loads, and the types of their parameters. */
const CATALOG = /^messages\/(?:[\w-]+\.json|parameters\.ts)$/;
/** The types of the rows, which one file gives to all. */
const ROW_TYPES = { to: 'generated/tables.ts', from: 'src/platform/database/schema.ts' };

export interface Import {
  from: string;
  to: string;
  typeOnly: boolean;
}

/** All imports between source files, `import type` among them. Paths are relative to the project. */
export function readImports(sources: ReadonlyMap<string, string>): Import[] {
  const pattern =
    /(?:^|\n)\s*(?:import|export)\s+(type\s)?[^;'"]*?(?:from\s+)?['"](\.[^'"]+)['"]|import\(\s*['"](\.[^'"]+)['"]/g;
  return [...sources].flatMap(([from, source]) =>
    [...source.matchAll(pattern)].map((match) => ({
      from,
      to: normalize(join(dirname(from), match[2] ?? match[3] ?? '')),
      typeOnly: match[1] !== undefined,
    })),
  );
}

/** Returns the room of a file, as `group/room`, `group` for a group's own files, or the folder beside `src/`. Undefined if there is none. */
export function roomOf(path: string): string | undefined {
  const beside = Object.keys(BESIDE).find((folder) => path.startsWith(`${folder}/`));
  if (beside !== undefined) return beside;
  const [, group = '', ...names] = path.split('/');
  const rooms = GROUPS[group]?.rooms;
  if (!path.startsWith('src/') || rooms === undefined) return undefined;
  const folders = names.slice(0, -1);
  const room = [folders.slice(0, 2).join('/'), folders[0] ?? '', ''].find((name) => name in rooms);
  return room === undefined ? undefined : [group, room].filter(Boolean).join('/');
}

/** Returns a sentence for each rule of the groups and rooms that these files break. */
export function findBreaches(sources: ReadonlyMap<string, string>): string[] {
  const imports = readImports(sources);
  const homeless = [...sources.keys()].filter((path) => roomOf(path) === undefined);
  return [
    ...homeless.map((path) => `${path} is in no room`),
    ...findClimbs(),
    ...findForbidden(imports),
    ...findCycles(imports),
    ...findMisplacedTerms(sources),
  ];
}

/** Returns the rules of the table that allow an import from a higher group. */
function findClimbs(): string[] {
  const order = Object.keys(GROUPS);
  return Object.entries(GROUPS).flatMap(([group, { rooms }]) =>
    Object.entries(rooms).flatMap(([room, { imports }]) =>
      imports
        .filter((other) => order.indexOf(other.split('/')[0] ?? '') > order.indexOf(group))
        .map((other) => `the table lets ${group}/${room} import ${other}, which is above it`),
    ),
  );
}

function findForbidden(imports: Import[]): string[] {
  return imports.flatMap(({ from, to, typeOnly }) => {
    const room = roomOf(from);
    const other = roomOf(to);
    if (room === undefined || room === other || CATALOG.test(to)) return [];
    if (to === ROW_TYPES.to && from === ROW_TYPES.from) return [];
    if (other === undefined || !mayImport(room, other)) return [`${from} may not import ${to}`];
    if (typeOnly) return [];
    if (room === 'api' && other === 'platform/database') return [`${from} may import only types from ${to}`];
    if (room === 'web' && other !== 'clients/typescript' && !IN_BROWSERS.test(to))
      return [`${from} may not import ${to}`];
    if (room === 'web' && other === 'api/contract') return [`${from} may import only types from ${to}`];
    return [];
  });
}

function mayImport(room: string, other: string): boolean {
  const [group = '', ...names] = room.split('/');
  const allowed = BESIDE[room] ?? GROUPS[group]?.rooms[names.join('/')]?.imports ?? [];
  return allowed.includes(other) || (!(other in BESIDE) && allowed.includes(other.split('/')[0] ?? ''));
}

function findCycles(imports: Import[]): string[] {
  const next = Map.groupBy(imports, (one) => one.from);
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: string[]) => {
    const start = path.indexOf(file);
    if (start >= 0) {
      cycles.push(`a cycle: ${[...path.slice(start), file].join(' → ')}`);
      return;
    }
    if (done.has(file)) return;
    for (const { to } of next.get(file) ?? []) visit(to, [...path, file]);
    done.add(file);
  };
  for (const file of next.keys()) visit(file, []);
  return cycles;
}

interface Term {
  pattern: RegExp;
  name: string;
  allowed: (path: string) => boolean;
}

const inWire = (path: string) =>
  /^(?:src\/api\/(?:contract|routes)|web\/api)\//.test(path) || path === 'clients/typescript/types.ts';

/** Terms that belong to one place. */
const TERMS: readonly Term[] = [
  { pattern: /wharsapp|_serialized|\/venom\//, name: 'a spelling of the wire', allowed: inWire },
  { pattern: /baileys/i, name: 'Baileys', allowed: (path) => path.startsWith('src/messengers/whatsapp/client/') },
  {
    pattern: /\bnewsletter/i,
    name: 'the word newsletter',
    allowed: (path) => path.startsWith('src/messengers/') || inWire(path),
  },
  {
    pattern: /process\.env/,
    name: 'the environment',
    allowed: (path) =>
      /^(?:src\/platform\/(?:config\/(?:config|state-dir)\.ts|database\/embedded\/)|web\/build\.ts)/.test(path),
  },
  {
    pattern: /^import (?!type\b)[^;]*? from '[^.]|\bimport\('[^.]|\bnode:|\b(process|Buffer)\./m,
    name: 'what browsers do not have',
    allowed: (path) => !path.startsWith('clients/typescript/'),
  },
  {
    pattern: /`\s*(select|insert|update|delete|with)\s/i,
    name: 'SQL',
    allowed: (path) => !path.startsWith('src/api/'),
  },
];

function findMisplacedTerms(sources: ReadonlyMap<string, string>): string[] {
  return [...sources].flatMap(([path, source]) =>
    TERMS.filter(({ pattern, allowed }) => !allowed(path) && pattern.test(source)).map(
      ({ name }) => `${path} names ${name}`,
    ),
  );
}

/** The page docs/reference/rooms.md. */
export function roomsPage(): string {
  const rows = Object.entries(GROUPS).flatMap(([group, { summary, rooms }]) => [
    `| **\`${group}\`** | ${summary} | |`,
    ...Object.entries(rooms).map(
      ([room, { summary: about, imports }]) =>
        `| \`${[group, room].filter(Boolean).join('/')}\` | ${about} | ${imports.map((one) => `\`${one}\``).join(', ') || 'nothing'} |`,
    ),
  ]);
  return `# Rooms

The groups and rooms of \`src/\`, lowest first, with the imports that each may have. \`npm run docs\` writes this page from the rules in \`test/support/architecture.ts\`, which \`test/project/architecture.test.ts\` checks. A group's name in the last column means all of its rooms.

| room | purpose | may import |
| --- | --- | --- |
${rows.join('\n')}
`;
}
