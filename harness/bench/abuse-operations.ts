/**
 * Fairness: for each operation of the API, what 100 requests in flight of one person cost another person's small work. Each is measured
 * beside valid, invalid and slow requests, from one workspace and from as many as one person may have, and beside requests without a token.
 */
import { Worker } from 'node:worker_threads';
import { readOperations, type DocumentedOperation } from '../../test/support/http/openapi.ts';
import type { Service } from '../../test/support/service/service.ts';
import { measureCell, measureIdle, medianIdle, type Cell, type Idle, type Measuring } from './support/abuse-cell.ts';
import { describe, formatCells, summarize, type Measured } from './support/abuse-report.ts';
import { listGroupIds } from './support/client.ts';
import { startCluster } from './support/cluster.ts';
import type { Flood } from './support/flood.ts';
import {
  createFlooder,
  KINDS,
  prepareFlood,
  prepareFloodWithoutToken,
  signUpAt,
  type Flooder,
} from './support/flooder.ts';
import { doSmallWork } from './support/small-work.ts';
import type { Bench } from './support/run-benches.ts';
import { startBenchService } from './support/service.ts';
import { formatTable } from './support/table.ts';

/** The dearest by what they cost when they were last measured, and those that others imitate. */
const DEAREST = new Set([
  'check-campaign',
  'add-campaign',
  'request-approval',
  'save-draft',
  'save-group-list',
  'update-account',
  'list-groups',
  'get-overview',
  'preview-campaign',
  'set-still',
  'authorize_user',
  'upload',
]);
/** Of the smallest run. */
const CHEAP = new Set(['preview-campaign']);
const IN_FLIGHT = 100;
/** Idle moments that are the yardstick together: a single one may be of a moment at which the machine did other things. */
const IDLES = 5;
const ADDRESSES = {
  other: '203.0.113.1',
  flooder: '203.0.113.2',
  administrator: '203.0.113.3',
  stranger: '203.0.113.4',
};

export interface AbuseOptions {
  /** Every operation instead of the dearest. */
  all?: boolean;
  /** Operations by their names. */
  only?: readonly string[] | undefined;
  markdown?: boolean;
}

interface Scene extends Measuring {
  /** The newest first. */
  idles: Idle[];
  /** Of the second look at what has missed. */
  longSeconds: number;
  /** Whether invalid and slow floods come from one workspace only. */
  isShort: boolean;
  flooder: Flooder;
  administrator: Flooder;
}

export async function benchAbuseOfOperations({ pick, report }: Bench, options: AbuseOptions): Promise<void> {
  await using cluster = await startCluster();
  await cluster.withDatabase(async ({ url }) => {
    await using started = new AsyncDisposableStack();
    const service = started.use(
      await startBenchService({
        environment: {
          SANDBOX_SPEED: '0',
          DATABASE_URL: url,
          PREVIEW_RATE_LIMIT: '1000000',
          TRUSTED_PROXIES: '127.0.0.1',
          PUBLIC_DOCS: 'true',
          LOG_LEVEL: 'info',
        },
      }),
    );
    const thread = new Worker(new URL('support/flood.ts', import.meta.url));
    started.defer(async () => void (await thread.terminate()));
    const operations = await readOperations(service.url);
    const chosen = chooseOperations(operations, options, pick(DEAREST, DEAREST, CHEAP));
    const scene: Scene = {
      ...(await createPeople(service, operations, pick(undefined, undefined, 2))),
      service,
      thread,
      idles: [],
      seconds: pick(2, 0.7, 0.2),
      longSeconds: pick(2, 2, 0.2),
      isShort: pick(false, true, true),
    };
    await doSmallWork(scene.other, scene.groupIds, pick(10, 3, 0.2));
    const measured: Measured[] = [];
    for (const operation of chosen)
      await report(operation.name, async () => void measured.push(await measureOperation(operation, scene)));
    console.log(`\n${formatTable(formatCells(measured), options)}\n`);
    await report('abuse of operations', async () => summarize(measured));
  });
}

function chooseOperations(
  operations: readonly DocumentedOperation[],
  { all, only }: AbuseOptions,
  others: ReadonlySet<string>,
): DocumentedOperation[] {
  const unknown = only?.filter((name) => operations.every((operation) => operation.name !== name)) ?? [];
  if (unknown.length > 0) throw new Error(`the API has no operation ${unknown.join(', ')}`);
  return operations.filter(({ name }) => (only ? only.includes(name) : all || others.has(name)));
}

async function createPeople(
  { url }: Service,
  operations: readonly DocumentedOperation[],
  workspaces: number | undefined,
) {
  const administrator = await createFlooder(url, {
    name: 'administrator',
    address: ADDRESSES.administrator,
    operations,
    workspaces: 1,
  });
  const other = await signUpAt(url, 'other', ADDRESSES.other);
  const flooder = await createFlooder(url, { name: 'flooder', address: ADDRESSES.flooder, operations, workspaces });
  console.log(`  one person may have ${flooder.workspaces.length} workspaces of their own, or more`);
  return { administrator, other, flooder, groupIds: await listGroupIds(other) };
}

async function measureOperation(operation: DocumentedOperation, scene: Scene): Promise<Measured> {
  const { flooder, administrator, idles } = scene;
  idles.unshift(await measureIdle(scene));
  const idle = medianIdle(idles.slice(0, IDLES));
  const person = operation.codes.includes('admin_required') ? administrator : flooder;
  const spreads = [...new Set([1, person.workspaces.length])];
  const floods = spreads.flatMap((workspaces) =>
    KINDS.filter((kind) => !scene.isShort || workspaces === 1 || kind === 'valid').map((kind) => ({
      kind,
      workspaces,
    })),
  );
  const measured: Measured = { operation: operation.name, idle: idle.felt, cells: [] };
  const measure = async (what: string, prepare: () => Promise<Flood>) => {
    const lookFor = async (seconds: number) =>
      measureCell({ what, flood: await prepare(), idle }, { ...scene, seconds });
    const first = await lookFor(scene.seconds);
    // The machine may have had other things to do: only what misses twice, the second time in a longer look, has missed.
    const cell = first.isReached ? first : better(first, await lookFor(scene.longSeconds));
    console.log(`  ${operation.name}, ${describe(cell, idle.felt)}`);
    measured.cells.push(cell);
  };
  for (const { kind, workspaces } of floods)
    await measure(`${kind}${workspaces > 1 ? `, ${workspaces} workspaces` : ''}`, () =>
      prepareFlood(operation, { kind, flooder: person, workspaces, inFlight: IN_FLIGHT }),
    );
  await measure('no token', async () =>
    prepareFloodWithoutToken(operation, { flooder: person, address: ADDRESSES.stranger, inFlight: IN_FLIGHT }),
  );
  return measured;
}

function better(one: Cell, other: Cell): Cell {
  if (one.isReached !== other.isReached) return one.isReached ? one : other;
  return one.felt.stepsPerS > other.felt.stepsPerS ? one : other;
}
