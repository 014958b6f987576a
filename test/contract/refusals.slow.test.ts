/** The cost of a rejected body, over each list, object and string of the OpenAPI document: CPU time, and the length of the answer. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listContracts } from '../../src/api/contract/contract.ts';
import type { OperationContract } from '../../src/api/contract/define-operations.ts';
import { boundBody } from '../../src/api/server/body-bounds.ts';
import { findUnknownFields, validFields } from '../../src/api/server/body-fields.ts';
import { failedAnswer, failureText } from '../../src/api/server/envelope.ts';
import { parseJsonBody } from '../../src/api/server/json-body.ts';
import { SMALL_BODY_BYTES } from '../../src/api/server/receive-bodies.ts';
import { validateBody } from '../../src/api/server/validation.ts';
import { startTestApp, type Person, type TestApp } from '../support/app.ts';
import { cpuTimeOf } from '../support/cpu-time.ts';
import { readDocument } from '../support/http/own-document.ts';
import { operationsOf, typeOf, withoutNull, type DocumentedOperation, type Schema } from '../support/http/openapi.ts';
import { worstBodies, type WorstBody } from '../support/inputs/worst-bodies.ts';

const ANSWER_LIMIT_BYTES = 64 * 1024;
/** What is wrong with each of 2,000 rows, at most five things, is the answer that was asked for; it is written in pieces. */
const ROWS_LIMIT_BYTES = 2_000 * 500;
/** Of all headers proxies take 4 KiB by default. */
const WARNINGS_LIMIT_BYTES = 3 * 1024;
/** As many times as long as parsing 60,000 items, which takes a quiet machine some 0.8 ms. */
const CPU_LIMIT = 24;
/** So much more for each name of a field that an operation takes: those of 1,000 groups with 40 fields have to be read. */
const CPU_LIMIT_PER_NAME = 0.001;
/** Of a body of megabytes: as many times as long as copying it. */
const COPIES = 4;
/** Or as many times as long as parsing it: a machine that is slow to hand out memory is slow at both. */
const PARSES = 10;

interface Tried extends DocumentedOperation {
  contract: OperationContract;
}

let app: TestApp;
let alice: Person;
let operations: Tried[];
beforeAll(async () => {
  const contracts = new Map(listContracts().map((contract) => [contract.path as string, contract]));
  operations = operationsOf(await readDocument()).flatMap((operation) => {
    const contract = contracts.get(operation.path);
    return contract && !contract.takesFile ? [{ ...operation, contract }] : [];
  });
  app = await startTestApp({ sandboxSpeed: 0 });
  alice = await app.signUp('alice');
});
afterAll(() => app.stop());

interface TriedBody extends WorstBody {
  operation: Tried;
}

/** Returns each body once: many operations have the same fields. */
function bodiesOf(chosen: readonly Tried[], bytesOf: (operation: Tried) => number): TriedBody[] {
  const bodies = chosen.flatMap((operation) => {
    const { commas } = boundBody(operation.contract.body);
    return worstBodies(operation.body, bytesOf(operation)).map(
      (body) => [`${body.key} ${commas}`, { ...body, operation }] as const,
    );
  });
  return [...new Map(bodies).values()];
}

/** Parses and validates a body as the server does. Returns the answer to a rejected one. */
function reject({ body: schema }: OperationContract, text: string): string | undefined {
  try {
    const body = parseJsonBody(Buffer.from(text), boundBody(schema));
    findUnknownFields(schema, body);
    const result = validateBody(schema, body);
    if ('value' in result) return undefined;
    validFields(schema, body);
    throw result.error;
  } catch (error) {
    return failureText(failedAnswer(error, false), 'a request');
  }
}

const ITEMS = JSON.stringify(Array.from({ length: 60_000 }, () => 'x'));
const medianOf = (times: readonly number[]) => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;
const median = (work: () => void) => medianOf(Array.from({ length: 9 }, () => cpuTimeOf(work)));

function parse(text: string): void {
  try {
    JSON.parse(text);
  } catch {
    // Some bodies are no JSON.
  }
}

/** Returns the bodies that are too dear in each of three tries, with their milliseconds, and those with a long answer. */
function findDear(bodies: readonly TriedBody[]): string[] {
  return bodies.flatMap(({ what, write, operation: { path, contract } }) => {
    const text = write();
    let answer: string | undefined;
    const tryOut = () => cpuTimeOf(() => (answer = reject(contract, text)));
    const isDear = () => {
      const unit = median(() => JSON.parse(ITEMS));
      const copyMs = text.length > SMALL_BODY_BYTES ? cpuTimeOf(() => Buffer.from(text).toString('utf8')) : 0;
      const limit = CPU_LIMIT + CPU_LIMIT_PER_NAME * boundBody(contract.body).names;
      return tryOut() > Math.max(limit * unit + COPIES * copyMs, PARSES * cpuTimeOf(() => parse(text)));
    };
    const ms = tryOut();
    // Nearly all take a fraction of a millisecond.
    const dear = ms > 5 && isDear() && isDear() && isDear() ? [`${path} ${what}: ${ms.toFixed()} ms`] : [];
    const length = answer?.length ?? 0;
    return length > ANSWER_LIMIT_BYTES ? [...dear, `${path} ${what}: ${length} bytes`] : dear;
  });
}

test('no rejected body has a long answer, with a token or without', async () => {
  const found: string[] = [];
  const send = async ({ what, write, operation: { path, contract } }: TriedBody, token?: string) => {
    const response = await fetch(`${app.url}${path}`, {
      method: 'POST',
      body: write(),
      headers: {
        'content-type': 'application/json',
        // What is unknown is not done in part.
        prefer: 'handling=strict',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
    });
    const { length } = await response.text();
    const warnings = response.headers.get('x-campanile-warnings') ?? '';
    const isOfRows = response.status === 200 && contract.longAnswer === 'pieces';
    const isShort = length <= (isOfRows ? ROWS_LIMIT_BYTES : ANSWER_LIMIT_BYTES);
    const isFine = isShort && warnings.length <= WARNINGS_LIMIT_BYTES && response.status < 500;
    if (!isFine) found.push(`${path} ${what}: ${response.status}, ${length} bytes, ${warnings.length} of warnings`);
    return response.status;
  };
  const bodies = bodiesOf(operations, () => SMALL_BODY_BYTES);
  // Texts are named in no answer.
  for (const body of bodies.filter(({ what }) => !what.includes(': "'))) await send(body, alice.token);
  for (const operation of operations) {
    const [body] = worstBodies(operation.body, SMALL_BODY_BYTES);
    if (body) await send({ ...body, operation });
  }
  expect(found).toEqual([]);
});

test('no rejected body costs more than some 20 ms of CPU, or makes a long answer', () => {
  const bodies = bodiesOf(operations, () => SMALL_BODY_BYTES);
  expect(bodies.length).toBeGreaterThan(1_000);
  expect(findDear(bodies)).toEqual([]);
});

test('nor does a body of megabytes, beyond what copying it costs', () => {
  const check = operations.filter(({ name }) => name === 'check-campaign');
  const bodies = bodiesOf(check, ({ contract }) => contract.bodyLimitBytes ?? 0);
  const structures = bodies.filter(({ what }) => /^body(?:\.group_metadata_ids)?: (?!digits|a field with)/.test(what));
  expect(structures.length).toBeGreaterThan(15);
  expect(findDear(structures)).toEqual([]);
});

test('every list of a request has a maximum', () => {
  const unbounded = (schema: Schema): boolean => {
    const plain = withoutNull(schema);
    const parts = [
      ...Object.values(plain.properties ?? {}),
      ...(plain.items ? [plain.items] : []),
      ...(plain.anyOf ?? []),
    ];
    return (typeOf(plain) === 'array' && plain.maxItems === undefined) || parts.some(unbounded);
  };
  expect(operations.filter(({ body }) => unbounded(body)).map(({ path }) => path)).toEqual([]);
});
