/** The bodies with which one person floods an operation, made from its schema and its example in the OpenAPI document. */
import { AHEAD, ASSERTION, ownedFields, type Ids } from '../../../test/support/http/access.ts';
import {
  formsOf,
  typeOf,
  withoutNull,
  type DocumentedOperation,
  type Schema,
} from '../../../test/support/http/openapi.ts';
import { inventIds } from '../../../test/support/http/owned-resources.ts';
import { drawBlack } from '../../../test/support/inputs/draw-png.ts';
import { film } from '../../../test/support/inputs/films.ts';

/** Whose body it is. */
export interface Sender {
  name: string;
  password: string;
  ids: Ids;
}

interface Exception {
  /** Instead of the fields of the example. */
  fields?: object;
  /** Fields with the name of the sender's id that they get instead. */
  ids?: Readonly<Record<string, string>>;
  /** The ids are of the right form and of nothing. */
  isOfNothing?: boolean;
  why: string;
}

const WRONG_PASSWORD = 'not the password of anybody';
const OWN_END = 'would end the sender, or its place in the workspace';
const OF_POSTS = [
  'get-campaign-group-analytics-master',
  'export-campaign',
  'recall-campaign',
  'correct-campaign',
  'pin-campaign',
  'unpin-campaign',
];
const OF_POLLS = ['get-poll-results', 'export-poll'];
const LONG_HTML = '<p>Hello <b>you</b>, <i>we</i> open at nine</p>'.repeat(350);
const YEAR = { start_date: '2032-06-01', end_date: '2033-05-31', weekdays: null };

/** The operations whose example, with the sender's ids, is not what a flood of them should send. */
const EXCEPTIONS: Readonly<Record<string, Exception>> = {
  delete_account: { fields: { password: WRONG_PASSWORD }, why: OWN_END },
  revoke_tokens: { why: 'ends the session with the first request: the person signs in before each flood' },
  'hand-over-workspace': { isOfNothing: true, why: OWN_END },
  'set-member-role': { isOfNothing: true, why: OWN_END },
  disable_user: { isOfNothing: true, why: OWN_END },
  reset_factors: { isOfNothing: true, why: OWN_END },
  'disconnect-account': { ids: { account_id: 'account_id' }, why: 'the default account goes on sending' },
  'update-account': { fields: { quiet_hours: 'none', daily_cap: 'none' }, why: 'the account goes on sending' },
  create_user: { fields: { user_name: 'one-of-many', email: 'one-of-many@example.com' }, why: 'a name of its own' },
  'check-campaign': { fields: YEAR, why: 'a year of days is the dearest schedule' },
  'preview-campaign': { fields: { html: LONG_HTML }, why: 'a long text is dearer' },
  'move-run': { fields: { due_at: '2032-06-01T15:00:00Z' }, why: 'near the time in the plan' },
  'skip-run': { isOfNothing: true, why: 'others need the run' },
  'set-still': { ids: { media_id: 'film_id' }, why: 'only films have one' },
  'submit-passkey': { fields: { assertion: ASSERTION }, why: 'the example is abridged' },
  ...Object.fromEntries(OF_POSTS.map((name) => [name, { ids: { campaign_id: 'sent_campaign_id' }, why: 'of posts' }])),
  ...Object.fromEntries(OF_POLLS.map((name) => [name, { ids: { campaign_id: 'poll_campaign_id' }, why: 'of votes' }])),
  'list-groups': { fields: { kind: null }, why: 'all kinds are the longest answer' },
  'list-campaigns': { fields: { status: null }, why: 'all campaigns are the longest answer' },
};

/** What they name is gone after the first request, and the others need it: of nothing from the start. */
const ENDS_SOMETHING = /^(delete|remove|revoke|end|withdraw|cancel)[-_]/;

/** A small file with as many pixels as a picture may have. */
const HUGE_PICTURE = drawBlack(5_000, 5_000).toString('base64');
const FILE = film({ bytes: 2_000 });
const ITEMS = 60_000;

/** Returns a valid body: the operation's example with the sender's own ids, with the longest lists, the largest pictures and no address elsewhere. */
export function validBodyOf(operation: DocumentedOperation, sender: Sender): string | Uint8Array {
  if (operation.body.format === 'binary') return new Uint8Array(FILE);
  if (operation.example === undefined) throw new Error(`${operation.path} has no example in the OpenAPI document`);
  const { fields, ids: named = {}, isOfNothing } = EXCEPTIONS[operation.name] ?? {};
  const ids = isOfNothing || ENDS_SOMETHING.test(operation.name) ? inventIds(sender.ids) : sender.ids;
  const missing = ownedFields(operation).filter((field) => !(field in ids));
  if (missing.length > 0) throw new Error(`${operation.path}: the sender has no ${missing.join(', ')}`);
  const most = Object.fromEntries(
    ['limit', 'days'].flatMap((name) => {
      const { maximum } = withoutNull(propertiesOf(operation.body)[name] ?? {});
      return maximum === undefined ? [] : [[name, maximum]];
    }),
  );
  const further = Object.fromEntries(Object.entries(named).map(([field, name]) => [field, ids[name]]));
  const adapted = adapt(operation.example, '', { ...sender, ids }) as object;
  return JSON.stringify({ ...adapted, ...most, ...further, ...fields });
}

/** Replaces what an example has from its own scene. */
function adapt(value: unknown, field: string, sender: Sender): unknown {
  const { name, password, ids } = sender;
  if (field in ids) return ids[field];
  if (Array.isArray(value)) return value.map((one) => adapt(one, '', sender));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [
        key,
        'schedule_time' in value && key in AHEAD ? AHEAD[key] : adapt(one, key, sender),
      ]),
    );
  if (field === 'user_name') return name;
  if (field.endsWith('password')) return password;
  if (field === 'image') return `data:image/png;base64,${HUGE_PICTURE}`;
  if (field === 'still') return HUGE_PICTURE;
  // Nobody else's server is to be asked a thousand times.
  return typeof value === 'string' ? value.replace(/(?<=^https:\/\/)[^/]+/, 'example.invalid') : value;
}

/** Returns an invalid body: 60,000 wrong items in the longest list that the operation takes, else a field of a wrong type, else no object. */
export function invalidBodyOf(operation: DocumentedOperation, valid: string | Uint8Array): string | Uint8Array {
  if (typeof valid !== 'string') return 'no file of any kind';
  const fields = Object.entries(propertiesOf(operation.body)).map(
    ([name, schema]) => [name, withoutNull(schema)] as const,
  );
  const lists = fields.filter(([, schema]) => typeOf(schema) === 'array');
  const [list] = lists.toSorted(([, one], [, other]) => (other.maxItems ?? Infinity) - (one.maxItems ?? Infinity));
  const any = fields.find(([, schema]) => typeOf(schema) !== 'any');
  const body = JSON.parse(valid) as object;
  if (list)
    return JSON.stringify({ ...body, [list[0]]: Array.from({ length: ITEMS }, () => wrongValueFor(itemOf(list[1]))) });
  return any ? JSON.stringify({ ...body, [any[0]]: wrongValueFor(any[1]) }) : '[]';
}

function itemOf({ items = {} }: Schema): Schema {
  return withoutNull(items);
}

/** Short, so that 60,000 fit into the smallest limit of a body. */
function wrongValueFor(schema: Schema): unknown {
  return typeOf(schema) === 'string' ? 7 : 'x';
}

function propertiesOf(body: Schema): Record<string, Schema> {
  return Object.assign({}, ...(body.anyOf ?? formsOf(body)).map(({ properties }) => properties)) as Record<
    string,
    Schema
  >;
}
